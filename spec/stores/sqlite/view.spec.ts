import { expect, test } from 'vitest'
import { numberFrom } from '../../../src/core/number.ts'
import {
  encodeSequenceParts,
  type Sequence,
  type SequenceType,
} from '../../../src/core/sequence.ts'
import type { Value } from '../../../src/core/value.ts'
import { SqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { gone, json, put } from '../../core/drawing.ts'
import { bitemporal, Desk, facts, key, scd2 } from '../contract/desk.ts'
import { Place, Reader } from './on-disk.ts'

const ANN = { name: 'Ann' }
const BOB = { name: 'Bob' }

test('an SCD type 1 target is read by its name, with exactly its columns', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), facts({ columns: ['id', 'name'] }))
  desk.latest({ ...put(1, {}), key: key(1), row: [1, 'Ann'] }, { ...gone(1), key: key(2) })
  expect(place.query('SELECT * FROM t')).toEqual([{ id: 1n, name: 'Ann' }])
})

test('an SCD type 2 target has start and end, the end of current rows null', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), scd2({ columns: ['name'] }))
  desk.weave(key(1), { ...put(5, {}), row: ['Ann'] }, { ...put(9, {}), row: ['Bob'] })
  expect(place.query('SELECT * FROM t ORDER BY __START_AT')).toEqual([
    { name: 'Ann', __START_AT: 5n, __END_AT: 9n },
    { name: 'Bob', __START_AT: 9n, __END_AT: null },
  ])
})

test('who asks for what holds now does not walk through the past', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), bitemporal({ columns: ['name'] }))
  desk.weave(key(1), { ...put(5, {}), row: ['Ann'] }, { ...put(9, {}), row: ['Bob'] })
  const now = `SELECT name FROM t WHERE __END_AT IS NULL AND __SYSTEM_END_AT IS NULL`
  expect(place.query(`EXPLAIN QUERY PLAN ${now}`)).toMatchObject([
    { detail: 'COMPOUND QUERY' },
    { detail: 'LEFT-MOST SUBQUERY' },
    { detail: 'SCAN __tidemark_t1_current' },
    { detail: 'UNION ALL' },
    { detail: expect.stringMatching(/^SEARCH __tidemark_t1_closed USING INDEX/) as string },
    { detail: 'UNION ALL' },
    { detail: expect.stringMatching(/^SEARCH __tidemark_t1_disbelieved USING INDEX/) as string },
  ])
  expect(place.query(now)).toEqual([{ name: 'Bob' }])
})

test('a target with times has them between', () => {
  using place = new Place()
  const columns = { columns: ['name'], timed: true }
  using desk = new Desk(new SqliteStore(place.file), scd2(columns))
  desk.weave(key(1), { ...put(5, {}, { time: '09:00' }), row: ['Ann'] }, gone(9))
  expect(place.query('SELECT * FROM t')).toEqual([
    { name: 'Ann', __START_AT: 5n, __END_AT: 9n, __START_TIME: '09:00', __END_TIME: null },
  ])
})

test('a bitemporal target has both intervals, and what is no longer believed', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), bitemporal({ columns: ['name'] }))
  desk.weave(key(1), { ...put(5, {}), row: ['Ann'] })
  desk.weave(key(1), { ...gone(9), key: key(1) })
  expect(place.query('SELECT * FROM t ORDER BY __SYSTEM_START_AT')).toEqual([
    {
      name: 'Ann',
      __START_AT: 5n,
      __END_AT: null,
      __SYSTEM_START_AT: '1970-01-01T00:00:00.000001Z',
      __SYSTEM_END_AT: '1970-01-01T00:00:00.000002Z',
    },
    {
      name: 'Ann',
      __START_AT: 5n,
      __END_AT: 9n,
      __SYSTEM_START_AT: '1970-01-01T00:00:00.000002Z',
      __SYSTEM_END_AT: null,
    },
  ])
})

test('a list of sequences shows as a JSON array', () => {
  using place = new Place()
  const sequenceType = { parts: ['number', 'text'], list: true } as const
  using store = new SqliteStore(place.file)
  using desk = new Desk(store, scd2({ columns: ['name'], sequenceType }))
  desk.weave(key(1), { ...put(5, {}), row: ['Ann'], sequence: listed(sequenceType, [5, 'b']) })
  expect(place.query('SELECT __START_AT FROM t')).toEqual([{ __START_AT: '[5,"b"]' }])
})

test.each<[string, Value, unknown]>([
  ['true', true, 1n],
  ['false', false, 0n],
  ['an integer', 42, 42n],
  ['an integer beyond 2^53', 9_007_199_254_740_993n, 9_007_199_254_740_993n],
  ['the largest INTEGER', 9_223_372_036_854_775_807n, 9_223_372_036_854_775_807n],
  ['an integer beyond 64 bits', 9_223_372_036_854_775_809n, '9223372036854775809'],
  ['an integer that is exactly a double', numberFrom('1e300'), 1e300],
  ['a fraction whose shortest spelling is the number', 0.1, 0.1],
  ['a decimal that no double spells', numberFrom('0.1234567890123456789'), '0.1234567890123456789'],
  ['a number that is none', { type: 'double', text: 'NaN' }, 'NaN'],
  ['text that looks like a number', '00123', '00123'],
  ['bytes', { type: 'bytes', text: '00ff' }, Buffer.from([0, 255])],
  ['a date', { type: 'date', text: '2026-01-02' }, '2026-01-02'],
  ['a timestamp', { type: 'timestamp', text: '2026-01-02T03:04:05Z' }, '2026-01-02T03:04:05Z'],
  ['a nested object', json({ a: 1, b: [true, null] }), '{"a":1,"b":[true,null]}'],
  ['null', null, null],
])('%s is a natural value', (_, value, natural) => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), facts({ columns: ['v'] }))
  desk.latest({ ...put(1, {}), row: [value] })
  expect(place.query('SELECT v FROM t')).toEqual([{ v: natural }])
})

test('values of other types than their column are natural values too', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), facts({ columns: ['v'] }))
  const mixed = ['text', true, 1, json({ a: 1 })]
  for (const [i, value] of mixed.entries())
    desk.latest({ ...put(1, {}), key: key(i), row: [value] })
  expect(place.query('SELECT v FROM t')).toEqual([
    { v: 'text' },
    { v: 1n },
    { v: 1n },
    { v: '{"a":1}' },
  ])
})

test('timestamps of a column have one number of fraction digits, so that text order is time order', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), facts({ columns: ['at'] }))
  const ends = ['05.5Z', '05Z', '04.123456Z', '10.000000001Z', '05.123Z']
  for (const [i, end] of ends.entries()) {
    const at: Value = { type: 'timestamp', text: `2026-01-02T03:04:${end}` }
    desk.latest({ ...put(1, {}), key: key(i), row: [at] })
  }
  expect(place.query('SELECT at FROM t ORDER BY at')).toEqual([
    { at: '2026-01-02T03:04:04.123456000Z' },
    { at: '2026-01-02T03:04:05.000000000Z' },
    { at: '2026-01-02T03:04:05.123000000Z' },
    { at: '2026-01-02T03:04:05.500000000Z' },
    { at: '2026-01-02T03:04:10.000000001Z' },
  ])
})

test('infinite timestamps stay so, before and after all others, however their column is spelled', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), facts({ columns: ['at'] }))
  const texts = [
    'infinity',
    '2026-01-02T03:04:05',
    '-infinity',
    '2026-01-02T03:04:05.5',
    'infinity',
  ]
  for (const [i, text] of texts.entries()) {
    desk.latest({ ...put(1, {}), key: key(i), row: [{ type: 'local_timestamp', text }] })
  }
  expect(place.query('SELECT at FROM t ORDER BY at')).toEqual([
    { at: '-infinity' },
    { at: '2026-01-02T03:04:05.000' },
    { at: '2026-01-02T03:04:05.500' },
    { at: 'infinity' },
    { at: 'infinity' },
  ])
})

test('bounds that are timestamps have one number of fraction digits on each axis', () => {
  using place = new Place()
  const sequenceType = { parts: ['timestamp'], list: false } as const
  const store = new SqliteStore(place.file)
  using desk = new Desk(store, bitemporal({ columns: ['name'], sequenceType }))
  for (const [i, text] of ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.5Z'].entries()) {
    const sequence = listed(sequenceType, [{ type: 'timestamp', text }])
    desk.weave(key(1), { ...put(i, {}), row: [`v${i}`], sequence })
  }
  expect(place.query('SELECT __START_AT AS a, __END_AT AS z FROM t ORDER BY a, z')).toEqual([
    { a: '2026-01-02T03:04:05.000Z', z: null },
    { a: '2026-01-02T03:04:05.000Z', z: '2026-01-02T03:04:05.500Z' },
    { a: '2026-01-02T03:04:05.500Z', z: null },
  ])
})

test('a column shows once a record has had it, and not while it is excluded', () => {
  using place = new Place()
  const columns = ['id', 'named', 'name']
  using desk = new Desk(new SqliteStore(place.file), facts({ columns, seen: ['id', 'name'] }))
  desk.latest({ ...put(1, {}), row: [1, null, 'Ann'] })
  expect(place.query('SELECT * FROM t')).toEqual([{ id: 1n, name: 'Ann' }])
  const define = (more: Parameters<typeof facts>[0]) => {
    desk.store.transact(() => {
      desk.store.define(facts({ columns, ...more }))
    })
  }
  define({ seen: ['id', 'name', 'named'] })
  expect(place.query('SELECT * FROM t')).toEqual([{ id: 1n, name: 'Ann', named: null }])
  define({ seen: ['id', 'name', 'named'], excluded: ['name'] })
  expect(place.query('SELECT * FROM t')).toEqual([{ id: 1n, named: null }])
})

test('a target and its columns are read by their names, whatever those are', () => {
  using place = new Place()
  const name = 'a"; DROP TABLE t; --'
  using store = new SqliteStore(place.file)
  store.transact(() => {
    store.define(scd2({ name, columns: [name, 'select', ' '] }))
  })
  expect(
    place.query(
      `SELECT name, type FROM sqlite_schema WHERE name NOT LIKE '\\_\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'`,
    ),
  ).toEqual([{ name, type: 'view' }])
  expect(place.query(`SELECT name FROM pragma_table_info('a"; DROP TABLE t; --')`)).toEqual([
    { name },
    { name: 'select' },
    { name: ' ' },
    { name: '__START_AT' },
    { name: '__END_AT' },
  ])
})

test('everything else that is kept is in tables of a reserved name', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), bitemporal())
  desk.weave(key(1), put(1, ANN))
  const others = `SELECT name FROM sqlite_schema
    WHERE name <> 't' AND name NOT LIKE '\\_\\_tidemark\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`
  expect(place.query(others)).toEqual([])
})

test('a reader sees the last commit while a transaction goes on, and then the next', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), scd2({ columns: ['name'] }))
  desk.weave(key(1), { ...put(1, {}), row: ['Ann'] })
  using reader = new Reader(place.file)
  desk.store.transact(() => {
    const table = desk.store.historyTable('t')
    table.replace(key(1), { versions: [], hidden: [], disbelieved: [] })
    expect(reader.all('SELECT name FROM t')).toEqual([{ name: 'Ann' }])
  })
  expect(reader.all('SELECT name FROM t')).toEqual([])
})

test('every row that is kept knows the commit that brought it', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), bitemporal())
  desk.weave(key(1), put(5, ANN), put(6, ANN))
  desk.weave(key(1), put(9, BOB))
  const commits = (role: string) =>
    place.query(`SELECT s, cm FROM __tidemark_t1_${role} ORDER BY a`)
  expect(place.query('SELECT cm FROM __tidemark_t1_hidden')).toEqual([{ cm: 1n }])
  expect(commits('current').map(commitOf)).toEqual([2n])
  expect(commits('closed').map(commitOf)).toEqual([1n])
  expect(commits('disbelieved').map(commitOf)).toEqual([1n])
})

test('every commit has its time, and the version of the target that it changed', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), facts())
  desk.commit((commit) => desk.store.changed('t', commit))
  desk.commit(() => null)
  desk.commit((commit) => desk.store.changed('t', commit))
  expect(place.query('SELECT id, flow, time, target, version FROM __tidemark_commits')).toEqual([
    { id: 1n, flow: 'flow', time: '1970-01-01T00:00:00.000001Z', target: 't', version: 1n },
    { id: 2n, flow: 'flow', time: '1970-01-01T00:00:00.000002Z', target: null, version: null },
    { id: 3n, flow: 'flow', time: '1970-01-01T00:00:00.000003Z', target: 't', version: 2n },
  ])
})

/** The sequence of these parts. */
function listed(type: SequenceType, parts: readonly Value[]): Sequence {
  const sequence = encodeSequenceParts(parts, type)
  if (sequence === null) throw new Error('no sequence')
  return sequence
}

function commitOf(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'cm' in row ? row.cm : null
}
