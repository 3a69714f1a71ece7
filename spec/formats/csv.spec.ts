import { expect, test } from 'vitest'
import { Csv } from '../../src/formats/csv.ts'
import type { CsvOptions } from '../../src/formats/csv-dialect.ts'
import { frame } from './drawing.ts'

function read(text: string | Buffer, options: CsvOptions = {}): string[] {
  return frame((framing) => new Csv(framing, options), text)
}

test('the header names the columns, and every value is text', () => {
  expect(read('id,name\n1,Ann\n2,Bob\n')).toEqual(["1: id='1' name='Ann'", "2: id='2' name='Bob'"])
})

test('an empty field is null, an empty quoted one the empty text', () => {
  expect(read('a,b,c\n,"",x\n"",,""\n')).toEqual(["1: a=null b='' c='x'", "2: a='' b=null c=''"])
})

test('quoted fields hold delimiters, newlines and doubled quotes', () => {
  expect(read('a,b\n"x,""y""","1\n2"\n3,4\n')).toEqual([`1: a='x,"y"' b='1\n2'`, "2: a='3' b='4'"])
})

test('rows may end with carriage returns, and the last one with the file', () => {
  expect(read('a,b\r\n1,"x"\r\n2,y')).toEqual(["1: a='1' b='x'", "2: a='2' b='y'"])
})

test('a byte order mark is passed over, and so are empty lines', () => {
  expect(read('\ufeffa,b\n\n1,2\n\r\n3,4\n\n')).toEqual(["1: a='1' b='2'", "2: a='3' b='4'"])
})

test('columns named by the flow make every row data', () => {
  expect(read('1,Ann\n', { header: ['id', 'name'] })).toEqual(["1: id='1' name='Ann'"])
})

test('delimiter, quote and escape can be chosen', () => {
  const options = { delimiter: ';', quote: "'", escape: '\\' }
  expect(read("a;b\n'x;\\'y';\"z\"\n", options)).toEqual([`1: a='x;'y' b='"z"'`])
  expect(read('a||b\n1||"2||"\n', { delimiter: '||' })).toEqual(["1: a='1' b='2||'"])
  expect(read('a,b\n"1,"2"\n', { quote: null })).toEqual([`1: a='"1' b='"2"'`])
})

test('a row with too few or too many fields is refused, and the next is read', () => {
  expect(read('a,b\n1\n1,2,3\n1,2\n')).toEqual([
    '1: UNDECODABLE broken CSV: 1 field where there are 2 columns',
    '2: UNDECODABLE broken CSV: 3 fields where there are 2 columns',
    "3: a='1' b='2'",
  ])
})

test('a broken quote refuses its line only', () => {
  expect(read('a,b\nx"y,1\n"x"y,2\n"x,3\n4,"5"\n6,7\n')).toEqual([
    '1: UNDECODABLE broken CSV: a quote in a field that does not begin with one',
    '2: UNDECODABLE broken CSV: text after a closing quote',
    '3: UNDECODABLE broken CSV: a quote that is not closed',
    "4: a='4' b='5'",
    "5: a='6' b='7'",
  ])
})

test('a quote that is never closed refuses its line only', () => {
  expect(read('a,b\n"x,1\n2,3\n4,5\n')).toEqual([
    '1: UNDECODABLE broken CSV: a quote that is not closed',
    "2: a='2' b='3'",
    "3: a='4' b='5'",
  ])
})

test('a NUL after a closing quote is no end of the field', () => {
  expect(read('a,b\n"x"\0,1\n2,3\n')).toEqual([
    '1: UNDECODABLE broken CSV: text after a closing quote',
    "2: a='2' b='3'",
  ])
})

test('invalid UTF-8 refuses its row only', () => {
  expect(read(Buffer.from('a,b\n1,é\n2,y\n', 'latin1'))).toEqual([
    '1: UNDECODABLE invalid UTF-8: byte 0xe9 at byte 3',
    "2: a='2' b='y'",
  ])
})

test('a row with more bytes than allowed is refused, and the next is read', () => {
  expect(read(`a,b\n1,${'x'.repeat(999)}\n2,${'x'.repeat(3000)}\n3,4\n`)).toEqual([
    '1: TOO_LARGE 1001 bytes, max_record_bytes is 1000',
    '2: TOO_LARGE 3002 bytes, max_record_bytes is 1000',
    "3: a='3' b='4'",
  ])
})

test('a header that does not name each column once breaks the file', () => {
  expect(() => read('a,b,a\n1,2,3\n')).toThrow(
    'FILE_BROKEN: the header of feed is broken: column "a" appears twice',
  )
  expect(() => read('a,,b\n1,2,3\n')).toThrow(
    'FILE_BROKEN: the header of feed is broken: column 2 has no name',
  )
  expect(() => read('a,"b\n1,2\n')).toThrow(
    'FILE_BROKEN: the header of feed is broken: broken CSV: a quote that is not closed',
  )
})

test('a header without rows has no records', () => {
  expect(read('a,b\n')).toEqual([])
  expect(read('a,b')).toEqual([])
})
