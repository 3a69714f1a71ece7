import { expect, test } from 'vitest'
import { jsonValue } from '../../src/core/json.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import { parseExtended } from '../../src/formats/extended-json.ts'
import { drawValue } from './drawing.ts'

function read(text: string): string {
  const parsed = parseExtended(text)
  return isRefusal(parsed) ? parsed.message : drawValue(jsonValue(parsed.node))
}

test('numbers are exact in every wrapper', () => {
  expect(read('{"$numberInt": "-5"}')).toBe('-5')
  expect(read('{"$numberLong": "9223372036854775807"}')).toBe('9223372036854775807n')
  expect(read('{"$numberDouble": "1.5"}')).toBe('1.5')
  expect(read('{"$numberDouble": "-Infinity"}')).toBe('double(-Infinity)')
  expect(read('{"$numberDecimal": "0.12345678901234567890"}')).toBe(
    'decimal(0.1234567890123456789)',
  )
  expect(read('{"$numberDecimal": "1E+3"}')).toBe('1000')
  expect(read('{"$numberDecimal": "NaN"}')).toBe('double(NaN)')
})

test('dates are timestamps in all three spellings', () => {
  expect(read('{"$date": "2024-01-02T03:04:05.678Z"}')).toBe('timestamp(2024-01-02T03:04:05.678Z)')
  expect(read('{"$date": {"$numberLong": "-1"}}')).toBe('timestamp(1969-12-31T23:59:59.999Z)')
  expect(read('{"$date": 1558965508000}')).toBe('timestamp(2019-05-27T13:58:28Z)')
})

test('bytes, ids and text', () => {
  expect(read('{"$binary": {"base64": "AQID", "subType": "00"}}')).toBe('bytes(010203)')
  expect(read('{"$binary": "AQID", "$type": "00"}')).toBe('bytes(010203)')
  expect(read('{"$oid": "57e193d7a9cc81b4027498b5"}')).toBe("'57e193d7a9cc81b4027498b5'")
  expect(read('{"$uuid": "b68a35a7-17ad-35b3-af2a-ae46edb4545a"}')).toBe(
    "'b68a35a7-17ad-35b3-af2a-ae46edb4545a'",
  )
  expect(read('{"$symbol": "s"}')).toBe("'s'")
})

test('timestamps of the oplog and patterns are objects', () => {
  expect(read('{"$timestamp": {"t": 5, "i": 1}}')).toBe('json({"i":1,"t":5})')
  expect(read('{"$regularExpression": {"pattern": "a", "options": "i"}}')).toBe(
    'json({"options":"i","pattern":"a"})',
  )
  expect(read('{"$regex": "a", "$options": "i"}')).toBe('json({"options":"i","pattern":"a"})')
})

test('wrappers are found at any depth', () => {
  expect(
    read('{"a": [{"b": {"$numberLong": "9007199254740993"}}], "c": {"$undefined": true}}'),
  ).toBe('json({"a":[{"b":9007199254740993}],"c":null})')
})

test('what is no wrapper stays as it is written', () => {
  expect(read('{"$minKey": 1}')).toBe('json({"$minKey":1})')
  expect(read('{"$code": "f", "$scope": {}}')).toBe('json({"$code":"f","$scope":{}})')
  expect(read('{"$numberLong": "1", "x": 1}')).toBe('json({"$numberLong":"1","x":1})')
})

test('a wrapper that does not hold what its name says is refused', () => {
  expect(read('{"a": {"$numberLong": "1.5"}}')).toBe('"$numberLong" of extended JSON is malformed')
  expect(read('{"$date": "soon"}')).toBe('"$date" of extended JSON is malformed')
  expect(read('{"$date": {"$numberLong": "999999999999999"}}')).toBe(
    '"$date" of extended JSON is malformed',
  )
  expect(read('{"$binary": "!"}')).toBe('"$binary" of extended JSON is malformed')
})
