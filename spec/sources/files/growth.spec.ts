import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { drawRecord, Folder } from './folder.ts'

test('a file that has grown goes on where it was left', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n', 'b.csv': 'id\n1\n' })
  await folder.read()
  await folder.put({ 'a.ndjson': '{"id":1}\n{"id":2}\n', 'b.csv': 'id\n1\n2\n' })
  expect(await folder.read()).toEqual([['a.ndjson 2: id=2', "b.csv 2: id='2'"]])
})

test('a bounded read ends where the files ended when it began', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n{"id":2}\n' })
  const read: string[][] = []
  for await (const { records } of folder.batches('bounded', NEVER, { maxRecords: 1 })) {
    read.push(records.map(drawRecord))
    await folder.put({ 'a.ndjson': '{"id":1}\n{"id":2}\n{"id":3}\n', 'b.ndjson': '{"id":4}\n' })
  }
  expect(read).toEqual([['a.ndjson 1: id=1'], ['a.ndjson 2: id=2']])
  expect(await folder.read()).toEqual([['a.ndjson 3: id=3', 'b.ndjson 1: id=4']])
})

test('every place between two records is one to go on from', async () => {
  const files = {
    'a.ndjson': '\ufeff{"id":1}\r\n\n{"id":2}\noops\n{"id":3}',
    'b.csv': '\ufeffid,x\r\n1,"a\nb"\r\n\r\n2,""\n"bad"x,\n3,',
    'c.json': '[{"id":1}, {"id":2},7,\n{"id":3}]\n',
    'd.json': '{"id":1}\n{"id":2}{"id":3}\n',
    'e.json': '[{"id":1} {"id":2}]',
    'f.csv.gz': gzipSync('id\n1\n2\n'),
    'g.ndjson.gz': Buffer.concat([gzipSync('{"id":1}\n{"i'), gzipSync('d":2}\n')]),
  }
  await using atOnce = await Folder.of(files)
  await using oneByOne = await Folder.of(files)
  const all = await atOnce.read()
  expect(all.flat()).toHaveLength(21)

  const steps: string[][] = []
  for (;;) {
    const step: string[][] = []
    for await (const { records } of oneByOne.batches('bounded', NEVER, { maxRecords: 1 })) {
      step.push(records.map(drawRecord))
      break
    }
    if (step.flat().length === 0) break
    steps.push(...step)
  }
  expect(steps.flat()).toEqual(all.flat())
})

test('a file that became shorter is refused', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n{"id":2}\n' })
  await folder.read()
  await folder.put({ 'a.ndjson': '{"id":1}\n' })
  await expect(folder.read()).rejects.toThrow(
    'FILE_CHANGED: a.ndjson has 9 bytes, of which 18 were read before; give the file as it is now a new name, or put back what was there',
  )
})

test('a file that was replaced is refused, even by one of the same size', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n' })
  await folder.read()
  await folder.put({ 'a.ndjson': '{"id":7}\n' })
  await expect(folder.read()).rejects.toThrow(
    'FILE_CHANGED: a.ndjson does not begin as it did when it was read before; give',
  )
})

test('a file that was rewritten before the place is refused, though it begins as before', async () => {
  const start = '{"id":1}\n'.repeat(2000)
  await using folder = await Folder.of({ 'a.ndjson': `${start}{"id":2}\n` })
  await folder.read({ maxRecords: 10_000 })
  await folder.put({ 'a.ndjson': `${start}{"id":7}\n{"id":8}\n` })
  await expect(folder.read()).rejects.toThrow(
    'FILE_CHANGED: a.ndjson differs before byte 18009 from what was read before; give',
  )
})

test('what was read before a file that changed is delivered first', async () => {
  await using folder = await Folder.of({ 'b.ndjson': '{"id":1}\n' })
  await folder.read()
  await folder.put({ 'a.ndjson': '{"id":0}\n', 'b.ndjson': '{"id":7}\n' })
  await expect(folder.read()).rejects.toThrow('FILE_CHANGED')
  expect(folder.committed.get('a.ndjson')?.next).toBe(2)
})

test('an unterminated last line is a record, and its newline may follow later', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n{"id":2}', 'b.csv': 'id\n1' })
  expect(await folder.read()).toEqual([['a.ndjson 1: id=1', 'a.ndjson 2: id=2', "b.csv 1: id='1'"]])
  expect(await folder.read()).toEqual([])

  await folder.put({ 'a.ndjson': '{"id":1}\n{"id":2}\r\n{"id":3}\n', 'b.csv': 'id\n1\n' })
  expect(await folder.read()).toEqual([['a.ndjson 3: id=3']])
})

test('a lone carriage return after an unterminated line waits for its newline', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}' })
  await folder.read()
  await folder.put({ 'a.ndjson': '{"id":1}\r' })
  expect(await folder.read()).toEqual([])
  await folder.put({ 'a.ndjson': '{"id":1}\r\n{"id":2}\n' })
  expect(await folder.read()).toEqual([['a.ndjson 2: id=2']])
})

test('a last line that was read while incomplete is noticed when the rest of it comes', async () => {
  await using folder = await Folder.of({ 'a.csv': 'id\n1' })
  expect(await folder.read()).toEqual([["a.csv 1: id='1'"]])
  await folder.put({ 'a.csv': 'id\n12\n' })
  await expect(folder.read()).rejects.toThrow(
    'FILE_CHANGED: a.csv went on at byte 4, where its last record was read while incomplete; give',
  )
})

test('a quoted field that was read while incomplete is noticed when the rest of it comes', async () => {
  await using folder = await Folder.of({ 'a.csv': 'id,x\n1,"a\nb' })
  expect((await folder.read()).flat()).toHaveLength(2)
  await folder.put({ 'a.csv': 'id,x\n1,"a\nb\n"\n' })
  await expect(folder.read()).rejects.toThrow('FILE_CHANGED: a.csv went on at byte 11')
})

test('an array that was read while incomplete is noticed when the rest of it comes', async () => {
  await using folder = await Folder.of({ 'a.json': '[{"id":1},' })
  expect((await folder.read()).flat()).toHaveLength(2)
  await folder.put({ 'a.json': '[{"id":1},{"id":2}]' })
  await expect(folder.read()).rejects.toThrow('FILE_CHANGED: a.json went on at byte 10')
})

const NEVER = new AbortController().signal

test('a CSV header without its newline is left unread, and read once it has ended', async () => {
  await using folder = await Folder.of({ 'a.csv': 'id\n1\n', 'b.csv': 'id' })
  expect(await folder.read()).toEqual([["a.csv 1: id='1'"]])
  expect(await folder.read()).toEqual([])
  await folder.put({ 'b.csv': 'id\n2\n' })
  expect(await folder.read()).toEqual([["b.csv 1: id='2'"]])
})
