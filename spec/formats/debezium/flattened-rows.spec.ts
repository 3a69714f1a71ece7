import { expect, test } from 'vitest'
import { details, rows } from '../feed-drawing.ts'
import type { Given } from '../feed-drawing.ts'

function read(value: unknown, more: Partial<Given> = {}): string[] {
  return rows('debezium-json-flat', { key: { id: 1 }, value, ...more })
}

test('a row is itself, its key that of the message; without a position it is ordered by the offset', () => {
  expect(read({ id: 1, name: 'a' })).toEqual(["upsert (7) key id: id=1 name='a'"])
  expect(read({ id: 1 }, { key: null })).toEqual(['upsert (7): id=1'])
  expect(read({ id: 1, __op: 'u', __table: 't' })).toEqual(['upsert (7) key id: id=1'])
  expect(read({ id: 1, __lsn: null, __scn: 'x' })).toEqual(['upsert key id: id=1'])
})

test('fields that were added say what the envelope did, and are no columns', () => {
  const added = { __op: 'u', __source_lsn: 200, __deleted: 'false' }
  expect(read({ id: 1, name: 'a', ...added })).toEqual(["upsert (200) key id: id=1 name='a'"])
  expect(read({ id: 1, __op: 'r', __lsn: 200 })).toEqual(['upsert (200) rank -1 key id: id=1'])
  expect(read({ id: 1, __file: 'bin.000003', __pos: 90, __row: 1 })).toEqual([
    'upsert (3, 90, 1) key id: id=1',
  ])
  expect(read({ id: 1 }, { headers: { __op: 'u', __source_lsn: '200' } })).toEqual([
    'upsert (200) key id: id=1',
  ])
})

test('a row that is marked as deleted is a deletion of its key', () => {
  const row = { id: 1, name: null }
  expect([
    read({ ...row, __deleted: 'true', __lsn: 300 }),
    read({ ...row, __deleted: true, __lsn: 300 }),
    read({ ...row, __op: 'd', __lsn: 300 }),
  ]).toEqual([
    ['delete (300) key id: id=1'],
    ['delete (300) key id: id=1'],
    ['delete (300) key id: id=1'],
  ])
  expect(read({ __op: 'd', id: 1 }, { key: null })).toEqual(['delete (7): id=1'])
  expect(read({ __op: 'd' }, { key: null })).toEqual(['ENVELOPE delete without a key'])
})

test('a message without a row is a tombstone, or the deletion that its headers tell of', () => {
  const key = { schema: { type: 'struct', fields: [] }, payload: { id: 1 } }
  expect(read(null)).toEqual(['tombstone key id: id=1'])
  expect(read({ schema: null, payload: null }, { key })).toEqual(['tombstone key id: id=1'])
  expect(read(null, { headers: { __op: 'd', __source_lsn: '{"schema":{},"payload":9}' } })).toEqual(
    ['delete (9) key id: id=1'],
  )
})

test('truncates, messages of the log and control records are what they are in an envelope', () => {
  expect(read({ __op: 't', __lsn: 4 }, { key: null })).toEqual(['truncate (4):'])
  expect(read({ __op: 'm' })).toEqual(['ignored: message of the log'])
  expect(read({ ts_ms: 1 }, { key: { serverName: 'srv' } })).toEqual(['ignored: heartbeat'])
  expect(read({ ts_ms: 1 })).toEqual(['upsert (7) key id: ts_ms=1'])
  expect(read({ id: 1, __op: 'x' })).toEqual(['ENVELOPE unknown __op "x"'])
  expect(read('[]')).toEqual(['ENVELOPE the value is no object'])
})

test('values that are unavailable are named here too', () => {
  expect(read({ id: 1, bio: '__debezium_unavailable_value' })).toEqual([
    'upsert (7) key id unavailable bio: id=1 bio=null',
  ])
})

test('the time and the origin are those of the source, where they were added', () => {
  const value = {
    id: 1,
    __source_ts_ms: 1700000000000,
    __source_name: 'srv',
    __ts_ms: 5,
    __transaction_id: '7',
  }
  expect(details('debezium-json-flat', { value })).toBe(
    [
      'time timestamp(2023-11-14T22:13:20Z)',
      'origin srv',
      "_ts_ms=1700000000000 _name='srv' _connector_ts_ms=5 _tx_id='7'",
    ].join(' · '),
  )
  expect(details('debezium-json-flat', { value: { id: 1, __ts_ms: 5 } })).toBe(
    'time null · _connector_ts_ms=5',
  )
})
