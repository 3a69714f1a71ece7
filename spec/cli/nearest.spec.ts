import { expect, test } from 'vitest'
import { hint, nearest } from '../../src/cli/nearest.ts'

test('the nearest name is the one with the fewest edits', () => {
  expect(nearest('custmers', ['orders', 'customers', 'customs'])).toBe('customers')
})

test('a name that is too far is no help', () => {
  expect(nearest('prices', ['orders', 'customers'])).toBe(null)
})

test('case is no difference', () => {
  expect(nearest('CUSTOMERS', ['orders', 'customers'])).toBe('customers')
})

test('a hint without a near name lists the known ones, if they are few', () => {
  expect(hint('prices', ['orders', 'customers'])).toBe('; known: orders, customers')
  expect(
    hint(
      'prices',
      Array.from({ length: 9 }, (_, i) => `table ${i} of nine`),
    ),
  ).toBe('')
  expect(hint('prices', [])).toBe('')
})
