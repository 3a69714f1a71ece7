import { expect, test } from 'vitest'
import { keyOf, keyParts } from '../../src/core/key.ts'
import type { Value } from '../../src/core/value.ts'

test('a key says what its part is, and gives it back', () => {
  const parts: [Value, string][] = [
    [42, 'n42'],
    [-1.5, 'n-1.5'],
    [12345678901234567890n, 'n12345678901234567890'],
    [{ type: 'decimal', text: '1.5e+500' }, 'n1.5e+500'],
    ['ann', 'tann'],
    ['', 't'],
    [true, 'b1'],
    [false, 'b0'],
    [{ type: 'bytes', text: '00ff' }, 'x00ff'],
    [{ type: 'date', text: '2026-01-02' }, 'd2026-01-02'],
    [{ type: 'time', text: '03:04:05' }, 'c03:04:05'],
    [{ type: 'timestamp', text: '2026-01-02T03:04:05Z' }, 'i2026-01-02T03:04:05Z'],
    [{ type: 'local_timestamp', text: '2026-01-02T03:04:05' }, 'l2026-01-02T03:04:05'],
    [{ type: 'json', text: '{"a":1}' }, 'j{"a":1}'],
    [{ type: 'double', text: 'NaN' }, 'fNaN'],
  ]
  expect(parts.map(([part]) => keyOf([part]))).toEqual(parts.map(([, key]) => key))
  expect(parts.map(([part]) => keyParts(keyOf([part])))).toEqual(parts.map(([part]) => [part]))
})

test('several parts make a list', () => {
  const key = keyOf([1, 'a"b', true])
  expect(key).toBe('["n1","ta\\"b","b1"]')
  expect(keyParts(key)).toEqual([1, 'a"b', true])
})

test('parts that look alike but differ in type make different keys', () => {
  const keys = [
    keyOf([1]),
    keyOf(['1']),
    keyOf([true]),
    keyOf(['n1']),
    keyOf(['1', '']),
    keyOf(['["n1"]']),
  ]
  expect(new Set(keys).size).toBe(keys.length)
})

test('a null part is a bug of the caller', () => {
  expect(() => keyOf([null])).toThrow('a part of a key is null')
  expect(() => keyOf([1, null])).toThrow('a part of a key is null')
})
