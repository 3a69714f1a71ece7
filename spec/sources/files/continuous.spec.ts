import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { drawRecord, Folder } from './folder.ts'

test('new files and growth are read as they come, until the signal', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n' })
  const stop = new AbortController()
  const read: string[][] = []
  for await (const { records } of folder.batches('continuous', stop.signal)) {
    read.push(records.map(drawRecord))
    if (read.length === 1) await folder.put({ 'a.ndjson': '{"id":1}\n{"id":2}\n' })
    if (read.length === 2) await folder.put({ 'b.ndjson': '{"id":3}\n' })
    if (read.length === 3) stop.abort()
  }
  expect(read).toEqual([['a.ndjson 1: id=1'], ['a.ndjson 2: id=2'], ['b.ndjson 1: id=3']])
})

test('an unterminated last line waits for its newline', async () => {
  await using folder = await Folder.of({ 'a.csv': 'id\n1\n2', 'b.ndjson': '{"id":1}' })
  const stop = new AbortController()
  const read: string[][] = []
  for await (const { records } of folder.batches('continuous', stop.signal)) {
    read.push(records.map(drawRecord))
    if (read.length === 1) await folder.put({ 'a.csv': 'id\n1\n23\n' })
    if (read.length === 2) stop.abort()
  }
  expect(read).toEqual([["a.csv 1: id='1'"], ["a.csv 2: id='23'"]])
  expect(await folder.read()).toEqual([['b.ndjson 1: id=1']])
})

test('a path that names no file yet is waited for', async () => {
  await using folder = await Folder.of({}, { patterns: ['a.ndjson', 'b.ndjson'] })
  await folder.put({ 'b.ndjson': '{"id":1}\n' })
  const stop = new AbortController()
  const read: string[][] = []
  for await (const { records } of folder.batches('continuous', stop.signal)) {
    read.push(records.map(drawRecord))
    if (read.length === 1) await folder.put({ 'a.ndjson': '{"id":2}\n' })
    if (read.length === 2) stop.abort()
  }
  expect(read).toEqual([['b.ndjson 1: id=1'], ['a.ndjson 1: id=2']])
})

test('a packed file that is still being written gives what it has and is waited for', async () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `{"id":${i}}\n`).join('')
  const packed = gzipSync(lines)
  await using folder = await Folder.of({ 'a.ndjson.gz': packed.subarray(0, packed.length >> 1) })
  const stop = new AbortController()
  const read: string[] = []
  for await (const { records } of folder.batches('continuous', stop.signal, { maxRecords: 1e6 })) {
    if (read.length === 0) await folder.put({ 'a.ndjson.gz': packed })
    read.push(...records.map(drawRecord))
    if (read.length === 5000) stop.abort()
  }
  expect([read.length, read.at(-1)]).toEqual([5000, 'a.ndjson.gz 5000: id=4999'])
})

test('a file that is replaced while it is watched stops the flow', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n' })
  await expect(async () => {
    for await (const _ of folder.batches('continuous', new AbortController().signal)) {
      await folder.put({ 'a.ndjson': '{"id":7}\n{"id":8}\n' })
    }
  }).rejects.toThrow('FILE_CHANGED: a.ndjson does not begin as it did')
})

test('a signal that is already there ends the read', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n' })
  const stop = new AbortController()
  stop.abort()
  const read: string[][] = []
  for await (const { records } of folder.batches('continuous', stop.signal)) {
    read.push(records.map(drawRecord))
  }
  expect(read).toEqual([])
})
