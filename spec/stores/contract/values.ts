import { expect, test } from 'vitest'
import { keyOf } from '../../../src/core/key.ts'
import { numberFrom } from '../../../src/core/number.ts'
import type { Value } from '../../../src/core/value.ts'
import { gone, json, put, set } from '../../core/drawing.ts'
import { Desk, facts, key, scd2, T, type Open } from './desk.ts'

/** A value of every type, and of each the ones that a store could get wrong. */
const VALUES: readonly Value[] = [
  true,
  false,
  0,
  1,
  -1,
  2.5,
  -0.1,
  1e-300,
  9_007_199_254_740_991,
  9_007_199_254_740_993n,
  9_223_372_036_854_775_807n,
  9_223_372_036_854_775_808n,
  -9_223_372_036_854_775_808n,
  -9_223_372_036_854_775_809n,
  123_456_789_012_345_678_901_234_567_890n,
  numberFrom('0.1234567890123456789'),
  numberFrom('12345678901234567.25'),
  numberFrom('1e400'),
  numberFrom('1e300'),
  { type: 'double', text: 'NaN' },
  { type: 'double', text: 'Infinity' },
  { type: 'double', text: '-Infinity' },
  '',
  'text',
  '1',
  '00123',
  '1e5',
  'true',
  'NaN',
  'NULL',
  '{"a":1}',
  '9223372036854775808',
  '2026-01-02T03:04:05Z',
  'NUL \u0000 inside',
  '😀 é \uffff',
  ',3=b,',
  { type: 'bytes', text: '' },
  { type: 'bytes', text: '00ff' },
  { type: 'bytes', text: '74657874' },
  { type: 'date', text: '2026-01-02' },
  { type: 'time', text: '03:04:05' },
  { type: 'time', text: '03:04:05.5' },
  { type: 'timestamp', text: '2026-01-02T03:04:05Z' },
  { type: 'timestamp', text: '2026-01-02T03:04:00.123Z' },
  { type: 'timestamp', text: '2026-01-02T03:04:05.123456789Z' },
  { type: 'local_timestamp', text: '2026-01-02T03:04:05' },
  { type: 'local_timestamp', text: '2026-01-02T03:04:05.12' },
  json({ a: 1 }),
  json([1, 2]),
  json({}),
  { type: 'json', text: '[9007199254740993,1.10e-7]' },
]

/** Values that SQLite alone would take for one another. */
const CONFUSABLE: readonly (readonly [string, Value, Value])[] = [
  ['true and 1', true, 1],
  ['false and 0', false, 0],
  ['an object and its text', json({ a: 1 }), '{"a":1}'],
  ['an array and its text', json([1]), '[1]'],
  ["'00123' and 123", '00123', 123],
  ["'123' and 123", '123', 123],
  ['an integer beyond 64 bits and its digits', 9_223_372_036_854_775_808n, '9223372036854775808'],
  ['a decimal and its digits', numberFrom('0.1234567890123456789'), '0.1234567890123456789'],
  ['a number that is none and its text', { type: 'double', text: 'NaN' }, 'NaN'],
  ['bytes and the text they spell', { type: 'bytes', text: '74657874' }, 'text'],
  ['a date and its text', { type: 'date', text: '2026-01-02' }, '2026-01-02'],
  [
    'a timestamp with and one without zone',
    { type: 'timestamp', text: '2026-01-02T03:04:05Z' },
    { type: 'local_timestamp', text: '2026-01-02T03:04:05' },
  ],
  [
    'a timestamp and its text',
    { type: 'timestamp', text: '2026-01-02T03:04:05Z' },
    '2026-01-02T03:04:05Z',
  ],
  ['null and the empty text', null, ''],
  ['empty bytes and the empty text', { type: 'bytes', text: '' }, ''],
]

/** What went in comes out. */
export function values(open: Open): void {
  test('values of every type and content come out as they went in, each in a column of its own', () => {
    using desk = new Desk(open(), facts({ columns: VALUES.map((_, i) => `c${i}`) }))
    desk.latest({ ...put(1, {}), row: VALUES })
    expect(desk.rows).toEqual([VALUES])
  })

  test('values of every type and content come out as they went in, all in one column', () => {
    using desk = new Desk(open(), facts({ columns: ['v'] }))
    desk.latest(...oneColumn(VALUES))
    expect(desk.rows.map(([value]) => value)).toEqual(VALUES)
  })

  test('the first value of a column does not decide how the others come out', () => {
    using desk = new Desk(open(), facts({ columns: ['v'] }))
    desk.latest(...oneColumn(VALUES.toReversed()))
    expect(desk.rows.map(([value]) => value)).toEqual(VALUES.toReversed())
  })

  test.each(CONFUSABLE)('%s stay apart in one column, whichever comes first', (_, a, b) => {
    using desk = new Desk(open(), facts({ columns: ['v'] }))
    desk.latest(...oneColumn([a, b, a]))
    expect(desk.rows).toEqual([[a], [b], [a]])
    using other = new Desk(open(), facts({ columns: ['v'] }))
    other.latest(...oneColumn([b, a, b]))
    expect(other.rows).toEqual([[b], [a], [b]])
  })

  test('values come out as they went in from versions, from what is hidden, and from what an event wrote', () => {
    using desk = new Desk(open(), scd2({ columns: ['v', 'w'], timed: true }))
    const writes = { mode: 'only', columns: [0], merge: [] } as const
    for (const [i, value] of VALUES.entries()) {
      const row = [value, value]
      desk.weave(
        key(i),
        { ...put(1, {}), row, time: value },
        { ...put(2, {}), row, time: value },
        { ...gone(3), time: value },
        { ...set(4, {}), row: [value, null], writes, time: value },
      )
    }
    for (const [i, value] of VALUES.entries()) {
      const { versions, hidden } = desk.store.historyTable(T).history(key(i))
      const told = {
        versions: versions.map(({ entry, startTime, endTime }) => [entry.row, startTime, endTime]),
        wrote: versions.map(({ entry }) => entry.change.op === 'upsert' && entry.change.row[0]),
        hidden: hidden.map(({ row, change }) => [row, change.time]),
      }
      expect(told).toEqual({
        versions: [
          [[value, value], value, value],
          [[value, null], value, null],
        ],
        wrote: [value, value],
        hidden: [
          [[value, value], value],
          [null, value],
        ],
      })
    }
  })

  test('values come out as they went in where columns have writers of their own', () => {
    using desk = new Desk(open(), facts({ layout: 'registers', columns: ['v', 'w'] }))
    const writes = { mode: 'only', columns: [1], merge: [] } as const
    for (const [i, value] of VALUES.entries()) {
      const late = { ...put(1, {}), row: [value, 'old'] }
      desk.registers(key(i), { ...set(2, {}), row: [null, value], writes }, late)
    }
    expect(desk.rows).toEqual(VALUES.map((value) => [value, value]))
  })

  test('timestamps stay what they are when one with more digits comes', () => {
    const stamps = ['05Z', '05.1Z', '10Z', '05.120000001Z', '05.123456Z'].map(
      (end) => ({ type: 'timestamp', text: `2026-01-02T03:04:${end}` }) as const,
    )
    using desk = new Desk(open(), facts({ columns: ['v'] }))
    for (const change of oneColumn([...stamps, 'text.with.dots', null])) desk.latest(change)
    expect(desk.rows.map(([value]) => value)).toEqual([...stamps, 'text.with.dots', null])
  })

  test('keys of every type are kept apart', () => {
    using desk = new Desk(open(), facts())
    const keys = VALUES.map(key)
    for (const [i, each] of keys.entries()) desk.latest({ ...put(i, { name: `${i}` }), key: each })
    expect(desk.rows.length).toBe(keys.length)
    const found = keys.map((each) =>
      [...desk.store.rows(T, { valid: null, system: null }, each)].map(({ row }) => row[0]),
    )
    expect(found).toEqual(keys.map((_, i) => [`${i}`]))
  })

  test('keys of every type come back from a walk over them', () => {
    using desk = new Desk(open(), facts({ layout: 'registers' }))
    const keys = VALUES.map(key)
    for (const each of keys) desk.registers(each, put(1, {}))
    expect([...desk.store.registersTable(T).keys()].toSorted()).toEqual(keys.toSorted())
  })

  test('keys of several parts are kept apart, and come back', () => {
    using desk = new Desk(open(), scd2({ keys: ['a', 'b'] }))
    const keys = [
      keyOf(['a', 'b']),
      keyOf(['a,b', '']),
      keyOf(['', 'a,b']),
      keyOf(['"', '"']),
      keyOf([1, '1']),
      keyOf(['1', 1]),
      keyOf([1, 1]),
      keyOf([true, { type: 'bytes', text: 'ff' }]),
    ]
    for (const [i, each] of keys.entries()) desk.weave(each, put(1, { name: `${i}` }))
    expect(keys.map((each) => desk.versions(each))).toEqual(keys.map((_, i) => [`[1, ∞) ${i}`]))
    expect([...desk.store.historyTable(T).keys()].toSorted()).toEqual(keys.toSorted())
  })
}

/** A value per key, keys numbered from 0. */
function oneColumn(all: readonly Value[]) {
  return all.map((value, i) => ({ ...put(i, {}), key: key(i), row: [value] }))
}
