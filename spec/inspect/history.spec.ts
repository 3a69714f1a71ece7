import { expect, test } from 'vitest'
import { encodeSequence } from '../../src/core/sequence.ts'
import { Kept } from './kept.ts'

const SCD2 = { stored_as_scd_type: 2 }

test('the life of a key is its events in order and the rows that they make', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann', city: 'Oslo' }, { id: 2, s: 6, name: 'Cyd' })
  kept.feed({ id: 1, s: 12, op: 'D' })
  const names = ['id', 'name', 'city']
  const ann = { names, values: [1, 'Ann', 'Oslo'] }
  expect(kept.life({ id: 1 })).toEqual({
    target: {
      name: 't',
      kind: 2,
      keys: ['id'],
      columns: names,
      systemColumns: ['__START_AT', '__END_AT'],
    },
    key: { names: ['id'], values: [1] },
    events: [
      {
        op: 'upsert',
        sequence: 5,
        order: orderOf(5),
        origin: 'feed/a.ndjson:1',
        flow: 'f0',
        commit: 1,
        written: 'all',
        row: ann,
      },
      {
        op: 'delete',
        sequence: 12,
        order: orderOf(12),
        origin: 'feed/a.ndjson:3',
        flow: 'f0',
        commit: 2,
        written: 'all',
        row: null,
      },
    ],
    versions: [
      {
        startAt: 5,
        endAt: 12,
        startTime: null,
        endTime: null,
        systemStartAt: null,
        systemEndAt: null,
        order: {
          startAt: orderOf(5),
          endAt: orderOf(12),
          systemStartAt: null,
          systemEndAt: null,
        },
        row: ann,
        writers: {
          id: 'feed/a.ndjson:1',
          name: 'feed/a.ndjson:1',
          city: 'feed/a.ndjson:1',
        },
      },
    ],
  })
})

test('events are told in the order of their sequence, whenever they came', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 9, name: 'Bob' }).feed({ id: 1, s: 3, name: 'Ann' })
  expect(kept.events({ id: 1 })).toEqual([
    'upsert 3 at feed/a.ndjson:2 by f0 in 2 wrote all: id=1 name=Ann',
    'upsert 9 at feed/a.ndjson:1 by f0 in 1 wrote all: id=1 name=Bob',
  ])
})

test('a partial event names what it wrote, and its row what others had written', () => {
  using kept = new Kept({ ...SCD2, missing_columns: 'keep' })
  kept.feed(
    { id: 1, s: 1, name: 'Ann', city: 'Oslo' },
    { id: 1, s: 4, city: 'Rome' },
    { id: 1, s: 6 },
  )
  expect(kept.events({ id: 1 })).toEqual([
    'upsert 1 at feed/a.ndjson:1 by f0 in 1 wrote [id name city]: id=1 name=Ann city=Oslo',
    'upsert 4 at feed/a.ndjson:2 by f0 in 1 wrote [id city]: id=1 name=Ann city=Rome',
    'upsert 6 at feed/a.ndjson:3 by f0 in 1 wrote [id]: id=1 name=Ann city=Rome',
  ])
  expect(kept.versions({ id: 1 })).toEqual([
    '[1, 4) name=Ann (feed/a.ndjson:1) city=Oslo (feed/a.ndjson:1)',
    '[4, ∞) name=Ann (feed/a.ndjson:1) city=Rome (feed/a.ndjson:2)',
  ])
})

test('a late partial event becomes the writer of every later row that shows its value', () => {
  using kept = new Kept({ ...SCD2, missing_columns: 'keep' })
  kept.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 9, city: 'Rome' })
  kept.feed({ id: 1, s: 5, name: 'Bob' })
  expect(kept.versions({ id: 1 })).toEqual([
    '[1, 5) name=Ann (feed/a.ndjson:1) city=Oslo (feed/a.ndjson:1)',
    '[5, 9) name=Bob (feed/a.ndjson:3) city=Oslo (feed/a.ndjson:1)',
    '[9, ∞) name=Bob (feed/a.ndjson:3) city=Rome (feed/a.ndjson:2)',
  ])
})

test('what was written before a deletion is forgotten', () => {
  using kept = new Kept({ ...SCD2, missing_columns: 'keep' })
  kept.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 2, op: 'D' })
  kept.feed({ id: 1, s: 3, city: 'Rome' })
  expect(kept.versions({ id: 1 })).toEqual([
    '[1, 2) name=Ann (feed/a.ndjson:1) city=Oslo (feed/a.ndjson:1)',
    '[3, ∞) name=∅ (nobody) city=Rome (feed/a.ndjson:3)',
  ])
})

test('a truncate that ended the key is one of its events, any other is not', () => {
  using kept = new Kept(SCD2)
  kept.feed({ op: 'T', s: 1 }, { id: 1, s: 2, name: 'Ann' }, { op: 'T', s: 4 }, { op: 'T', s: 6 })
  kept.feed({ id: 2, s: 7, name: 'Bob' })
  expect(kept.events({ id: 1 })).toEqual([
    'upsert 2 at feed/a.ndjson:2 by f0 in 1 wrote all: id=1 name=Ann',
    'truncate 4 at feed/a.ndjson:3 by f0 in 1 wrote all: no row',
  ])
  expect(kept.events({ id: 2 })).toEqual([
    'upsert 7 at feed/a.ndjson:5 by f0 in 2 wrote all: id=2 name=Bob',
  ])
})

test('a truncate that reaches its own flow only leaves the keys of others', () => {
  using kept = new Kept({ ...SCD2, reach: 'flow' }, { ...SCD2, reach: 'flow' })
  const file = { name: 'other.ndjson', partition: 0 }
  kept.feed({ id: 1, s: 1, name: 'Ann' })
  kept.feedFrom('f1', file, { id: 2, s: 2, name: 'Bob' }, { op: 'T', s: 3 })
  expect(kept.events({ id: 1 })).toEqual([
    'upsert 1 at feed/a.ndjson:1 by f0 in 1 wrote all: id=1 name=Ann',
  ])
  expect(kept.events({ id: 2 })).toEqual([
    'upsert 2 at other.ndjson:1 by f1 in 2 wrote all: id=2 name=Bob',
    'truncate 3 at other.ndjson:2 by f1 in 2 wrote all: no row',
  ])
})

test('what was written before a truncate is forgotten only where it ended the key', () => {
  const own = { ...SCD2, reach: 'flow', missing_columns: 'keep' }
  using kept = new Kept(own, own)
  const file = { name: 'other.ndjson', partition: 0 }
  kept.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 2, s: 1, name: 'Bob', city: 'Oslo' })
  kept.feedFrom('f1', file, { id: 2, s: 2, city: 'Rome' }, { op: 'T', s: 3 })
  kept.feed({ id: 1, s: 5, city: 'Bern' }, { id: 2, s: 5, city: 'Bern' })
  expect(kept.versions({ id: 1 }).slice(1)).toEqual([
    '[5, ∞) name=Ann (feed/a.ndjson:1) city=Bern (feed/a.ndjson:3)',
  ])
  expect(kept.versions({ id: 2 }).slice(2)).toEqual([
    '[5, ∞) name=∅ (nobody) city=Bern (feed/a.ndjson:4)',
  ])
})

test('an event of a topic is named by partition and offset', () => {
  using kept = new Kept(SCD2)
  kept.feedFrom('f0', { name: 'users', partition: 3 }, { id: 1, s: 1, name: 'Ann' })
  expect(kept.events({ id: 1 })).toEqual([
    'upsert 1 at users[3]:1 by f0 in 1 wrote all: id=1 name=Ann',
  ])
})

test('events at one sequence are all told, and only the last one made a row', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 1, name: 'Ann' }, { id: 1, s: 1, name: 'Bob' })
  expect(kept.events({ id: 1 })).toEqual([
    'upsert 1 at feed/a.ndjson:1 by f0 in 1 wrote all: id=1 name=Ann',
    'upsert 1 at feed/a.ndjson:2 by f0 in 1 wrote all: id=1 name=Bob',
  ])
  expect(kept.versions({ id: 1 })).toEqual(['[1, ∞) name=Bob (feed/a.ndjson:2)'])
})

test('a version that events have merged into shows what the last of them wrote', () => {
  using kept = new Kept({ ...SCD2, track_history_except_column_list: ['city'] })
  kept.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 4, name: 'Ann', city: 'Rome' })
  expect(kept.versions({ id: 1 })).toEqual([
    '[1, ∞) name=Ann (feed/a.ndjson:2) city=Rome (feed/a.ndjson:2)',
  ])
})

test('the times of a version are those of the events that open and end it', () => {
  using kept = new Kept({ ...SCD2, time_by: 'day' })
  kept.feed({ id: 1, s: 1, day: '2026-01-01' }, { id: 1, s: 2, day: '2026-02-01', op: 'D' })
  expect(
    kept.life({ id: 1 }).versions.map(({ startTime, endTime }) => [startTime, endTime]),
  ).toEqual([['2026-01-01', '2026-02-01']])
})

test('only columns of the target are told', () => {
  using kept = new Kept({ ...SCD2, column_list: ['name'], except_column_list: null })
  kept.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' })
  expect(kept.versions({ id: 1 })).toEqual(['[1, ∞) name=Ann (feed/a.ndjson:1)'])
})

test('a bitemporal life tells what is believed, and then what once was', () => {
  using kept = new Kept({ stored_as_scd_type: 'bitemporal' })
  kept.feed({ id: 1, s: 1, name: 'Ann' }).feed({ id: 1, s: 7, name: 'Cyd' })
  kept.feed({ id: 1, s: 4, name: 'Bob' })
  expect(kept.versions({ id: 1 })).toEqual([
    '[1, 4) known [3, ∞) name=Ann (feed/a.ndjson:1)',
    '[4, 7) known [3, ∞) name=Bob (feed/a.ndjson:3)',
    '[7, ∞) known [2, ∞) name=Cyd (feed/a.ndjson:2)',
    '[1, ∞) known [1, 2) name=Ann (feed/a.ndjson:1)',
    '[1, 7) known [2, 3) name=Ann (feed/a.ndjson:1)',
  ])
})

test('a row that is no longer believed names the writers that were known then', () => {
  using kept = new Kept({ stored_as_scd_type: 'bitemporal', missing_columns: 'keep' })
  kept.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 9, city: 'Rome' })
  kept.feed({ id: 1, s: 5, name: 'Bob' })
  expect(kept.versions({ id: 1 })).toEqual([
    '[1, 5) known [2, ∞) name=Ann (feed/a.ndjson:1) city=Oslo (feed/a.ndjson:1)',
    '[5, 9) known [2, ∞) name=Bob (feed/a.ndjson:3) city=Oslo (feed/a.ndjson:1)',
    '[9, ∞) known [2, ∞) name=Bob (feed/a.ndjson:3) city=Rome (feed/a.ndjson:2)',
    '[1, 9) known [1, 2) name=Ann (feed/a.ndjson:1) city=Oslo (feed/a.ndjson:1)',
    '[9, ∞) known [1, 2) name=Ann (feed/a.ndjson:1) city=Rome (feed/a.ndjson:2)',
  ])
})

test('where system time comes from the data, so does what was known then', () => {
  using kept = new Kept({
    stored_as_scd_type: 'bitemporal',
    system_sequence_by: 'y',
    except_column_list: ['s', 'op', 'y'],
    missing_columns: 'keep',
  })
  kept.feed({ id: 1, s: 5, y: 30, name: 'Bob' })
  kept.feed({ id: 1, s: 1, y: 10, name: 'Ann', city: 'Oslo' }, { id: 1, s: 9, y: 20, city: 'Rome' })
  expect(kept.versions({ id: 1 }).slice(3)).toEqual([
    '[1, ∞) known [10, 20) name=Ann (feed/a.ndjson:2) city=Oslo (feed/a.ndjson:2)',
    '[1, 9) known [20, 30) name=Ann (feed/a.ndjson:2) city=Oslo (feed/a.ndjson:2)',
    '[9, ∞) known [20, 30) name=Ann (feed/a.ndjson:2) city=Rome (feed/a.ndjson:3)',
  ])
})

test('SCD type 1 keeps the event of the current row', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 1, name: 'Ann' }, { id: 1, s: 4, name: 'Bob' })
  expect(kept.events({ id: 1 })).toEqual([
    'upsert 4 at feed/a.ndjson:2 by f0 in 1 wrote all: id=1 name=Bob',
  ])
  expect(kept.versions({ id: 1 })).toEqual(['[∞, ∞) name=Bob (feed/a.ndjson:2)'])
})

test('SCD type 1 keeps the deletion of a row', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 1, name: 'Ann' }).feed({ id: 1, s: 4, op: 'D' })
  expect(kept.events({ id: 1 })).toEqual([
    'delete 4 at feed/a.ndjson:2 by f0 in 2 wrote all: no row',
  ])
  expect(kept.versions({ id: 1 })).toEqual([])
})

test('SCD type 1 of columns with writers of their own names each of them', () => {
  using kept = new Kept({ missing_columns: 'keep' })
  kept.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 4, city: 'Rome' })
  kept.feed({ id: 2, s: 5, city: 'Bern' })
  expect(kept.events({ id: 1 })).toEqual([
    'upsert 4 at feed/a.ndjson:2 by f0 in 1 wrote [id city]: id=1 name=Ann city=Rome',
  ])
  expect(kept.versions({ id: 1 })).toEqual([
    '[∞, ∞) name=Ann (feed/a.ndjson:1) city=Rome (feed/a.ndjson:2)',
  ])
  expect(kept.versions({ id: 2 })).toEqual(['[∞, ∞) name=∅ (nobody) city=Bern (feed/a.ndjson:3)'])
})

test('of an object that merged, the latest writer of any leaf is named', () => {
  using kept = new Kept({ ignore_null_updates: true })
  kept.feed({ id: 1, s: 1, info: { a: 1 } }, { id: 1, s: 9, name: 'Ann' })
  kept.feed({ id: 1, s: 4, info: { b: 2 } })
  expect(kept.versions({ id: 1 })).toEqual([
    '[∞, ∞) info={"a":1,"b":2} (feed/a.ndjson:3) name=Ann (feed/a.ndjson:2)',
  ])
})

test('SCD type 1 keeps a deletion of columns with writers of their own', () => {
  using kept = new Kept({ missing_columns: 'keep' })
  kept.feed({ id: 1, s: 1, name: 'Ann' }, { id: 1, s: 4, op: 'D' })
  expect(kept.events({ id: 1 })).toEqual([
    'delete 4 at feed/a.ndjson:2 by f0 in 1 wrote all: no row',
  ])
})

test('SCD type 1 that keeps the whole timeline shows the current row alone', () => {
  using kept = new Kept({ reach: 'flow' })
  kept.feed({ id: 1, s: 1, name: 'Ann' }, { id: 1, s: 4, name: 'Bob' })
  expect(kept.events({ id: 1 })).toEqual([
    'upsert 1 at feed/a.ndjson:1 by f0 in 1 wrote all: id=1 name=Ann',
    'upsert 4 at feed/a.ndjson:2 by f0 in 1 wrote all: id=1 name=Bob',
  ])
  expect(kept.versions({ id: 1 })).toEqual(['[∞, ∞) name=Bob (feed/a.ndjson:2)'])
})

test('a column may have any name', () => {
  using kept = new Kept({ missing_columns: 'keep' })
  kept.feed({ id: 1, s: 1, ['__proto__']: 'Ann' })
  expect(kept.versions({ id: 1 })).toEqual(['[∞, ∞) __proto__=Ann (feed/a.ndjson:1)'])
})

test.each([
  ['SCD type 1', {}],
  ['SCD type 1, columns with writers of their own', { missing_columns: 'keep' }],
  ['SCD type 2', SCD2],
  ['bitemporal', { stored_as_scd_type: 'bitemporal' }],
])('a key of which nothing is known has no life: %s', (_, options) => {
  using kept = new Kept(options)
  kept.feed({ id: 1, s: 1, name: 'Ann' }, { op: 'T', s: 0 })
  expect([kept.events({ id: 2 }), kept.versions({ id: 2 })]).toEqual([[], []])
})

function orderOf(sequence: number): string | null {
  return encodeSequence(sequence, { parts: ['number'], list: false })
}
