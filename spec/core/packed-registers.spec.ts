import { expect, test } from 'vitest'
import type { Change, Delete, Stamp, Truncate, Upsert } from '../../src/core/change.ts'
import { BugError } from '../../src/core/errors.ts'
import { keyOf } from '../../src/core/key.ts'
import { pack, unpack, type PackedRegisters } from '../../src/core/packed-registers.ts'
import { EMPTY, joinChange, rowOf } from '../../src/core/registers.ts'
import { storedSequence } from '../../src/core/sequence.ts'
import type { Row, Value } from '../../src/core/value.ts'

test('a row that one event wrote whole is its row and that event', () => {
  expect(packed(put(5, 'Ann', null))).toEqual({ latest: at(5), versions: null })
})

test('a deleted key is its deletion', () => {
  expect(packed(put(5, 'Ann'), gone(6))).toEqual({ latest: at(6), versions: null })
})

test('a deletion that every column has outlived is forgotten', () => {
  expect(packed(gone(3), put(5, 'Ann'))).toEqual({ latest: at(5), versions: null })
})

test('a version for all, and exceptions', () => {
  expect(packed(put(5, 'Ann', 'Oslo', 3), set(7, [1], null, 'Bergen'))).toEqual({
    latest: at(7),
    versions: { stamps: [at(5)], deleted: null, truncate: false, base: 1, columns: [[1, 0]] },
  })
})

test('columns that the latest event wrote are no exceptions, unless it wrote null', () => {
  expect(packed(set(5, [0, 2], 'Ann', null, null))).toEqual({
    latest: at(5),
    versions: { stamps: [], deleted: null, truncate: false, base: null, columns: [[2, 0]] },
  })
})

test('a deletion is kept as long as some column has not been written since', () => {
  expect(packed(gone(3), set(5, [0], 'Ann'))).toEqual({
    latest: at(5),
    versions: { stamps: [at(3)], deleted: 1, truncate: false, base: null, columns: [] },
  })
})

test('a deletion is kept for a column that all others were written without', () => {
  expect(packed(truncated(3), putExcept(5, [1], 'Ann'))).toEqual({
    latest: at(5),
    versions: {
      stamps: [at(3)],
      deleted: 1,
      truncate: true,
      base: 0,
      columns: [[1, [null, null, []]]],
    },
  })
})

test('a truncated key is told from a deleted one', () => {
  expect(packed(put(5, 'Ann'), truncated(6))).toEqual({
    latest: at(6),
    versions: { stamps: [], deleted: 0, truncate: true, base: null, columns: [] },
  })
})

test('leaves of nested objects have versions of their own', () => {
  expect(packed(put(5, '{"a":1,"b":{"c":2}}'), merged(7, '{"b":{"d":4}}'))).toEqual({
    latest: at(7),
    versions: {
      stamps: [at(5)],
      deleted: null,
      truncate: false,
      base: 1,
      columns: [[0, [1, 0, [['b', [1, 0, [['d', 0]]]]]]]],
    },
  })
})

test('columns and leaves are in order, however they came', () => {
  expect(packed(set(5, [1], null, 'Oslo'), merged(7, '{"b":1}'), merged(6, '{"a":2}'))).toEqual({
    latest: at(7),
    versions: {
      stamps: [at(6), at(5)],
      deleted: null,
      truncate: false,
      base: null,
      columns: [
        [
          0,
          [
            null,
            0,
            [
              ['a', 1],
              ['b', 0],
            ],
          ],
        ],
        [1, 2],
      ],
    },
  })
})

test('versions and the visible row take late changes as before', () => {
  const known = [put(5, '{"a":1,"b":{"c":2}}', 'Oslo'), merged(9, '{"b":{"d":4}}')]
  expect(repacked(known, merged(7, '{"a":2,"b":{"c":3,"d":3}}'))).toEqual([
    json('{"a":2,"b":{"c":3,"d":4}}'),
    'Oslo',
  ])
  expect(repacked(known, put(8, 'Ann', 'Bergen'))).toEqual([json('{"b":{"d":4}}'), 'Bergen'])
  expect(repacked(known, set(4, [1], null, 'Bergen'))).toEqual([
    json('{"a":1,"b":{"c":2,"d":4}}'),
    'Oslo',
  ])
})

test('no name of a field is special', () => {
  const known = [merged(5, '{"__proto__":1,"constructor":2}')]
  expect(repacked(known, merged(4, '{"__proto__":3,"toString":4}'))).toEqual([
    json('{"__proto__":1,"constructor":2,"toString":4}'),
  ])
})

test('registers of which nothing is known cannot be packed', () => {
  expect(() => pack(EMPTY)).toThrow(BugError)
})

test('versions that name a stamp which is not there are broken', () => {
  const versions = { stamps: [], deleted: null, truncate: false, base: 1, columns: [] }
  expect(() => unpack({ latest: at(5), versions }, ['Ann'])).toThrow(BugError)
})

const STREAM = { id: 1, flow: 'f', name: 'a', partition: 0 }
const KEY = keyOf([1])

function packed(...changes: readonly Change[]): PackedRegisters {
  return pack(changes.reduce(joinChange, EMPTY))
}

/** The row after changes, with one that comes after packing. */
function repacked(changes: readonly Change[], late: Change): Row | null {
  const known = changes.reduce(joinChange, EMPTY)
  return rowOf(joinChange(unpack(pack(known), rowOf(known)), late))
}

function put(sequence: number, ...values: readonly Value[]): Upsert {
  return {
    ...at(sequence),
    op: 'upsert',
    key: KEY,
    row: values.map(read),
    writes: 'all',
    time: null,
  }
}

/** Writes the listed columns. */
function set(sequence: number, columns: readonly number[], ...values: readonly Value[]): Upsert {
  return { ...put(sequence, ...values), writes: { mode: 'only', columns, merge: [] } }
}

/** Writes all but the listed columns. */
function putExcept(sequence: number, columns: readonly number[], ...values: Value[]): Upsert {
  return { ...put(sequence, ...values), writes: { mode: 'except', columns, merge: [] } }
}

/** Writes the first column, merging objects. */
function merged(sequence: number, value: Value): Upsert {
  return { ...put(sequence, value), writes: { mode: 'only', columns: [0], merge: [0] } }
}

function gone(sequence: number): Delete {
  return { ...at(sequence), op: 'delete', key: KEY, time: null }
}

function truncated(sequence: number): Truncate {
  return { ...at(sequence), op: 'truncate', reach: 'target', time: null }
}

function at(sequence: number): Stamp {
  return {
    sequence: storedSequence(String(sequence)),
    rank: 0,
    system: null,
    stream: STREAM,
    number: sequence,
    part: 0,
  }
}

/** Text in braces is a nested object. */
function read(value: Value): Value {
  return typeof value === 'string' && value.startsWith('{') ? json(value) : value
}

function json(text: string): Value {
  return { type: 'json', text }
}
