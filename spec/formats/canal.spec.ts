import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'

const TABLE = {
  database: 'd',
  table: 'event',
  pkNames: ['id'],
  isDdl: false,
  es: 1683006724000,
  sqlType: { id: 4, v: 12 },
  mysqlType: { id: 'INT', v: 'VARCHAR(10)' },
  old: null,
}

function read(value: object): string[] {
  return rows('canal-json', { value: { ...TABLE, ...value } })
}

/** A value of a column by its type. */
function valueOf(mysqlType: string | null, text: string | null, sqlType = 12): string[] {
  const types = { mysqlType: mysqlType === null ? null : { c: mysqlType }, sqlType: { c: sqlType } }
  return read({ ...types, type: 'INSERT', pkNames: null, data: [{ c: text }] })
}

test('each row of a message is an image, in order', () => {
  const data = [
    { id: '2', v: 'two' },
    { id: '4', v: null },
  ]
  expect(read({ type: 'INSERT', data })).toEqual([
    "upsert (7) key id: id=2 v='two'",
    'upsert (7) key id: id=4 v=null',
  ])
})

test('an update is the new row, a deletion the last one', () => {
  expect(read({ type: 'UPDATE', data: [{ id: '2', v: 'b' }], old: [{ v: 'a' }] })).toEqual([
    "upsert (7) key id: id=2 v='b'",
  ])
  expect(read({ type: 'DELETE', data: [{ id: '2', v: 'b' }] })).toEqual([
    "delete (7) key id: id=2 v='b'",
  ])
})

test('a key that is among the old values and differs was another row, which is deleted first', () => {
  const data = [
    { id: '3', v: 'x' },
    { id: '5', v: 'y' },
  ]
  const old = [{ id: '2' }, { id: '5', v: 'z' }]
  expect(read({ type: 'UPDATE', data, old })).toEqual([
    "delete (7) key id is (3): id=2 v='x'",
    "upsert (7) key id was (2): id=3 v='x'",
    "upsert (7) key id: id=5 v='y'",
  ])
})

test('with the extension of TiDB the sequence is the commit timestamp, every digit of it', () => {
  const value = `{"type":"INSERT","pkNames":["id"],"isDdl":false,"mysqlType":{"id":"int"},
    "data":[{"id":"7"}],"_tidb":{"commitTs":467257846263971855}}`
  expect(rows('canal-json', { value })).toEqual(['upsert (467257846263971855n) key id: id=7'])
})

test('watermarks, marks of the binlog and definitions are ignored', () => {
  expect(read({ type: 'TIDB_WATERMARK', data: null, _tidb: { watermarkTs: 4 } })).toEqual([
    'ignored: TiDB watermark',
  ])
  expect(read({ type: 'GTID', data: null })).toEqual(['ignored: GTID'])
  expect(read({ type: 'ALTER', isDdl: true, data: null })).toEqual(['ignored: DDL (ALTER)'])
  expect(read({ type: 'QUERY', isDdl: true, table: '', data: null })).toEqual([
    'ignored: DDL (QUERY)',
  ])
  expect(read({ type: 'INSERT', data: [] })).toEqual(['ignored: message without rows'])
})

test('the truncation of a table is one', () => {
  expect(read({ type: 'TRUNCATE', isDdl: true, data: null })).toEqual(['truncate (7):'])
})

test('a statement where rows should be is refused', () => {
  expect(read({ type: 'QUERY', data: null, sql: 'UPDATE t SET a = 1' })).toEqual([
    'ENVELOPE a statement instead of rows: the binlog has to be in ROW format',
  ])
})

test('numbers are exact, whatever their size', () => {
  expect(valueOf('bigint(20) unsigned', '18446744073709551615')).toEqual([
    'upsert (7): c=18446744073709551615n',
  ])
  expect(valueOf('decimal(30,20)', '0.12345678901234567890')).toEqual([
    'upsert (7): c=decimal(0.1234567890123456789)',
  ])
  expect(valueOf('double', '1.5e3')).toEqual(['upsert (7): c=1500'])
  expect(valueOf('bit(8)', '5')).toEqual(['upsert (7): c=5'])
  expect(valueOf('year', '2024')).toEqual(['upsert (7): c=2024'])
})

test('binary columns have one character per byte', () => {
  expect(valueOf('varbinary(16)', '\u0005<&ÿþ-')).toEqual(['upsert (7): c=bytes(053c26fffe2d)'])
  expect(valueOf('blob', '')).toEqual(['upsert (7): c=bytes()'])
  expect(valueOf('blob', 'Ā')).toEqual(['COLUMN_TYPE column "c": \'Ā\' is not bytes'])
})

test('dates and times have no zone', () => {
  expect(valueOf('date', '2024-02-29')).toEqual(['upsert (7): c=date(2024-02-29)'])
  expect(valueOf('datetime(6)', '2024-02-29 10:00:00.120000')).toEqual([
    'upsert (7): c=local_timestamp(2024-02-29T10:00:00.12)',
  ])
  expect(valueOf('timestamp', '2024-02-29 10:00:00')).toEqual([
    'upsert (7): c=local_timestamp(2024-02-29T10:00:00)',
  ])
  expect(valueOf('time(3)', '10:00:00.120')).toEqual(['upsert (7): c=time(10:00:00.12)'])
})

test('a time may be negative and longer than a day', () => {
  expect(valueOf('time', '-838:59:59')).toEqual(['upsert (7): c=time(-838:59:59)'])
  expect(valueOf('time', 'noon')).toEqual(['COLUMN_TYPE column "c": \'noon\' is not a time'])
})

test('a date of zeros is refused, and named with its column', () => {
  expect(valueOf('date', '0000-00-00')).toEqual([
    `COLUMN_TYPE column "c": '0000-00-00' is not a calendar date`,
  ])
  expect(valueOf('datetime', '0000-00-00 00:00:00')).toEqual([
    `COLUMN_TYPE column "c": '0000-00-00 00:00:00' is not a calendar date and time`,
  ])
})

test('JSON is nested, and every other type is text', () => {
  expect(valueOf('json', '{"b": 1, "a": [2]}')).toEqual(['upsert (7): c=json({"a":[2],"b":1})'])
  expect(valueOf("enum('a','b')", 'a', 4)).toEqual(["upsert (7): c='a'"])
  expect(valueOf('set', '3', -7)).toEqual(["upsert (7): c='3'"])
  expect(valueOf('varchar(3)', '12')).toEqual(["upsert (7): c='12'"])
})

test('the type of JDBC is asked where that of MySQL is missing or unknown', () => {
  expect(valueOf(null, '12', -5)).toEqual(['upsert (7): c=12'])
  expect(valueOf('geometry', '\u0001', 2004)).toEqual(['upsert (7): c=bytes(01)'])
  expect(valueOf(null, '2024-01-02', 91)).toEqual(['upsert (7): c=date(2024-01-02)'])
  expect(valueOf(null, '12', 12)).toEqual(["upsert (7): c='12'"])
})

test('a value that JSON spells as a number is that number', () => {
  expect(read({ type: 'INSERT', data: [{ id: 1, v: 'one' }] })).toEqual([
    "upsert (7) key id: id=1 v='one'",
  ])
})

test('the time is that of the source, and expressions read operation, database and table', () => {
  const value = { ...TABLE, type: 'UPDATE', data: [{ id: '2', v: 'b' }], old: [{ v: 'a' }] }
  expect(details('canal-json', { value })).toBe(
    "time timestamp(2023-05-02T05:52:04Z) · before v='a' · _op='UPDATE' _db='d' _table='event' _ts_ms=1683006724000",
  )
})

test('an old value that is none of its type does not stand in the way of the new one', () => {
  const mysqlType = { id: 'int', v: 'date' }
  expect(
    read({
      type: 'UPDATE',
      mysqlType,
      data: [{ id: '2', v: '2024-01-02' }],
      old: [{ v: '0000-00-00' }],
    }),
  ).toEqual(['upsert (7) key id: id=2 v=date(2024-01-02)'])
})

test('an unknown type, and rows that are none, are refused', () => {
  expect(read({ type: 'MERGE', data: [] })).toEqual(['ENVELOPE unknown type "MERGE"'])
  expect(read({ type: 'INSERT', data: null })).toEqual(['ENVELOPE "data" is no list of rows'])
  expect(read({ type: 'INSERT', data: ['x'] })).toEqual(['ENVELOPE row 1 of "data" is no object'])
  expect(read({ data: [] })).toEqual(['ENVELOPE the record has no "type"'])
})
