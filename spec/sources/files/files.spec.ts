import { rm, symlink, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { drawRecord, Folder } from './folder.ts'

test('the records of all files are read, in natural order of their names', async () => {
  await using folder = await Folder.of({
    'feed-10.ndjson': '{"id":3}\n',
    'feed-9.ndjson': '{"id":1}\n{"id":2}\n',
    'deep/er.json': '[{"id":0}]',
  })
  expect(await folder.read()).toEqual([
    [
      'deep/er.json 1: id=0',
      'feed-9.ndjson 1: id=1',
      'feed-9.ndjson 2: id=2',
      'feed-10.ndjson 1: id=3',
    ],
  ])
})

test('formats follow extensions, before .gz, in any case', async () => {
  await using folder = await Folder.of({
    '1.CSV': 'id\n1\n',
    '2.tsv': 'id\tx\n2\ty\n',
    '3.jsonl': '{"id":3}',
    '4.ndjson.gz': gzipSync('{"id":4}\n'),
    '5.json': '{"id":5}',
  })
  expect(await folder.read()).toEqual([
    [
      "1.CSV 1: id='1'",
      "2.tsv 1: id='2' x='y'",
      '3.jsonl 1: id=3',
      '4.ndjson.gz 1: id=4',
      '5.json 1: id=5',
    ],
  ])
})

test('a format that is given holds for all files', async () => {
  await using folder = await Folder.of({ 'feed.log': '{"id":1}\n' }, { format: 'ndjson' })
  expect(await folder.read()).toEqual([['feed.log 1: id=1']])
})

test('a file whose name does not say what is in it is refused', async () => {
  await using folder = await Folder.of({ 'feed.log': '{"id":1}\n' })
  await expect(folder.read()).rejects.toThrow(
    'SPEC_INVALID: the name of feed.log does not say what is in it; add format: ndjson, json, csv or parquet to the source',
  )
})

test('what was read is not read again', async () => {
  await using folder = await Folder.of({
    'a.ndjson': '{"id":1}\n',
    'b.ndjson.gz': gzipSync('{"id":2}'),
  })
  expect(await folder.read()).toEqual([['a.ndjson 1: id=1', 'b.ndjson.gz 1: id=2']])
  expect(await folder.read()).toEqual([])
})

test('an empty file has no records until it grows', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '', 'b.csv': '', 'c.json': '' })
  expect(await folder.read()).toEqual([])
  await folder.put({ 'a.ndjson': '{"id":1}\n' })
  expect(await folder.read()).toEqual([['a.ndjson 1: id=1']])
})

test('a batch ends at its number of records and goes on in the next file', async () => {
  await using folder = await Folder.of({
    'a.ndjson': '{"id":1}\n{"id":2}\n{"id":3}\n',
    'b.ndjson': '{"id":4}\n{"id":5}\n',
  })
  expect(await folder.read({ maxRecords: 2 })).toEqual([
    ['a.ndjson 1: id=1', 'a.ndjson 2: id=2'],
    ['a.ndjson 3: id=3', 'b.ndjson 1: id=4'],
    ['b.ndjson 2: id=5'],
  ])
})

test('a batch ends at its number of bytes', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n{"id":2}\n{"id":3}\n' })
  expect(await folder.read({ maxBytes: 9 })).toEqual([
    ['a.ndjson 1: id=1', 'a.ndjson 2: id=2'],
    ['a.ndjson 3: id=3'],
  ])
})

test('a batch names the checkpoints of the files that moved, and no others', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n', 'b.ndjson': '{"id":2}\n' })
  await folder.read()
  await folder.put({ 'b.ndjson': '{"id":2}\n{"id":3}\n', 'c.ndjson': '\n\n' })

  const moved: string[] = []
  for await (const { records, checkpoints } of folder.batches('bounded', NEVER)) {
    moved.push(
      ...records.map(drawRecord),
      ...checkpoints.map(({ name, next }) => `${name} → ${next}`),
    )
  }
  expect(moved).toEqual(['b.ndjson 2: id=3', 'b.ndjson → 3', 'c.ndjson → 3'])
})

test('blank lines alone move a checkpoint in a batch without records', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '\n\n' })
  expect(await folder.read()).toEqual([[]])
  await folder.put({ 'a.ndjson': '\n\n{"id":1}\n' })
  expect(await folder.read()).toEqual([['a.ndjson 3: id=1']])
})

test('a pattern may go up, name a directory tree, or take files away', async () => {
  await using folder = await Folder.of({
    'up.ndjson': '{"id":1}\n',
    'x/in.ndjson': '{"id":2}\n',
    'x/not.ndjson': '{"id":3}\n',
  })
  const options = {
    base: join(folder.path, 'flows'),
    patterns: ['../*.ndjson', '../x/**', '!../x/not.*'],
  }
  await mkdir(options.base)
  await using flow = await Folder.of({}, options)
  expect(await flow.read()).toEqual([['../up.ndjson 1: id=1', '../x/in.ndjson 1: id=2']])
})

test('a pattern may be absolute', async () => {
  await using folder = await Folder.of({ 'data/a.ndjson': '{"id":1}\n' })
  const options = { base: folder.path, patterns: [join(folder.path, 'data/*.ndjson')] }
  await using flow = await Folder.of({}, options)
  expect(await flow.read()).toEqual([['data/a.ndjson 1: id=1']])
})

test('a path of a file is that file, whatever characters it has', async () => {
  const name = 'a (1) [x]*{y}.ndjson'
  await using folder = await Folder.of({ [name]: '{"id":1}\n' }, { patterns: name })
  expect(await folder.read()).toEqual([[`${name} 1: id=1`]])
})

test('a path that names no file is refused, a glob that matches none is not', async () => {
  await using literal = await Folder.of({}, { patterns: 'feed.ndjson' })
  await expect(literal.read()).rejects.toThrow(
    `NOT_FOUND: there is no file feed.ndjson in ${literal.path}`,
  )
  await using glob = await Folder.of({}, { patterns: 'feed/*.ndjson' })
  expect(await glob.read()).toEqual([])
})

test('a path that names a directory is refused', async () => {
  await using folder = await Folder.of({ 'feed/a.ndjson': '' }, { patterns: 'feed/' })
  await expect(folder.read()).rejects.toThrow(
    'NOT_FOUND: feed/ is a directory; name the files in it, for example feed/*.ndjson',
  )
})

test('a file that cannot be looked at is refused', async () => {
  await using folder = await Folder.of({}, { patterns: 'loop.ndjson' })
  await symlink('loop.ndjson', join(folder.path, 'loop.ndjson'))
  await expect(folder.read()).rejects.toThrow(
    `SOURCE_UNAVAILABLE: ${folder.path}/loop.ndjson cannot be read: ELOOP`,
  )
})

test('a file that was read may go away', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n', 'b.ndjson': '{"id":2}\n' })
  await folder.read()
  await rm(join(folder.path, 'a.ndjson'))
  expect(await folder.read()).toEqual([])
})

test('a copy under another path is a file of its own', async () => {
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n' })
  await folder.read()
  await folder.put({ 'copy/a.ndjson': '{"id":1}\n' })
  expect(await folder.read()).toEqual([['copy/a.ndjson 1: id=1']])
})

test('a broken header stops the flow after what came before it', async () => {
  await using folder = await Folder.of({ 'a.csv': 'id\n1\n', 'b.csv': 'id,id\n1,2\n' })
  const read: string[] = []
  await expect(async () => {
    for await (const { records } of folder.batches('bounded', NEVER)) {
      read.push(...records.map(drawRecord))
    }
  }).rejects.toThrow('FILE_BROKEN: the header of b.csv is broken: column "id" appears twice')
  expect(read).toEqual(["a.csv 1: id='1'"])
})

test('of a record that is too large the first 64 KiB are kept', async () => {
  const line = `{"a":"${'x'.repeat(3_000_000)}"}`
  await using folder = await Folder.of(
    { 'a.ndjson': `${line}\n{"id":2}\n` },
    { maxRecordBytes: 1_000_000 },
  )
  const kept: unknown[] = []
  for await (const { records } of folder.batches('bounded', NEVER)) {
    kept.push(
      ...records.map((record) => [drawRecord(record), Buffer.from(record.bytes).toString()]),
    )
  }
  expect(kept).toEqual([
    ['a.ndjson 1: TOO_LARGE 3000008 bytes, max_record_bytes is 1000000', line.slice(0, 65_536)],
    ['a.ndjson 2: id=2', '{"id":2}'],
  ])
})

test('the lag of a file is what it holds beyond its checkpoint', async () => {
  const packed = gzipSync('{"id":2}\n')
  await using folder = await Folder.of({ 'a.ndjson': '{"id":1}\n', 'b.ndjson.gz': packed })
  await folder.read()
  await folder.put({ 'a.ndjson': '{"id":1}\n{"id"', 'c.ndjson': '{}' })
  await using source = folder.source()
  expect(await source.lag([...folder.committed.values()])).toEqual([
    { name: 'a.ndjson', partition: 0, behind: 5, unit: 'bytes' },
    { name: 'b.ndjson.gz', partition: 0, behind: 0, unit: 'bytes' },
    { name: 'c.ndjson', partition: 0, behind: 2, unit: 'bytes' },
  ])
})

const NEVER = new AbortController().signal
