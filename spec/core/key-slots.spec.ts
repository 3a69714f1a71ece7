import { expect, test } from 'vitest'
import { keyOf, storedKey } from '../../src/core/key.ts'
import { KeySlots } from '../../src/core/key-slots.ts'
import type { Value } from '../../src/core/value.ts'

const PARTS: readonly Value[] = [
  7,
  '7',
  -7,
  0,
  0.5,
  70,
  true,
  999_999_999,
  1_000_000_000,
  4_294_967_303,
  9_007_199_254_740_993n,
  'n7',
]

test('keys are numbered in the order in which they come, whatever they are', () => {
  const slots = new KeySlots()
  const keys = [...PARTS.map((part) => keyOf([part])), keyOf([7, 'x']), storedKey('n07')]
  expect(keys.map((key) => slots.find(key))).toEqual(keys.map(() => -1))
  expect(keys.map((key) => slots.add(key))).toEqual([...keys.keys()])
  expect(keys.map((key) => slots.find(key))).toEqual([...keys.keys()])
  expect(slots.keys).toEqual(keys)
})

test('however many keys there are, each is found', () => {
  const slots = new KeySlots()
  const keys = Array.from({ length: 5_000 }, (_, i) => keyOf([(i * 1024) % 999_999_937]))
  for (const key of keys) slots.add(key)
  expect(keys.map((key) => slots.find(key))).toEqual([...keys.keys()])
  expect([slots.find(keyOf([1])), slots.size]).toEqual([-1, 5_000])
})
