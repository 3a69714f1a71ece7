import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { diffFiles, jsonText, TidemarkError } from '../src/index.ts'
import type { DiffFilesOptions, FileChange } from '../src/index.ts'
import { Folder } from './sources/files/folder.ts'

/** What differs between two files: a line per change, and the counts. */
async function difference(
  files: Readonly<Record<string, string | Buffer>>,
  options: Partial<DiffFilesOptions> = {},
): Promise<readonly string[]> {
  await using folder = await Folder.of(files)
  const [before = '', after = ''] = Object.keys(files)
  try {
    using diff = await diffFiles(before, after, { keys: ['id'], base: folder.path, ...options })
    const { inserted, changed, deleted, unchanged } = diff.summary
    return [
      ...Array.from(diff.changes(), draw),
      `+${inserted} ~${changed} -${deleted} =${unchanged}`,
    ]
  } catch (error) {
    if (error instanceof TidemarkError) return [error.message]
    throw error
  }
}

function draw({ op, key, before, after }: FileChange): string {
  const cells = (values: FileChange['before']) => values?.map(jsonText).join() ?? 'nothing'
  return `${op} ${key.map(jsonText).join()}: ${cells(before)} → ${cells(after)}`
}

test('rows are inserted, changed and deleted by key, in any order of the files', async () => {
  expect(
    await difference({
      'old.ndjson': '{"id":3,"v":"c"}\n{"id":1,"v":"a"}\n{"id":2,"v":"b"}\n',
      'new.ndjson': '{"id":4,"v":"d"}\n{"id":3,"v":"c"}\n{"id":1,"v":"z"}\n',
    }),
  ).toEqual([
    'update 1: "a" → "z"',
    'delete 2: "b" → nothing',
    'insert 4: nothing → "d"',
    '+1 ~1 -1 =1',
  ])
})

test('the formats of the two files may differ, and one may be packed', async () => {
  expect(
    await difference({
      'old.csv.gz': gzipSync('id,v\na,x\nb,y\n'),
      'new.json': '[{"v":"y","id":"b"},{"v":"x","id":"a"}]',
    }),
  ).toEqual(['+0 ~0 -0 =2'])
})

test('values are compared by type and content', async () => {
  const before = [
    '{"id":1,"v":1.10}',
    '{"id":2,"v":1}',
    '{"id":3,"v":null}',
    '{"id":4,"v":""}',
    '{"id":5,"v":{"a":1,"b":2}}',
    '{"id":6,"v":9007199254740993}',
    '{"id":7,"v":[1,2]}',
    '{"id":8,"v":-0}',
  ]
  const after = [
    '{"id":1.0,"v":1.1}',
    '{"id":2,"v":"1"}',
    '{"id":3}',
    '{"id":4,"v":null}',
    '{"id":5,"v":{"b":2,"a":1.0}}',
    '{"id":6,"v":9007199254740992}',
    '{"id":7,"v":[2,1]}',
    '{"id":8,"v":0}',
  ]
  expect(
    await difference({ 'old.ndjson': before.join('\n'), 'new.ndjson': after.join('\n') }),
  ).toEqual([
    'update 2: 1 → "1"',
    'update 4: "" → null',
    'update 6: 9007199254740993 → 9007199254740992',
    'update 7: [1,2] → [2,1]',
    '+0 ~4 -0 =4',
  ])
})

test('a column that is declared has its type in both files', async () => {
  const files = { 'old.csv': 'id,n\n1,1.50\n2,7\n', 'new.ndjson': '{"id":1,"n":1.5}' }
  expect(await difference(files, { types: { id: 'integer', n: 'decimal' } })).toEqual([
    'delete 2: 7 → nothing',
    '+0 ~0 -1 =1',
  ])
  expect(await difference(files, { types: { n: 'boolean' } })).toEqual([
    'COLUMN_TYPE: "n" is "1.50", which is no boolean (old.csv:1)',
  ])
})

test('a key of several columns is compared part by part', async () => {
  expect(
    await difference(
      {
        'old.ndjson': '{"a":"x,","b":"y","v":1}\n{"a":"1","b":1,"v":1}',
        'new.ndjson': '{"a":"x","b":",y","v":1}\n{"a":"1","b":1,"v":2}',
      },
      { keys: ['a', 'b'] },
    ),
  ).toEqual([
    'update "1",1: 1 → 2',
    'insert "x",",y": nothing → 1',
    'delete "x,","y": 1 → nothing',
    '+1 ~1 -1 =0',
  ])
})

test('equal rows of one key count once, different ones are refused', async () => {
  const other = '{"id":1,"v":1}\n'
  expect(
    await difference({ 'old.ndjson': '{"id":1,"v":1}\n{"v":1.0,"id":1}', 'new.ndjson': other }),
  ).toEqual(['+0 ~0 -0 =1'])
  expect(
    await difference({ 'old.ndjson': other, 'new.ndjson': '{"id":1,"v":1}\n{"id":1,"v":2}' }),
  ).toEqual(['DUPLICATE_KEY: the new file has more than one row of the key 1'])
})

test.each(['old', 'new'])(
  'a key twice in the %s file is told while both have more rows',
  async (side) => {
    const twice = '{"id":1,"v":1}\n{"id":1,"v":2}\n{"id":2}\n'
    const once = '{"id":1,"v":1}\n{"id":2}\n{"id":3}\n'
    const files = side === 'old' ? [twice, once] : [once, twice]
    expect(await difference({ 'a.ndjson': files[0] ?? '', 'b.ndjson': files[1] ?? '' })).toEqual([
      `DUPLICATE_KEY: the ${side} file has more than one row of the key 1`,
    ])
  },
)

test('a row without its key, or that cannot be read, stops the comparison', async () => {
  expect(await difference({ 'old.ndjson': '\n{"v":1}', 'new.ndjson': '' })).toEqual([
    'NULL_KEY: the key column "id" is null or missing (old.ndjson:2)',
  ])
  expect(await difference({ 'old.ndjson': '', 'new.ndjson': '{"id":1,' })).toEqual([
    expect.stringMatching(/^UNDECODABLE: .* \(new\.ndjson:1\)$/),
  ])
  expect(
    await difference({ 'old.csv.gz': gzipSync('id\n1\n').subarray(0, -9), 'new.csv': 'id\n1\n' }),
  ).toEqual([expect.stringMatching(/^FILE_BROKEN: old\.csv\.gz /)])
})

test('a file that is not there is named', async () => {
  await using folder = await Folder.of({ 'old.csv': 'id\n' })
  const options = { keys: ['id'], base: folder.path }
  await expect(diffFiles('old.csv', 'gone.csv', options)).rejects.toThrow(/^NOT_FOUND: .*gone\.csv/)
  await expect(diffFiles('*.csv', '*.json', options)).rejects.toThrow(/^NOT_FOUND: .*\*\.json/)
})

test('each column tells which files have it and how many changed rows it differs in', async () => {
  await using folder = await Folder.of({
    'old.ndjson': '{"id":1,"a":1,"b":1,"c":1}\n{"id":2,"a":1,"b":1,"c":null}\n{"id":3,"c":4}',
    'new.ndjson': '{"id":1,"a":2,"b":1,"d":1}\n{"id":2,"a":2,"b":2,"d":null}\n{"id":4,"d":4}',
  })
  using diff = await diffFiles('old.ndjson', 'new.ndjson', { keys: ['id'], base: folder.path })
  expect(diff.summary).toEqual({
    rows: { old: 3, new: 3 },
    repeated: { old: 0, new: 0 },
    inserted: 1,
    changed: 2,
    deleted: 1,
    unchanged: 0,
    columns: [
      { name: 'a', within: 'both', changed: 2 },
      { name: 'b', within: 'both', changed: 1 },
      { name: 'c', within: 'old', changed: 1 },
      { name: 'd', within: 'new', changed: 1 },
    ],
  })
})
