import { expect, test } from 'vitest'
import { jsonText, plainText } from '../../src/core/display.ts'
import type { Value } from '../../src/core/value.ts'

test.each<[Value, string, string]>([
  [null, 'null', ''],
  [true, 'true', 'true'],
  [false, 'false', 'false'],
  [1, '1', '1'],
  [1e-7, '0.0000001', '0.0000001'],
  [12345678901234567890n, '12345678901234567890', '12345678901234567890'],
  [{ type: 'decimal', text: '1.5e+500' }, '1.5e+500', '1.5e+500'],
  [{ type: 'double', text: 'NaN' }, '"NaN"', 'NaN'],
  ['a"b', '"a\\"b"', 'a"b'],
  [{ type: 'bytes', text: '00ff' }, '"AP8="', 'AP8='],
  [{ type: 'date', text: '2026-01-02' }, '"2026-01-02"', '2026-01-02'],
  [
    { type: 'timestamp', text: '2026-01-02T03:04:05Z' },
    '"2026-01-02T03:04:05Z"',
    '2026-01-02T03:04:05Z',
  ],
  [{ type: 'json', text: '{"a":[1]}' }, '{"a":[1]}', '{"a":[1]}'],
])('%o is %s as JSON', (value, asJson, asText) => {
  expect([jsonText(value), plainText(value)]).toEqual([asJson, asText])
})
