import { expect, test } from 'vitest'
import { isCanonical } from '../../src/core/canonical.ts'
import type { Tagged, Value } from '../../src/core/value.ts'

const CANONICAL: readonly Value[] = [
  null,
  true,
  'any text, café',
  0,
  -1.5,
  9007199254740991,
  9007199254740992n,
  tagged('decimal', '0.1000000000000000055'),
  tagged('double', 'NaN'),
  tagged('bytes', '00ff'),
  tagged('bytes', ''),
  tagged('date', '2024-02-29'),
  tagged('time', '03:04:05.5'),
  tagged('timestamp', '2026-01-02T03:04:05.678Z'),
  tagged('local_timestamp', '2026-01-02T03:04:05'),
  tagged('json', '{"a":[1,null],"b":"x"}'),
]

const OTHERWISE: readonly Value[] = [
  '\ud800',
  -0,
  Number.NaN,
  2 ** 60,
  7n,
  tagged('decimal', '1.50'),
  tagged('decimal', 'many'),
  tagged('double', '1'),
  tagged('bytes', '0FF'),
  tagged('date', '2026-02-30'),
  tagged('time', '03:04:05.50'),
  tagged('timestamp', '2026-01-02T03:04:05+01:00'),
  tagged('timestamp', '2026-01-02'),
  tagged('local_timestamp', '2026-01-02T03:04:05Z'),
  tagged('json', '{"b":1,"a":2}'),
  tagged('json', '{"a": 1}'),
  tagged('json', '7'),
  tagged('json', '{"a":'),
]

test('every value has one representation', () => {
  expect(CANONICAL.filter((value) => !isCanonical(value))).toEqual([])
})

test('any other spelling of a value, and what is no value of its type, is not canonical', () => {
  expect(OTHERWISE.filter(isCanonical)).toEqual([])
})

function tagged(type: Tagged['type'], text: string): Tagged {
  return { type, text }
}
