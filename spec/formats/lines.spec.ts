import { expect, test } from 'vitest'
import { Lines } from '../../src/formats/lines.ts'
import { frame } from './drawing.ts'

function read(text: string | Buffer): string[] {
  return frame((options) => new Lines(options), text)
}

test('each line is a record, numbered by line', () => {
  expect(read('{"a":1}\n{"a":2}\n')).toEqual(['1: a=1', '2: a=2'])
})

test('lines may end with carriage returns, and the last one with the file', () => {
  expect(read('{"a":1}\r\n{"a":2}\r\n{"a":3}')).toEqual(['1: a=1', '2: a=2', '3: a=3'])
})

test('blank lines are no records but count', () => {
  expect(read('\n{"a":1}\n  \r\n\n{"a":2}\n\n')).toEqual(['2: a=1', '5: a=2'])
})

test('a byte order mark at the start of the file is passed over', () => {
  expect(read('\ufeff{"a":1}\n{"a":2}\n')).toEqual(['1: a=1', '2: a=2'])
  expect(read('{"a":1}\n\ufeff{"a":2}\n')).toEqual([
    '1: a=1',
    '2: UNDECODABLE broken JSON: expected a value, at character 1',
  ])
})

test('a bad line does not stop the good ones', () => {
  expect(read('{"a":1}\noops\n{"a":2}\n')).toEqual([
    '1: a=1',
    '2: UNDECODABLE broken JSON: expected a value, at character 1',
    '3: a=2',
  ])
})

test('a line with more bytes than allowed is refused, and the next is read', () => {
  expect(read(`{"a":"${'x'.repeat(992)}"}\n{"a":"${'x'.repeat(993)}"}\n{"a":2}`)).toEqual([
    `1: a='${'x'.repeat(992)}'`,
    '2: TOO_LARGE 1001 bytes, max_record_bytes is 1000',
    '3: a=2',
  ])
  expect(read(`{"a":"${'x'.repeat(5000)}"}\n{"a":2}`)).toEqual([
    '1: TOO_LARGE 5008 bytes, max_record_bytes is 1000',
    '2: a=2',
  ])
})
