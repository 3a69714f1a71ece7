import { expect, test } from 'vitest'
import { rows } from '../formats/feed-drawing.ts'
import { Workspace } from './workspace.ts'

function dumped(values: readonly object[]): string {
  const lines = values.map((value, offset) =>
    JSON.stringify({ topic: 't', offset, value: JSON.stringify(value) }),
  )
  return lines.join('\n')
}

test.each([1, 50_000])(
  'a record that does not say its key takes none with it, in batches of %i',
  async (max_batch_records) => {
    using workspace = new Workspace()
    const insert = { type: 'INSERT', data: [{ id: '1' }], mysqlType: { id: 'int' } }
    workspace.write('feed.ndjson', dumped([insert, { ...insert, pkNames: ['id'] }]))
    workspace.flows([
      {
        target: 't',
        keys: undefined,
        sequence_by: undefined,
        source: { files: 'feed.ndjson', dump: true, format: 'canal-json', max_batch_records },
      },
    ])
    const [summary] = await workspace.run()
    expect({ accepted: summary?.['accepted'], quarantined: summary?.['quarantined'] }).toEqual({
      accepted: 1,
      quarantined: 1,
    })
    expect(workspace.query('SELECT * FROM t')).toEqual([{ id: 1 }])
  },
)

test('the name of a log file may be of any length', () => {
  const source = { connector: 'mysql', file: `${'9'.repeat(200_000)}x`, pos: 4 }
  expect(rows('debezium-json', { value: { op: 'c', after: { id: 1 }, source } })).toEqual([
    'upsert: id=1',
  ])
})

function update(updatedFields: object): string[] {
  const clusterTime = { $timestamp: { t: 1, i: 1 } }
  return rows('mongodb-json', {
    value: {
      operationType: 'update',
      clusterTime,
      documentKey: { _id: 1 },
      updateDescription: { updatedFields },
    },
  })
}

test('an update of a document may name any number of members', () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `m${String(i).padStart(5, '0')}`)
  const members = names.map((name) => `"${name}":1`).join(',')
  expect(update(Object.fromEntries(names.map((name) => [`a.b.${name}`, 1])))).toEqual([
    `upsert (1, 1) key _id partial merge a: _id=1 a=json({"b":{${members}}})`,
  ])
})

test.each([129, 10_000])('a path of %i names below its column is refused', (depth) => {
  expect(update({ [`a${'.b'.repeat(depth)}`]: 1 })).toEqual([
    'ENVELOPE the update cannot be applied to columns: a path has more than 128 names; let the feed send full documents',
  ])
})

test.each([
  [{ 'a.b': 1, 'a.b.c': 2 }, 'a.b.c'],
  [{ 'a.b.c': 2, 'a.b': 1 }, 'a.b'],
  [{ a: { x: 1 }, 'a.b': 1 }, 'a.b'],
  [{ 'a.b': 1, a: { x: 1 } }, 'a'],
])('an update that writes one place twice is refused: %j', (updatedFields, path) => {
  expect(update(updatedFields)).toEqual([
    `ENVELOPE the update cannot be applied to columns: "${path}" and another path overlap; let the feed send full documents`,
  ])
})
