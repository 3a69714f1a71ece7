import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Folder } from '../sources/files/folder.ts'
import { tidemark } from './captured.ts'

const FLOWS = `
store: { sqlite: t.db }
flows:
  - target: prices
    source: { snapshots: 'extracts/*.csv', version: { file_name: '(\\d+)\\.csv$', type: integer } }
    keys: sku
    columns: { price: number }
`

const MONDAY = 'sku,price,name\na,1,Ant\nb,2,Bee\nc,3,Cat\n'

/** What a plan prints for an extract that comes after Monday's. */
async function plan(extract: string, options: readonly string[] = []): Promise<string> {
  await using folder = await Folder.of({ 'flows.yaml': FLOWS, 'extracts/1.csv': MONDAY })
  const flows = join(folder.path, 'flows.yaml')
  expect((await tidemark(['run', flows])).code).toBe(0)
  await folder.put({ 'extracts/2.csv': extract })
  const { out } = await tidemark(['snapshot', 'plan', flows, ...options])
  return out.replace(/"seconds":[^,]+,"at":"[^"]+",?/, '')
}

const TUESDAY = 'sku,price,name\na,1.50,Ant\nb,4,\nd,,Dog\n'

test('a plan tells which columns would change how often, and shows rows of each kind', async () => {
  expect(await plan(TUESDAY)).toBe(`\
prices: snapshot 2: 1 inserted, 2 updated, 1 deleted, 0 unchanged
  passed      OUT_OF_ORDER_SNAPSHOT
  passed      INCOMPLETE_SNAPSHOT
  passed      NULL_KEY
  passed      DUPLICATE_KEY
  passed      ROW_OUT_OF_SCOPE
  passed      COLUMN_MISSING
  passed      EMPTY_SNAPSHOT
  passed      DELETE_THRESHOLD
  passed      CHANGE_THRESHOLD
  price would change in 2 rows
  name would change in 1 row
  update  a: price 1 → 1.5
  update  b: price 2 → 4, name Bee → ∅
  insert  d: name Dog
  delete  c: price 3, name Cat
`)
})

test('with --json a plan is an object, its values as JSON has them', async () => {
  const parsed: unknown = JSON.parse(await plan(TUESDAY, ['--json']))
  expect(parsed).toMatchObject({
    version: 2,
    rows: 3,
    columns: [
      { name: 'price', changed: 2 },
      { name: 'name', changed: 1 },
    ],
    samples: [
      { change: 'update', key: ['a'], values: [{ column: 'price', before: 1, after: 1.5 }] },
      {
        change: 'update',
        key: ['b'],
        values: [
          { column: 'price', before: 2, after: 4 },
          { column: 'name', before: 'Bee', after: null },
        ],
      },
      { change: 'insert', key: ['d'], values: [{ column: 'name', before: null, after: 'Dog' }] },
      {
        change: 'delete',
        key: ['c'],
        values: [
          { column: 'price', before: 3, after: null },
          { column: 'name', before: 'Cat', after: null },
        ],
      },
    ],
  })
})

test('what a guard refuses is told all the same', async () => {
  expect(
    (await plan('sku,price,name\n')).split('\n').filter((line) => !line.includes('passed')),
  ).toEqual([
    'prices: snapshot 2: refused, EMPTY_SNAPSHOT: it is empty and would delete 3 rows',
    '  without that: 0 inserted, 0 updated, 3 deleted, 0 unchanged',
    '  refused     EMPTY_SNAPSHOT',
    '  not judged  DELETE_THRESHOLD',
    '  not judged  CHANGE_THRESHOLD',
    '  delete  a: price 1, name Ant',
    '  delete  b: price 2, name Bee',
    '  delete  c: price 3, name Cat',
    '',
  ])
})
