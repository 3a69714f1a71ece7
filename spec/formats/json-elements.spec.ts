import { expect, test } from 'vitest'
import { JsonElements } from '../../src/formats/json-elements.ts'
import { frame } from './drawing.ts'

function read(text: string | Buffer): string[] {
  return frame((options) => new JsonElements(options), text)
}

test('the elements of an array are records, numbered from 1', () => {
  expect(read('[{"a":1}, {"a":2},\n{"a":3}]\n')).toEqual(['1: a=1', '2: a=2', '3: a=3'])
})

test('brackets, commas and quotes inside texts separate nothing', () => {
  expect(read('[{"a":"],[{\\""},{"a":"\\\\"}]')).toEqual([`1: a='],[{"'`, "2: a='\\'"])
})

test('an empty array and an empty file have no records', () => {
  expect(read(' [ ] ')).toEqual([])
  expect(read(' \n')).toEqual([])
})

test('a byte order mark at the start of the file is passed over', () => {
  expect(read('\ufeff[{"a":1}]')).toEqual(['1: a=1'])
})

test('a file that is no array is a sequence of values', () => {
  expect(read('{\n  "a": 1\n}\n{"a":2}{"a":3}\n')).toEqual(['1: a=1', '2: a=2', '3: a=3'])
})

test('an element that is no object is refused, and the next is read', () => {
  expect(read('[1,"x,]",{"a":1},[{}],nul]')).toEqual([
    '1: UNDECODABLE the record is no JSON object',
    '2: UNDECODABLE the record is no JSON object',
    '3: a=1',
    '4: UNDECODABLE the record is no JSON object',
    '5: UNDECODABLE broken JSON: expected a value, at character 1',
  ])
})

test('a broken element whose end can be found is refused, and the next is read', () => {
  expect(read('[{"a":01},{"a":2}]')).toEqual([
    '1: UNDECODABLE broken JSON: expected a comma or the end of the object, at character 7',
    '2: a=2',
  ])
})

test('where elements cannot be told apart, the rest is refused once', () => {
  expect(read('[{"a":1} {"a":2},{"a":3}]')).toEqual([
    '1: a=1',
    '2: UNDECODABLE broken JSON: expected a comma or the end of the array; nothing after this is read',
  ])
  expect(read('[{"a":1},]')).toEqual([
    '1: a=1',
    '2: UNDECODABLE broken JSON: expected an element; nothing after this is read',
  ])
})

test('an array or element without end refuses the rest, after the records before it', () => {
  expect(read('[{"a":1},')).toEqual([
    '1: a=1',
    '2: UNDECODABLE broken JSON: the array has no end; nothing after this is read',
  ])
  expect(read('[{"a":1},{"a":')).toEqual([
    '1: a=1',
    '2: UNDECODABLE broken JSON: an element has no end; nothing after this is read',
  ])
  expect(read('{"a":1}{"a":"x')).toEqual([
    '1: a=1',
    '2: UNDECODABLE broken JSON: an element has no end; nothing after this is read',
  ])
})

test('text after an array is refused', () => {
  expect(read('[{"a":1}]\n{"a":2}')).toEqual([
    '1: a=1',
    '2: UNDECODABLE broken JSON: text after the end of the array; nothing after this is read',
  ])
})

test('an element with more bytes than allowed is refused, and the next is read', () => {
  expect(read(`[{"a":"${'x'.repeat(5000)}"},{"a":2}]`)).toEqual([
    '1: TOO_LARGE 5008 bytes, max_record_bytes is 1000',
    '2: a=2',
  ])
})
