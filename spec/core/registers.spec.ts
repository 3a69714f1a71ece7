import { expect, test } from 'vitest'
import type { Change, Delete, Stamp, Truncate, Upsert } from '../../src/core/change.ts'
import { BugError } from '../../src/core/errors.ts'
import { keyOf } from '../../src/core/key.ts'
import {
  EMPTY,
  isEmpty,
  joinChange,
  RegisterFile,
  rowOf,
  stampsOf,
} from '../../src/core/registers.ts'
import type { Registers } from '../../src/core/registers.ts'
import { storedSequence } from '../../src/core/sequence.ts'
import type { Row, Value } from '../../src/core/value.ts'

test('a key that nobody wrote does not exist', () => {
  expect(rowOf(EMPTY)).toBe(null)
})

test('an upsert that writes every column replaces the row', () => {
  expect(after(put(5, 'Ann', 'Oslo'), put(6, 'Bea', null))).toEqual(['Bea', null])
})

test('a partial upsert keeps the columns that it does not write', () => {
  expect(after(put(5, 'Ann', 'Oslo'), set(6, [CITY], null, 'Bergen'))).toEqual(['Ann', 'Bergen'])
})

test('a partial upsert of a key that does not exist starts from nulls', () => {
  expect(after(set(6, [CITY], 'Ann', 'Bergen'))).toEqual([null, 'Bergen'])
})

test('an upsert that writes no column makes the row exist', () => {
  expect(after(set(6, [], 'Ann'))).toEqual([])
})

test('a late partial upsert wins on the columns that nothing newer wrote, and loses on the rest', () => {
  expect(after(set(7, [CITY], null, 'Bergen'), set(5, [NAME, CITY], 'Ann', 'Oslo'))).toEqual([
    'Ann',
    'Bergen',
  ])
})

test('a late upsert of every column fills what newer partial ones left', () => {
  expect(after(set(7, [CITY], null, 'Bergen'), put(5, 'Ann', 'Oslo', 3))).toEqual([
    'Ann',
    'Bergen',
    3,
  ])
})

test('a null that is written is a value', () => {
  expect(after(set(7, [CITY], null, null), put(5, 'Ann', 'Oslo'))).toEqual(['Ann', null])
})

test('an upsert of every column writes also the columns that come to be later', () => {
  expect(after(put(7, 'Ann'), set(5, [CITY], null, 'Oslo'))).toEqual(['Ann'])
})

test('an upsert of all columns but one leaves that one to its own writers, late ones too', () => {
  const known = [put(5, 'Ann', 'Oslo', 3), putExcept(7, [CITY], 'Bea', 'unread', 4)]
  expect(after(...known)).toEqual(['Bea', 'Oslo', 4])
  expect(after(...known, set(6, [NAME, CITY], 'Cyd', 'Bergen'))).toEqual(['Bea', 'Bergen', 4])
})

test('at one sequence the upsert that the source published later wins', () => {
  const [first, second] = [set(5, [NAME], 'Ann'), { ...set(5, [NAME], 'Bea'), number: 6 }]
  expect(after(first, second)).toEqual(['Bea'])
  expect(after(second, first)).toEqual(['Bea'])
})

test('a change that comes again changes nothing', () => {
  const known = join(put(5, 'Ann', 'Oslo'), set(6, [CITY], null, 'Bergen'), gone(3))
  const again = join(put(5, 'Ann', 'Oslo'), set(6, [CITY], null, 'Bergen'), gone(3), set(6, [CITY]))
  expect(again).toEqual(known)
})

test('a delete ends the key, and a later partial upsert inherits nothing', () => {
  expect(after(put(5, 'Ann', 'Oslo'), gone(6))).toBe(null)
  expect(after(put(5, 'Ann', 'Oslo'), gone(6), set(7, [CITY], null, 'Bergen'))).toEqual([
    null,
    'Bergen',
  ])
})

test('a late delete takes away what is older than itself', () => {
  expect(after(put(5, 'Ann', 'Oslo'), set(7, [CITY], null, 'Bergen'), gone(6))).toEqual([
    null,
    'Bergen',
  ])
})

test('a late upsert before a delete changes nothing', () => {
  expect(after(gone(6), set(7, [CITY], null, 'Bergen'), put(5, 'Ann'))).toEqual([null, 'Bergen'])
})

test('a late delete leaves alone what an upsert of all columns but one did not write', () => {
  const known = [put(5, 'Ann', 'Oslo'), putExcept(8, [CITY], 'Bea'), gone(6)]
  expect(after(...known)).toEqual(['Bea', null])
  expect(after(...known, set(7, [CITY], null, 'Bergen'))).toEqual(['Bea', 'Bergen'])
})

test('an older delete after a newer one changes nothing', () => {
  expect(after(gone(6), gone(4), put(5, 'Ann'))).toBe(null)
})

test('a truncate is a deletion', () => {
  expect(after(put(5, 'Ann'), truncated(6))).toBe(null)
})

test('at one sequence a truncate comes before upserts and deletes, wherever it was published', () => {
  expect(after(put(6, 'Ann'), { ...truncated(6), number: 9 })).toEqual(['Ann'])
  expect(after({ ...truncated(6), number: 9 }, put(6, 'Ann'))).toEqual(['Ann'])
  expect(after({ ...truncated(6), number: 9 }, { ...gone(6), number: 8 }, put(6, 'Ann'))).toBe(null)
  expect(after({ ...gone(6), number: 8 }, { ...truncated(6), number: 9 }, put(6, 'Ann'))).toBe(null)
})

test('a truncate that reaches only the keys of its flow is not for registers to judge', () => {
  expect(() => joinChange(EMPTY, { ...truncated(6), reach: 'flow' })).toThrow(BugError)
})

test('a nested object merges leaf by leaf, its nulls keeping what was there', () => {
  expect(after(put(5, '{"a":1,"b":{"c":2}}'), merged(6, '{"a":null,"b":{"c":3,"d":4}}'))).toEqual([
    json('{"a":1,"b":{"c":3,"d":4}}'),
  ])
})

test('where no object was there, an object merges into an empty one', () => {
  expect(after(put(5, 'Ann'), merged(6, '{"a":1,"b":null}'))).toEqual([json('{"a":1}')])
  expect(after(merged(6, '{"b":{"c":null}}'))).toEqual([json('{"b":{}}')])
})

test('a late merge wins on the leaves that nothing newer wrote, and loses on the rest', () => {
  expect(after(merged(7, '{"b":{"c":3}}'), merged(6, '{"a":1,"b":{"c":2,"d":4}}'))).toEqual([
    json('{"a":1,"b":{"c":3,"d":4}}'),
  ])
})

test('an array is one leaf', () => {
  expect(after(merged(5, '{"a":[1,2]}'), merged(6, '{"a":[null]}'))).toEqual([json('{"a":[null]}')])
})

test('a late object comes in below the merges that are newer', () => {
  expect(after(merged(7, '{"a":3,"b":{"d":4}}'), put(6, '{"a":1,"b":{"c":2},"e":null}'))).toEqual([
    json('{"a":3,"b":{"c":2,"d":4},"e":null}'),
  ])
})

test('a late value that is no object takes away the leaves that are older', () => {
  const known = [merged(5, '{"a":1,"b":{"c":2}}'), merged(7, '{"b":{"d":3}}')]
  expect(after(...known)).toEqual([json('{"a":1,"b":{"c":2,"d":3}}')])
  expect(after(...known, put(6, 'Ann'))).toEqual([json('{"b":{"d":3}}')])
})

test('a late delete takes away the leaves that are older', () => {
  expect(after(merged(5, '{"a":1}'), merged(7, '{"b":3}'), gone(6))).toEqual([json('{"b":3}')])
})

test('a value that is no object replaces where an object would merge', () => {
  expect(after(merged(5, '{"a":1}'), merged(6, 'Ann'))).toEqual(['Ann'])
})

test('a scalar in a leaf replaces the object that was there, and an object the scalar', () => {
  expect(after(merged(5, '{"a":{"b":1}}'), merged(6, '{"a":2}'))).toEqual([json('{"a":2}')])
  expect(
    after(merged(7, '{"a":{"c":3}}'), merged(6, '{"a":2}'), merged(5, '{"a":{"b":1}}')),
  ).toEqual([json('{"a":{"c":3}}')])
})

test('nothing need be kept of a key that does not exist and was not deleted by an event of its own', () => {
  expect(isEmpty(EMPTY)).toBe(true)
  expect(isEmpty(join(put(5, 'Ann'), truncated(6)))).toBe(true)
  expect(isEmpty(join(put(5, 'Ann'), gone(6)))).toBe(false)
  expect(isEmpty(join(put(5, 'Ann')))).toBe(false)
})

test('where every event writes every column, only the latest is held', () => {
  expect(join(gone(3), put(5, 'Ann'), put(7, 'Bea'), put(6, 'Cyd'))).toEqual({
    written: at(7),
    deleted: { stamp: at(3), truncate: false },
    base: { stamp: at(7), row: ['Bea'] },
    columns: new Map(),
  })
})

test('the events that are still known of are those with a say in some column, and the latest ones', () => {
  const known = join(gone(2), put(4, '{"a":1}'), merged(6, '{"b":{"c":2}}'), set(7, []), gone(3))
  expect(stampsOf(known)).toEqual([at(4), at(6), at(7), at(3)])
  expect(stampsOf(join(put(4, 'Ann'), set(5, [CITY], null, 'Oslo')))).toEqual([at(5), at(4)])
  expect(stampsOf(join(merged(6, '{"a":1}'), merged(5, '{"b":2}')))).toEqual([at(6), at(5)])
})

test('a truncate is no event of the key', () => {
  expect(stampsOf(join(truncated(3), set(4, [])))).toEqual([at(4)])
})

test('registers that were handed out do not change when more is joined', () => {
  const file = new RegisterFile(join(set(5, [NAME], 'Ann')))
  const before = file.registers()
  file.join(set(6, [CITY], null, 'Oslo'))
  expect([before, file.registers()].map(rowOf)).toEqual([['Ann'], ['Ann', 'Oslo']])
})

const NAME = 0
const CITY = 1
const STREAM = { id: 1, flow: 'f', name: 'a', partition: 0 }

function join(...changes: readonly Change[]): Registers {
  return changes.reduce(joinChange, EMPTY)
}

function after(...changes: readonly Change[]): Row | null {
  return rowOf(join(...changes))
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

const KEY = keyOf([1])
