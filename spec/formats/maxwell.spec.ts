import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'
import type { Given } from './feed-drawing.ts'

const KEY = { database: 'shop', table: 'e', 'pk.id': 1 }

function read(value: object | null, key: unknown = KEY): string[] {
  const given: Given = {
    key,
    value: value === null ? null : { database: 'shop', table: 'e', ts: 1477053217, ...value },
  }
  return rows('maxwell-json', given)
}

test('an insert is the row, keyed by the columns that the key of the message names', () => {
  expect(read({ type: 'insert', xid: 23396, commit: true, data: { id: 1, m: 4.2341 } })).toEqual([
    'upsert (7) key id: id=1 m=4.2341',
  ])
})

test('an update is the whole new row, and a deletion the last one', () => {
  expect(read({ type: 'update', data: { id: 1, m: 5.4 }, old: { m: 4.2 } })).toEqual([
    'upsert (7) key id: id=1 m=5.4',
  ])
  expect(read({ type: 'delete', data: { id: 1, m: 5.4 } })).toEqual([
    'delete (7) key id: id=1 m=5.4',
  ])
})

test('an update that changes the key deletes the old key first', () => {
  const key = { ...KEY, 'pk.id': 2 }
  expect(read({ type: 'update', data: { id: 2, m: 5 }, old: { id: 1 } }, key)).toEqual([
    'delete (7) key id is (2): id=1 m=5',
    'upsert (7) key id was (1): id=2 m=5',
  ])
})

test('with binlog positions the sequence is file, position and place in the transaction', () => {
  const row = { type: 'insert', position: 'master.000006:800911', data: { id: 1 } }
  expect(read({ ...row, xoffset: 3 })).toEqual(['upsert (6, 800911, 3) key id: id=1'])
  expect(read({ ...row, commit: true })).toEqual([
    'upsert (6, 800911, 9007199254740991) key id: id=1',
  ])
  expect(read(row)).toEqual(['upsert (6, 800911, 0) key id: id=1'])
})

test('a position that is none is refused', () => {
  expect(read({ type: 'insert', position: 'here', data: { id: 1 } })).toEqual([
    'ENVELOPE "position" is not a file and a position in it',
  ])
})

test('a bootstrapped row ranks below a streamed one, and its marks are ignored', () => {
  expect(read({ type: 'bootstrap-insert', data: { id: 1, txt: 'hello' } })).toEqual([
    "upsert (7) rank -1 key id: id=1 txt='hello'",
  ])
  expect(read({ type: 'bootstrap-start', data: {} }, null)).toEqual(['ignored: bootstrap-start'])
  expect(read({ type: 'bootstrap-complete', data: {} }, null)).toEqual([
    'ignored: bootstrap-complete',
  ])
})

test('definitions of tables and databases are ignored', () => {
  expect(read({ type: 'table-alter', def: {} }, null)).toEqual(['ignored: table-alter'])
  expect(read({ type: 'database-drop' }, null)).toEqual(['ignored: database-drop'])
})

test('key columns are found whatever their case, in both forms of the key and in the record', () => {
  const row = { type: 'insert', data: { Id: 1, Name: 'x' } }
  expect(read(row)).toEqual(["upsert (7) key Id: Id=1 Name='x'"])
  expect(read(row, ['shop', 'e', [{ id: 1 }]])).toEqual(["upsert (7) key Id: Id=1 Name='x'"])
  expect(read({ ...row, primary_key_columns: ['Name'] }, null)).toEqual([
    "upsert (7) key Name: Id=1 Name='x'",
  ])
  expect(read(row, null)).toEqual(["upsert (7): Id=1 Name='x'"])
})

test('a message without a value is a tombstone of the columns in its key', () => {
  expect(read(null)).toEqual(['tombstone key id: id=1'])
  expect(read(null, null)).toEqual(['ignored: message without value and key'])
})

test('numbers keep their digits, and dates of zeros their text', () => {
  const value = `{"type":"insert","data":{"id":1,"u":18446744073709551615,"d":"0000-00-00"}}`
  expect(rows('maxwell-json', { key: KEY, value })).toEqual([
    "upsert (7) key id: id=1 u=18446744073709551615n d='0000-00-00'",
  ])
})

test('the time is that of the statement, and expressions read operation, database and table', () => {
  const value = { database: 'shop', table: 'e', type: 'update', ts: 1477053217, xid: 9 }
  expect(
    details('maxwell-json', {
      key: KEY,
      value: { ...value, data: { id: 1, m: 2 }, old: { m: 1 } },
    }),
  ).toBe(
    "time timestamp(2016-10-21T12:33:37Z) · before m=1 · _op='update' _db='shop' _table='e' _tx_id=9",
  )
})

test('an unknown type, and a row without data, are refused', () => {
  expect(read({ type: 'upsert', data: { id: 1 } })).toEqual(['ENVELOPE unknown type "upsert"'])
  expect(read({ type: 'insert', data: 'encrypted' })).toEqual([
    'ENVELOPE "data" of the insert is no object',
  ])
  expect(read({ data: { id: 1 } })).toEqual(['ENVELOPE the record has no "type"'])
  expect(rows('maxwell-json', { value: [1] })).toEqual(['ENVELOPE the value is no object'])
})
