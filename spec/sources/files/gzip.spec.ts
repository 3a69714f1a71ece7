import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { drawRecord, Folder } from './folder.ts'

test('a packed file is read whatever its name, and by its content if it is not packed any more', async () => {
  await using folder = await Folder.of({ 'a.ndjson': gzipSync('{"id":1}\n') })
  expect(await folder.read()).toEqual([['a.ndjson 1: id=1']])
  await folder.put({ 'a.ndjson': '{"id":1}\n{"id":2}\n' })
  expect(await folder.read()).toEqual([['a.ndjson 2: id=2']])
})

test('members added to a packed file are its growth', async () => {
  const first = gzipSync('{"id":1}\n')
  await using folder = await Folder.of({ 'a.ndjson.gz': first })
  await folder.read()
  await folder.put({ 'a.ndjson.gz': Buffer.concat([first, gzipSync('{"id":2}\n')]) })
  expect(await folder.read()).toEqual([['a.ndjson.gz 2: id=2']])
})

test('a file packed again, otherwise, is the same file', async () => {
  const text = '{"id":1}\n'.repeat(1000)
  await using folder = await Folder.of({ 'a.ndjson.gz': gzipSync(text, { level: 1 }) })
  await folder.read()
  await folder.put({ 'a.ndjson.gz': gzipSync(`${text}\n`, { level: 9 }) })
  expect(await folder.read()).toEqual([[]])
})

test('a packed file that holds something else is refused', async () => {
  await using folder = await Folder.of({ 'a.ndjson.gz': gzipSync('{"id":1}\n{"id":2}\n') })
  await folder.read()
  await folder.put({ 'a.ndjson.gz': gzipSync('{"id":1}\n{"id":7}\n{"id":8}\n') })
  await expect(folder.read()).rejects.toThrow('FILE_CHANGED: a.ndjson.gz does not begin as it did')
  await folder.put({ 'a.ndjson.gz': gzipSync('{"id":1}\n') })
  await expect(folder.read()).rejects.toThrow(
    'FILE_CHANGED: a.ndjson.gz holds 9 bytes, of which 18 were read before',
  )
})

test('a packed file that ends in the middle gives what it has, then stops the flow', async () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `{"id":${i}}\n`).join('')
  const packed = gzipSync(lines)
  await using folder = await Folder.of({ 'a.ndjson.gz': packed.subarray(0, packed.length - 1000) })
  const read: string[] = []
  await expect(async () => {
    for await (const { records } of folder.batches('bounded', NEVER)) {
      read.push(...records.map(drawRecord))
    }
  }).rejects.toThrow('FILE_BROKEN: a.ndjson.gz is a gzip file that ends in the middle; complete it')
  expect(read.length).toBeGreaterThan(3000)
  expect(read.at(-1)).toBe(`a.ndjson.gz ${read.length}: id=${read.length - 1}`)

  await folder.put({ 'a.ndjson.gz': packed })
  const rest = (await folder.read({ maxRecords: 10_000 })).flat()
  expect([rest[0], rest.at(-1)]).toEqual([
    `a.ndjson.gz ${read.length + 1}: id=${read.length}`,
    'a.ndjson.gz 5000: id=4999',
  ])
})

test('a file that is called packed and is not stops the flow', async () => {
  await using folder = await Folder.of({ 'a.ndjson.gz': '{"id":1}\n' })
  await expect(folder.read()).rejects.toThrow(
    'FILE_BROKEN: a.ndjson.gz is no intact gzip file: incorrect header check',
  )
})

test('text after a packed file stops the flow, zeros do not', async () => {
  const packed = gzipSync('{"id":1}\n')
  await using padded = await Folder.of({
    'a.ndjson.gz': Buffer.concat([packed, Buffer.alloc(50_000)]),
  })
  expect(await padded.read()).toEqual([['a.ndjson.gz 1: id=1']])
  await using folder = await Folder.of({
    'a.ndjson.gz': Buffer.concat([packed, Buffer.from('{"id":2}')]),
  })
  await expect(folder.read()).rejects.toThrow('FILE_BROKEN: a.ndjson.gz is no intact gzip file')
})

const NEVER = new AbortController().signal
