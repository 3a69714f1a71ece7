import { expect, test } from 'vitest'
import { canonicalText } from '../../../src/core/json.ts'
import { details, rows } from '../feed-drawing.ts'
import type { Given } from '../feed-drawing.ts'

const SOURCE = {
  version: '3.6.1.Final',
  connector: 'postgresql',
  name: 'srv',
  ts_ms: 1700000000000,
  snapshot: 'false',
  db: 'inv',
  schema: 'public',
  table: 'customers',
  txId: 500,
  lsn: 100,
}

function read(value: unknown, more: Partial<Given> = {}): string[] {
  return rows('debezium-json', { key: { id: 1 }, value, ...more })
}

function change(op: string, parts: object, source: object = {}): object {
  return { before: null, after: null, source: { ...SOURCE, ...source }, op, ts_ms: 1, ...parts }
}

test('creations and updates are the row after, ordered by the position in the log', () => {
  expect(read(change('c', { after: { id: 1, name: 'Ada' } }))).toEqual([
    "upsert (100) key id: id=1 name='Ada'",
  ])
  expect(read(change('u', { after: { id: 1, name: null } }, { lsn: 200 }))).toEqual([
    'upsert (200) key id: id=1 name=null',
  ])
})

test('a deletion has the columns of the key only: the rest of the row before may be made up', () => {
  expect(read(change('d', { before: { id: 1, name: null } }))).toEqual([
    'delete (100) key id: id=1',
  ])
})

test('without a key, a deletion has what is before', () => {
  expect(read(change('d', { before: { id: 1, n: 'a' } }), { key: null })).toEqual([
    "delete (100): id=1 n='a'",
  ])
  expect(read(change('d', { before: { id: 1 } }), { key: 'Struct{id=1}' })).toEqual([
    'delete (100): id=1',
  ])
  expect(read(change('d', {}), { key: null })).toEqual(['ENVELOPE delete without a key'])
  expect(read(change('d', {}), { key: '{' })).toEqual([
    'UNDECODABLE the key is broken JSON: expected a member name, at character 2',
  ])
})

test('rows of a snapshot come before changes at the same position, whatever their mark', () => {
  const after = { id: 1 }
  const marks = ['first', 'true', 'last_in_data_collection', 'incremental', true]
  expect(marks.map((snapshot) => read(change('r', { after }, { snapshot })))).toEqual(
    marks.map(() => ['upsert (100) rank -1 key id: id=1']),
  )
  expect(read(change('c', { after }, { snapshot: 'true' }))).toEqual([
    'upsert (100) rank -1 key id: id=1',
  ])
  expect(read(change('c', { after }, { snapshot: false }))).toEqual(['upsert (100) key id: id=1'])
})

test('a truncate has no row, and the place of one', () => {
  expect(read(change('t', {}), { key: null })).toEqual(['truncate (100):'])
})

test('a tombstone is a message without a value, or with a schema and no payload', () => {
  expect(read(null)).toEqual(['tombstone key id: id=1'])
  expect(read({ schema: null, payload: null })).toEqual(['tombstone key id: id=1'])
  expect(read(null, { key: null })).toEqual(['ignored: message without key and value'])
})

test('what is told besides changes is ignored, with the reason', () => {
  const heartbeat = { key: { serverName: 'srv' }, value: { ts_ms: 1700000000000 } }
  const transaction = { id: '571:53195829', ts_ms: 1, event_count: null, data_collections: null }
  const ddl = { source: SOURCE, databaseName: 'inv', ddl: 'ALTER TABLE t', tableChanges: [] }
  expect([
    rows('debezium-json', heartbeat),
    read({ ts_ms: 1 }, { topic: '__debezium-heartbeat.srv' }),
    read({ status: 'BEGIN', ...transaction }),
    read({ status: 'END', ...transaction }),
    read(ddl),
    read(change('m', { message: { prefix: 'p', content: 'YQ==' } })),
    read({ id: 'x', aggregate_type: 'Initial Snapshot', type: 'STARTED', additional_data: {} }),
  ]).toEqual([
    ['ignored: heartbeat'],
    ['ignored: heartbeat'],
    ['ignored: transaction BEGIN'],
    ['ignored: transaction END'],
    ['ignored: schema change'],
    ['ignored: message of the log'],
    ['ignored: notification'],
  ])
})

test('what is no change of any kind is refused', () => {
  expect([
    read(change('x', { after: { id: 1 } })),
    read({ ...change('c', {}), op: null }),
    read({ id: 1, name: 'a' }),
    read({ ts_ms: 1 }),
    read([1]),
    read(change('c', {})),
    read(change('u', { after: '{"_id": 1}' })),
    read('{"before":null,"after":{"id":1,"f":NaN},"op":"c"}'),
    read('{"after":{"id":1,"s":"x\\ud800y"},"op":"c"}'),
    read(Buffer.from('7b226f70223a22ff227d', 'hex')),
  ]).toEqual([
    ['ENVELOPE unknown op "x"'],
    ['ENVELOPE unknown op null'],
    ['ENVELOPE the record has no "op"'],
    ['ENVELOPE the record has no "op"'],
    ['ENVELOPE the value is no object'],
    ['ENVELOPE op "c" whose "after" is no object'],
    ['ENVELOPE op "u" whose "after" is no object'],
    ['UNDECODABLE the value is broken JSON: expected a value, at character 36'],
    ['UNDECODABLE the value is broken JSON: half of a surrogate pair, at character 22'],
    ['UNDECODABLE the value has invalid UTF-8: byte 0xff at byte 8'],
  ])
})

test('after a change of the key, the creation says which key the row had', () => {
  const create = change('c', { after: { a: 2, b: 'x' } })
  const key = { b: 'x', a: 2 }
  const header = (text: string) => read(create, { key, headers: { '__debezium.oldkey': text } })
  expect(header('{"a":1,"b":"x"}')).toEqual(["upsert (100) key b, a was ('x', 1): a=2 b='x'"])
  expect(header('{"schema":{"type":"struct","fields":[]},"payload":{"a":1,"b":"y"}}')).toEqual([
    "upsert (100) key b, a was ('y', 1): a=2 b='x'",
  ])
  expect(['Struct{a=1,b=x}', '{"a":1}', '{"a":"1","b":"x"}'].map(header)).toEqual([
    ["upsert (100) key b, a: a=2 b='x'"],
    ["upsert (100) key b, a: a=2 b='x'"],
    ["upsert (100) key b, a: a=2 b='x'"],
  ])
})

test('an update says what it was before, as far as the database logged it', () => {
  const update = change('u', { before: { id: 1, n: 'a' }, after: { id: 1, n: 'b' } })
  expect(details('debezium-json', { key: { id: 1 }, value: update })).toContain(
    "before id=1 n='a' ·",
  )
})

test('every key is read for itself, and a row may do without', () => {
  const create = change('c', { after: { a: 1 } })
  expect([null, 5, 'Struct{a=1}', {}].map((key) => read(create, { key }))).toEqual([
    ['upsert (100): a=1'],
    ['upsert (100): a=1'],
    ['upsert (100): a=1'],
    ['upsert (100): a=1'],
  ])
})

test('expressions can read where a change comes from', () => {
  const value = change('u', { before: { id: 1 }, after: { id: 1 }, transaction: { id: '500:90' } })
  const source = canonicalText(new Map(Object.entries(SOURCE)))
  expect(details('debezium-json', { key: { id: 1 }, value })).toEqual(
    [
      'time timestamp(2023-11-14T22:13:20Z)',
      'origin srv',
      'before id=1',
      [
        "_op='u' _db='inv' _schema='public' _table='customers' _snapshot='false'",
        `_source=json(${source}) _before=json({"id":1}) _ts_ms=1700000000000 _connector_ts_ms=1`,
        "_tx_id='500:90'",
      ].join(' '),
    ].join(' · '),
  )
})

test('the time is that of the finest clock of the source; none where it is not known', () => {
  const time = (clocks: object) =>
    details('debezium-json', {
      value: change('c', { after: {} }, { ts_ms: undefined, ...clocks }),
    }).split(' · ')[0]
  expect([
    time({ ts_ms: 1700000000123, ts_us: 1700000000123456 }),
    time({ ts_ms: 1700000000123, ts_ns: 1700000000123000000 }),
    time({ ts_ms: 0 }),
    time({}),
  ]).toEqual([
    'time timestamp(2023-11-14T22:13:20.123456Z)',
    'time timestamp(2023-11-14T22:13:20.123Z)',
    'time null',
    'time null',
  ])
})
