import { expect, test } from 'vitest'
import { JsonRecords } from '../../src/formats/json-record.ts'
import { drawDecoded } from './drawing.ts'

function decode(text: string | Buffer): string {
  return drawDecoded(new JsonRecords().decode(Buffer.from(text)))
}

test('a record is a column per member, in the order of the text', () => {
  expect(decode('{"id": 1, "name": "Ann", "active": true, "note": null}')).toBe(
    "id=1 name='Ann' active=true note=null",
  )
})

test('an object without members has no columns', () => {
  expect(decode('{}')).toBe('')
})

test('members that look like numbers keep their place', () => {
  expect(decode('{"b":1,"7":2,"a":3}')).toBe('b=1 7=2 a=3')
})

test('a member called __proto__ is a column like any other', () => {
  expect(decode('{"__proto__":{"x":1},"constructor":2}')).toBe(
    '__proto__=json({"x":1}) constructor=2',
  )
})

test('numbers keep all their digits', () => {
  expect(decode('{"a":9007199254740993,"b":0.1234567890123456789,"c":1e3,"d":-0,"e":1.10}')).toBe(
    'a=9007199254740993n b=decimal(0.1234567890123456789) c=1000 d=0 e=1.1',
  )
})

test('nested values become canonical JSON', () => {
  expect(decode('{"a":{"y":[1.0,"\\u0041"],"x":null},"b":[]}')).toBe(
    'a=json({"x":null,"y":[1,"A"]}) b=json([])',
  )
})

test('a number too long for a double stays exact inside a nested value', () => {
  expect(decode('{"a":{"x":9007199254740993}}')).toBe('a=json({"x":9007199254740993})')
})

test('records with the same columns share one shape', () => {
  const records = new JsonRecords()
  const shapes = ['{"a":1,"b":2}', '{"b":1}', '{"b":3,"a":4}', '{"a":5,"b":6}', '{"a":1e1,"b":6}']
    .map((text) => records.decode(Buffer.from(text)))
    .map((decoded) => ('shape' in decoded ? decoded.shape : null))
  expect(shapes.map((shape) => shapes.indexOf(shape))).toEqual([0, 1, 2, 0, 0])
})

test('a member that appears twice is refused by name, however it is spelled', () => {
  expect(decode('{"a":1,"\\u0061":2}')).toBe(
    'UNDECODABLE broken JSON: member "a" appears twice, at character 8',
  )
  expect(decode('{"a":[{"b":1,"b":1}]}')).toBe(
    'UNDECODABLE broken JSON: member "b" appears twice, at character 14',
  )
})

test('broken JSON is refused with the place', () => {
  expect(decode('{"a":1')).toBe(
    'UNDECODABLE broken JSON: expected a comma or the end of the object, at character 7',
  )
  expect(decode('{"a":NaN}')).toBe('UNDECODABLE broken JSON: expected a value, at character 6')
})

test('a record that is no object is refused', () => {
  expect(decode('[1]')).toBe('UNDECODABLE the record is no JSON object')
  expect(decode('null')).toBe('UNDECODABLE the record is no JSON object')
})

test('invalid UTF-8 is refused with the byte', () => {
  expect(decode(Buffer.from('{"a":"é€\ufffd\xff"}', 'latin1'))).toBe(
    'UNDECODABLE invalid UTF-8: byte 0xe9 at byte 7',
  )
  const cut = Buffer.concat([Buffer.from('{"a":"\ufffdé'), Buffer.from([0xed, 0xa0, 0x80])])
  expect(decode(cut)).toBe('UNDECODABLE invalid UTF-8: byte 0xed at byte 12')
})

test('half a surrogate pair is refused, a whole one is a character', () => {
  expect(decode('{"a":"\\ud83d"}')).toBe(
    'UNDECODABLE broken JSON: half of a surrogate pair, at character 6',
  )
  expect(decode('{"a":"\\ud83d\\ude00"}')).toBe("a='😀'")
})

test('nesting is read to depth 128 and refused beyond', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  expect(decode(nested(128))).toBe(`a=json(${'['.repeat(127)}${']'.repeat(127)})`)
  expect(decode(nested(129))).toBe(
    'UNDECODABLE broken JSON: nested deeper than 128, at character 133',
  )
  expect(decode(nested(100_000))).toBe(
    'UNDECODABLE broken JSON: nested deeper than 128, at character 133',
  )
})
