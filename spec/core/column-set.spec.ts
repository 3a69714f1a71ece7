import { expect, test } from 'vitest'
import {
  both,
  either,
  hasColumn,
  isNone,
  NO_COLUMNS,
  without,
  type ColumnSet,
} from '../../src/core/column-set.ts'

const only = (...columns: number[]): ColumnSet => ({ mode: 'only', columns })
const except = (...columns: number[]): ColumnSet => ({ mode: 'except', columns })

test('all columns but listed ones are those that come later too', () => {
  expect([0, 1, 99].map((column) => hasColumn(except(1), column))).toEqual([true, false, true])
  expect([0, 1, 99].map((column) => hasColumn(only(1), column))).toEqual([false, true, false])
})

test('what is in both sets', () => {
  expect(both(only(1, 2), only(2, 3))).toEqual(only(2))
  expect(both(only(1, 2), except(2, 3))).toEqual(only(1))
  expect(both(except(2, 3), only(1, 2))).toEqual(only(1))
  expect(both(except(1, 2), except(2, 3))).toEqual(except(1, 2, 3))
})

test('what is in the first and not in the second', () => {
  expect(without(only(1, 2), only(2, 3))).toEqual(only(1))
  expect(without(only(1, 2), except(2, 3))).toEqual(only(2))
  expect(without(except(1, 2), only(2, 3))).toEqual(except(1, 2, 3))
  expect(without(except(1, 2), except(2, 3))).toEqual(only(3))
})

test('what is in either set', () => {
  expect(either(only(1, 2), only(2, 3))).toEqual(only(1, 2, 3))
  expect(either(only(1, 2), except(2, 3))).toEqual(except(3))
  expect(either(except(1, 2), except(2, 3))).toEqual(except(2))
})

test('a set of no columns is known as that', () => {
  expect([NO_COLUMNS, only(), only(1), except()].map(isNone)).toEqual([true, true, false, false])
})
