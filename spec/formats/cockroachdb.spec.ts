import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'

const UPDATED = '1701102311425045162.0000000010'

function read(value: unknown, key: unknown = [1]): string[] {
  return rows('cockroachdb-json', { key, value })
}

test('a row is ordered by both parts of its clock, as integers', () => {
  expect(read({ after: { id: 1, v: 'b' }, key: [1], updated: UPDATED })).toEqual([
    "upsert (1701102311425045162n, 10) = (1): id=1 v='b'",
  ])
})

test('a null "after" is a deletion of the key, whose values have no names', () => {
  expect(read({ after: null, updated: UPDATED }, [5, 'x'])).toEqual([
    "delete (1701102311425045162n, 10) = (5, 'x'):",
  ])
})

test('a deletion with "before" is the row it was', () => {
  expect(read({ after: null, before: { id: 5, v: 'x' }, key: [5], updated: UPDATED })).toEqual([
    "delete (1701102311425045162n, 10) = (5): id=5 v='x'",
  ])
})

test('resolved timestamps are ignored', () => {
  expect(read({ resolved: '1701102600000000000.0000000000' }, null)).toEqual([
    'ignored: resolved timestamp',
  ])
})

test('without "updated" the clock is that of the storage, and without both there is none', () => {
  expect(read({ after: { id: 1 }, mvcc_timestamp: '5.0000000001' })).toEqual([
    'upsert (5, 1) = (1): id=1',
  ])
  expect(read({ after: { id: 1 } })).toEqual(['upsert = (1): id=1'])
})

test('a clock that is none is refused', () => {
  expect(read({ after: { id: 1 }, updated: 1.5 })).toEqual([
    'ENVELOPE "updated" is no timestamp of the cluster',
  ])
})

const ENRICHED = {
  after: { id: 1, v: 'b' },
  key: { id: 1 },
  op: 'u',
  source: {
    database_name: 'db',
    schema_name: 'public',
    table_name: 't',
    primary_keys: ['id'],
    ts_hlc: UPDATED,
  },
  ts_ns: 1747243394886231000,
}

test('the enriched envelope names its key, with the schema block or without', () => {
  const drawn = ["upsert (1701102311425045162n, 10) key id = (1): id=1 v='b'"]
  expect(read(ENRICHED)).toEqual(drawn)
  expect(read({ payload: ENRICHED, schema: { type: 'struct' } })).toEqual(drawn)
})

test('a deletion in the enriched envelope is the named key', () => {
  expect(read({ ...ENRICHED, after: null, op: 'd' })).toEqual([
    'delete (1701102311425045162n, 10) key id = (1): id=1',
  ])
})

test('a message without a value is a tombstone of the key', () => {
  expect(read(null, [5])).toEqual(['tombstone = (5):'])
  expect(read(null, { id: 5 })).toEqual(['tombstone key id = (5): id=5'])
  expect(read(null, null)).toEqual(['ignored: message without value and key'])
})

test('the time is the clock, and expressions read operation, table and source', () => {
  expect(details('cockroachdb-json', { value: { ...ENRICHED, source: { ts_hlc: '1.0' } } })).toBe(
    `time timestamp(1970-01-01T00:00:00.000000001Z) · _op='u' _source=json({"ts_hlc":"1.0"})`,
  )
  expect(
    details('cockroachdb-json', {
      value: { after: { id: 1, v: 'b' }, before: { id: 1, v: 'a' }, updated: UPDATED, topic: 't' },
    }),
  ).toBe("time timestamp(2023-11-27T16:25:11.425045162Z) · before id=1 v='a' · _table='t'")
})

test('other envelopes and operations are refused', () => {
  expect(read({ id: 1, v: 'b' })).toEqual([
    'ENVELOPE the record has no "after": the envelope has to be wrapped or enriched',
  ])
  expect(read({ ...ENRICHED, op: 'x' })).toEqual(['ENVELOPE unknown op "x"'])
  expect(read({ ...ENRICHED, after: null })).toEqual(['ENVELOPE "after" of the change is null'])
  expect(read({ after: 5, updated: UPDATED })).toEqual(['ENVELOPE "after" is no object'])
})
