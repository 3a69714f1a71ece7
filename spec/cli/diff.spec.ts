import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { Folder } from '../sources/files/folder.ts'
import { tidemark, type Captured } from './captured.ts'

const MONDAY = 'sku,price,name\na,1,Ant\nb,2,Bee\nc,3,Cat\n'
const TUESDAY = 'sku,price,name\na,1,Ant\nb,4,Bee\nd,5,Dog\n'

/** Compares Monday's file with Tuesday's, or with another. */
async function diff(options: string, after = 'tuesday.csv'): Promise<Captured> {
  await using folder = await Folder.of({ 'monday.csv': MONDAY, 'tuesday.csv': TUESDAY })
  const files = ['monday.csv', after].map((name) => join(folder.path, name))
  return await tidemark(['diff', ...files, ...options.split(' ')])
}

test('the summary has a figure a line', async () => {
  expect(await diff('--keys sku')).toEqual({
    code: 0,
    err: '',
    out: `\
           rows
old           3
new           3
inserted      1
changed       1
deleted       1
unchanged     1
`,
  })
})

test('with --columns each column tells how often it changed', async () => {
  expect((await diff('--keys sku --columns')).out).toMatch(
    /unchanged {5}1\n\ncolumn {2}in {4}changed\nprice {3}both {8}1\nname {4}both {8}0\n$/,
  )
})

test('with --json the summary is an object', async () => {
  const { out } = await diff('--keys sku --json')
  expect(JSON.parse(out)).toEqual({
    rows: { old: 3, new: 3 },
    repeated: { old: 0, new: 0 },
    inserted: 1,
    changed: 1,
    deleted: 1,
    unchanged: 1,
  })
})

test('with --exit-code files that differ give 10, and equal ones 0', async () => {
  expect((await diff('--keys sku --exit-code')).code).toBe(10)
  expect((await diff('--keys sku --exit-code --format ndjson')).code).toBe(10)
  expect((await diff('--keys sku --exit-code', 'monday.csv')).code).toBe(0)
})

test('the change feed has new and changed rows whole, and the keys of those that are gone', async () => {
  expect((await diff('--keys sku --format ndjson')).out).toBe(`\
{"sku":"b","price":"4","name":"Bee","_op":"UPDATE"}
{"sku":"c","_op":"DELETE"}
{"sku":"d","price":"5","name":"Dog","_op":"INSERT"}
`)
})

test('lines of the feed have what --set adds, and their operation as --op-column names it', async () => {
  const { out } = await diff(
    '--keys sku,name --format ndjson --set rev=12 --set by=me --op-column do',
  )
  expect(out.split('\n')[1]).toBe('{"sku":"c","name":"Cat","do":"DELETE","rev":12,"by":"me"}')
})

test.each([
  ['', '--keys is missing: the columns that name a row'],
  ['--keys sku,sku', '--keys names "sku" more than once'],
  ['--keys sku,', '--keys needs names with commas between them: k1,k2'],
  ['--keys sku --set rev', '--set needs NAME=VALUE, not "rev"'],
  ['--keys sku --type price=dear', '"dear", given for "price", is no type'],
  [
    '--keys sku --format ndjson --op-column name',
    'the files have a column "name"; choose another with --op-column',
  ],
  ['--keys sku --format ndjson --set sku=1', '--set sku: the lines have "sku" already'],
])('the options "%s" are refused', async (options, why) => {
  const { code, out, err } = await diff(options.trim() === '' ? '--columns' : options)
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: `tidemark: USAGE: ${why}\n` })
})

test('two rows of one key exit with 3, and print nothing else', async () => {
  await using folder = await Folder.of({ 'a.csv': 'k,v\n1,1\n', 'b.csv': 'k,v\n0,1\n1,1\n1,2\n' })
  const files = ['a.csv', 'b.csv'].map((name) => join(folder.path, name))
  expect(await tidemark(['diff', ...files, '--keys', 'k', '--format', 'ndjson'])).toEqual({
    code: 3,
    out: '',
    err: 'tidemark: DUPLICATE_KEY: the new file has more than one row of the key "1"\n',
  })
})

test('the old file and then the feed make the table that the new file makes', async () => {
  const typed = 'columns: { id: integer, at: timestamp, n: number }'
  const flow = (target: string, files: string, more: string): string => `
  - { name: "${target} ${files}", target: ${target}, source: { files: ${files} }, keys: id, ${typed}, ${more} }`
  await using folder = await Folder.of({
    'old.csv': 'id,at,n,s\n1,2024-01-01T00:00:00Z,1.50,x\n2,2024-01-02T00:00:00Z,,y\n3,,3,z\n',
    'new.csv':
      'id,at,n,s\n1,2024-01-01T01:00:00+01:00,1.5,x\n3,2024-01-03T00:00:00Z,,\n4,,1e3,""\n',
    'flows.yaml': `
store: { sqlite: t.db }
flows:${flow('fed', 'old.csv', 'sequence_by: { expr: "1", type: integer }, except_column_list: [_op, rev]')}${flow(
      'fed',
      'feed.ndjson',
      `sequence_by: { column: rev, type: integer }, apply_as_deletes: "_op = 'DELETE'", except_column_list: [_op, rev]`,
    )}${flow('fresh', 'new.csv', 'sequence_by: { expr: "1", type: integer }')}
`,
  })
  const [before, after, flows] = ['old.csv', 'new.csv', 'flows.yaml'].map((name) =>
    join(folder.path, name),
  )
  const types = ['id=integer', 'at=timestamp', 'n=number'].flatMap((type) => ['--type', type])
  const feed = ['--format', 'ndjson', '--set', 'rev=2']
  const made = await tidemark(['diff', `${before}`, `${after}`, '--keys', 'id', ...types, ...feed])
  await folder.put({ 'feed.ndjson': made.out })
  expect(made.out.split('\n').length - 1).toBe(3)

  expect((await tidemark(['run', `${flows}`])).code).toBe(0)
  const rows = async (target: string): Promise<string> =>
    (await tidemark(['show', `${flows}`, target, '--format', 'ndjson'])).out
  expect(await rows('fed')).toBe(await rows('fresh'))
})

test('a file whose name does not say what is in it is read as --read-as says', async () => {
  await using folder = await Folder.of({ a: 'k,v\n1,1\n', b: 'k,v\n1,2\n' })
  const [a = '', b = ''] = ['a', 'b'].map((name) => join(folder.path, name))
  expect(await tidemark(['diff', a, b, '--keys', 'k'])).toEqual({
    code: 2,
    out: '',
    err: `tidemark: USAGE: the name of ${relative('.', a)} does not say what is in it; add --read-as ndjson, json, csv or parquet\n`,
  })
  const read = await tidemark(['diff', a, b, '--keys', 'k', '--read-as', 'csv', '--json'])
  expect(JSON.parse(read.out)).toMatchObject({ changed: 1 })
})
