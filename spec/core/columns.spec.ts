import { expect, test } from 'vitest'
import { isObject, overwrite } from '../../src/core/columns.ts'
import type { Row } from '../../src/core/value.ts'
import { isWritten, type Writes } from '../../src/core/writes.ts'
import { CITY, drawRow, INFO, json, merged, NAME, put, set } from './drawing.ts'

const ANN: Row = ['Ann', 'Oslo', 3]

test('an upsert of every column replaces the row', () => {
  expect(over(ANN, put(5, { name: 'Bob' }))).toBe('Bob')
})

test('an upsert of some columns keeps the others', () => {
  expect(over(ANN, set(5, { city: 'Rome' }))).toBe('Ann Rome 3')
})

test('a null that is written is a value', () => {
  expect(over(ANN, set(5, { city: null }))).toBe('Ann ∅ 3')
})

test('where the key did not exist the columns that are not written are null', () => {
  expect(over(null, set(5, { city: 'Rome' }))).toBe('∅ Rome')
})

test('an upsert that writes nothing makes the row exist', () => {
  expect(over(null, set(5, {}))).toBe('∅')
  expect(over(ANN, set(5, {}))).toBe('Ann Oslo 3')
})

test('an upsert of all columns but one writes also the columns that come to be later', () => {
  const upsert = writing(['Bob', 'unread'], { mode: 'except', columns: [CITY], merge: [] })
  expect(over(ANN, upsert)).toBe('Bob Oslo')
})

test('an upsert of listed columns never writes a column that comes to be later', () => {
  const upsert = writing(['Bob'], { mode: 'only', columns: [NAME], merge: [] })
  expect(over(ANN, upsert)).toBe('Bob Oslo 3')
})

test('a row that is older than a column has null there', () => {
  expect(over(['Ann'], set(5, { info: 3 }))).toBe('Ann ∅ 3')
})

test('an object merges into the object that was there, leaf by leaf', () => {
  const before = [null, null, json({ a: 1, b: { c: 2, d: 3 } })]
  expect(over(before, merged(5, { info: json({ b: { c: 9 } }) }))).toBe(
    '∅ ∅ {"a":1,"b":{"c":9,"d":3}}',
  )
})

test('null leaves keep what was there, and are left out where nothing was', () => {
  const before = [null, null, json({ a: 1 })]
  expect(over(before, merged(5, { info: json({ a: null, b: null, c: 3 }) }))).toBe(
    '∅ ∅ {"a":1,"c":3}',
  )
})

test('where no object was there an object merges into an empty one', () => {
  const patch = merged(5, { info: json({ a: null, b: { c: null } }) })
  expect(over(null, patch)).toBe('∅ ∅ {"b":{}}')
  expect(over([null, null, 'text'], patch)).toBe('∅ ∅ {"b":{}}')
  expect(over([null, null, json([1])], patch)).toBe('∅ ∅ {"b":{}}')
})

test('any other value replaces, an array too', () => {
  const before = [null, null, json({ a: 1 })]
  expect(over(before, merged(5, { info: json([2]) }))).toBe('∅ ∅ [2]')
  expect(over(before, merged(5, { info: 'text' }))).toBe('∅ ∅ text')
})

test('an object that does not merge replaces', () => {
  const before = [null, null, json({ a: 1 })]
  expect(over(before, set(5, { info: json({ b: null }) }))).toBe('∅ ∅ {"b":null}')
})

test('an object is a nested value with members, not an array and not its text', () => {
  expect([json({}), json([]), '{}', null, 3].map(isObject)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})

test('every column is written, or the listed ones, or all but the listed ones', () => {
  const columns = [NAME, CITY, INFO, 99]
  const writtenBy = (writes: Writes) => columns.filter((column) => isWritten(writes, column))
  expect(writtenBy('all')).toEqual([NAME, CITY, INFO, 99])
  expect(writtenBy({ mode: 'only', columns: [CITY], merge: [] })).toEqual([CITY])
  expect(writtenBy({ mode: 'except', columns: [CITY], merge: [] })).toEqual([NAME, INFO, 99])
})

function over(before: Row | null, upsert: ReturnType<typeof put>): string {
  return drawRow(overwrite(before, upsert))
}

function writing(row: Row, writes: Writes) {
  return { ...put(5, {}), row, writes }
}
