import { expect, test } from 'vitest'
import {
  convert,
  isBeyondInteger,
  NOT_CONVERTIBLE,
  parseDeclaredType,
  scalarTypeOfDeclared,
} from '../../src/core/types.ts'
import type { DeclaredType } from '../../src/core/types.ts'
import type { Value } from '../../src/core/value.ts'

const DATE: Value = { type: 'date', text: '2026-01-02' }
const LOCAL: Value = { type: 'local_timestamp', text: '2026-01-02T03:04:05' }
const INSTANT: Value = { type: 'timestamp', text: '2026-01-02T03:04:05Z' }
const BYTES: Value = { type: 'bytes', text: '00ff' }
const NAN: Value = { type: 'double', text: 'NaN' }
const OBJECT: Value = { type: 'json', text: '{"a":1}' }

test('types go by their names and by those of SQL, in any case', () => {
  const names = [
    'integer',
    'BIGINT',
    'Decimal',
    'string',
    'datetime',
    'timestamptz',
    'float',
    'json',
  ]
  expect(names.map(parseDeclaredType)).toEqual([
    'integer',
    'integer',
    'number',
    'text',
    'local_timestamp',
    'timestamp',
    'double',
    'json',
  ])
  expect(['', 'money', 'constructor', '__proto__'].map(parseDeclaredType)).toEqual([
    null,
    null,
    null,
    null,
  ])
})

test('null is null in every type', () => {
  expect([convert(null, 'integer'), convert(null, 'json'), convert(null, 'text')]).toEqual([
    null,
    null,
    null,
  ])
})

test.each<[DeclaredType, Value, Value]>([
  ['boolean', true, true],
  ['boolean', 0, false],
  ['boolean', '1', true],
  ['boolean', 'F', false],
  ['boolean', 'True', true],
  ['integer', 12, 12],
  ['integer', '12', 12],
  ['integer', '00123', 123],
  ['integer', '1.0', 1],
  ['integer', '9223372036854775807', 9223372036854775807n],
  ['integer', -9223372036854775808n, -9223372036854775808n],
  ['number', '12345678901234567890', 12345678901234567890n],
  ['number', { type: 'decimal', text: '1e+500' }, { type: 'decimal', text: '1e+500' }],
  ['number', '1.10', 1.1],
  ['number', '0.1000000000000000055', { type: 'decimal', text: '0.1000000000000000055' }],
  ['number', NAN, NAN],
  ['double', '0.1000000000000000055', 0.1],
  ['double', 9007199254740993n, 9007199254740992n],
  ['double', 'NaN', NAN],
  ['double', '-Infinity', { type: 'double', text: '-Infinity' }],
  ['double', '1e-400', 0],
  ['text', 'a', 'a'],
  ['text', 1.5, '1.5'],
  ['text', 12345678901234567890n, '12345678901234567890'],
  ['text', true, 'true'],
  ['text', DATE, '2026-01-02'],
  ['text', OBJECT, '{"a":1}'],
  ['text', BYTES, 'AP8='],
  ['bytes', 'AP8=', BYTES],
  ['bytes', 'AP8', BYTES],
  ['bytes', '', { type: 'bytes', text: '' }],
  ['bytes', BYTES, BYTES],
  ['date', '2026-01-02', DATE],
  ['date', DATE, DATE],
  ['time', '03:04', { type: 'time', text: '03:04:00' }],
  ['timestamp', '2026-01-02 04:04:05+01', INSTANT],
  ['timestamp', INSTANT, INSTANT],
  ['timestamp', LOCAL, INSTANT],
  ['timestamp', DATE, { type: 'timestamp', text: '2026-01-02T00:00:00Z' }],
  ['local_timestamp', '2026-01-02T03:04:05', LOCAL],
  ['local_timestamp', LOCAL, LOCAL],
  ['local_timestamp', DATE, { type: 'local_timestamp', text: '2026-01-02T00:00:00' }],
  ['epoch_s', 1767323045, INSTANT],
  ['epoch_ms', '1767323045000', INSTANT],
  ['epoch_us', 1767323045000000, INSTANT],
  ['epoch_ns', 1767323045000000000n, INSTANT],
  ['epoch_ms', INSTANT, INSTANT],
  ['local_epoch_s', 1767323045, LOCAL],
  ['local_epoch_ms', '1767323045000', LOCAL],
  ['local_epoch_us', 1767323045000000, LOCAL],
  ['local_epoch_us', 9223372036825200000n, { type: 'local_timestamp', text: 'infinity' }],
  ['local_epoch_ns', 1767323045000000000n, LOCAL],
  ['local_epoch_ns', LOCAL, LOCAL],
  ['epoch_days', 20455, DATE],
  ['epoch_days', DATE, DATE],
  ['hex', '00FF', BYTES],
  ['hex', '\\x00ff', BYTES],
  ['hex', BYTES, BYTES],
  ['json', '{ "a": 1.0 }', OBJECT],
  ['json', '"a"', 'a'],
  ['json', 'null', null],
  ['json', OBJECT, OBJECT],
  ['json', 1, 1],
])('%s takes %o', (type, value, expected) => {
  expect(convert(value, type)).toEqual(expected)
})

test.each<[DeclaredType, Value]>([
  ['boolean', 2],
  ['boolean', 'yes'],
  ['boolean', ''],
  ['integer', 1.5],
  ['integer', ' 12'],
  ['integer', '12 '],
  ['integer', ''],
  ['integer', true],
  ['integer', '1.5'],
  ['integer', { type: 'decimal', text: '12345678901234567890.5' }],
  ['integer', 9223372036854775808n],
  ['integer', '-9223372036854775809'],
  ['integer', { type: 'decimal', text: '1e+500' }],
  ['number', 'NaN'],
  ['number', 'one'],
  ['number', OBJECT],
  ['double', '1e400'],
  ['bytes', 'A'],
  ['bytes', 'AP9='],
  ['bytes', 'A P8='],
  ['bytes', 'AP8=='],
  ['bytes', 1],
  ['date', '2026-02-30'],
  ['date', '2026-01-02T00:00:00'],
  ['date', LOCAL],
  ['time', DATE],
  ['timestamp', 1767323045],
  ['timestamp', '1767323045'],
  ['local_timestamp', '2026-01-02T03:04:05Z'],
  ['local_timestamp', INSTANT],
  ['epoch_s', '2026-01-02'],
  ['epoch_s', DATE],
  ['epoch_s', 1e15],
  ['local_epoch_ms', INSTANT],
  ['epoch_days', 0.5],
  ['hex', 'abc'],
  ['hex', 'xy'],
  ['json', '{'],
  ['json', BYTES],
])('%s does not take %o', (type, value) => {
  expect(convert(value, type)).toBe(NOT_CONVERTIBLE)
})

test('of what is no integer, some is only too large', () => {
  const values: Value[] = [9223372036854775808n, { type: 'decimal', text: '1e+500' }]
  expect(values.map(isBeyondInteger)).toEqual([true, true])
  expect([1.5, 'x', null, true, DATE].map(isBeyondInteger)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
})

test('a declared type says how its values compare as a sequence', () => {
  const types: DeclaredType[] = [
    'integer',
    'double',
    'text',
    'bytes',
    'date',
    'epoch_ms',
    'boolean',
    'time',
    'json',
  ]
  expect(types.map(scalarTypeOfDeclared)).toEqual([
    'number',
    'number',
    'text',
    'bytes',
    'timestamp',
    'timestamp',
    null,
    null,
    null,
  ])
})
