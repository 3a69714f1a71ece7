import { expect, test } from 'vitest'
import { distinctInOrder } from '../../../src/cli/render/order.ts'
import type { Value } from '../../../src/index.ts'

test('numbers of any size are in order of value', () => {
  const decimal: Value = { type: 'decimal', text: '9007199254740993.5' }
  const huge: Value = { type: 'decimal', text: '1e+400' }
  expect(distinctInOrder([huge, decimal, 9007199254740993n, 0, -0.5, -12n, 1e-7, 10, 9])).toEqual([
    -12n,
    -0.5,
    0,
    1e-7,
    9,
    10,
    9007199254740993n,
    decimal,
    huge,
  ])
})

test('instants are in order of time, whatever their fraction', () => {
  const at = (text: string): Value => ({ type: 'timestamp', text })
  const whole = at('2026-01-01T00:00:00Z')
  const half = at('2026-01-01T00:00:00.5Z')
  expect(distinctInOrder([half, whole, half])).toEqual([whole, half])
})

test('lists are in order part by part', () => {
  const list = (text: string): Value => ({ type: 'json', text })
  expect(distinctInOrder([list('[10,"a"]'), list('[9,"b"]'), list('[9,"a"]')])).toEqual([
    list('[9,"a"]'),
    list('[9,"b"]'),
    list('[10,"a"]'),
  ])
})

test('text is in order of code points', () => {
  expect(distinctInOrder(['\u{1f600}', '\uffee', 'b', 'B'])).toEqual([
    'B',
    'b',
    '\uffee',
    '\u{1f600}',
  ])
})
