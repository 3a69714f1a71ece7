import { expect, test } from 'vitest'
import { jsonValue, mergeJson, parseExactJson, valueOfParsed } from '../../src/core/json.ts'
import type { Value } from '../../src/core/value.ts'

test('a scalar is itself', () => {
  expect(['null', 'true', '1.50', '"a"'].map(read)).toEqual([null, true, 1.5, 'a'])
})

test('an object is its canonical text: members in order, no white space', () => {
  expect(read(' { "b" : [ 1 , 2 ] , "a" : { } } ')).toEqual(json('{"a":{},"b":[1,2]}'))
})

test('members are in the order of code points, not of UTF-16 units', () => {
  expect(read('{"😀":1,"\uffff":2,"a":3,"A":4}')).toEqual(json('{"A":4,"a":3,"\uffff":2,"😀":1}'))
})

test('numbers keep all their digits and have one spelling', () => {
  expect(read('[1.0, 10e1, -0, 12345678901234567890.123, 1e500]')).toEqual(
    json('[1,100,0,12345678901234567890.123,1e+500]'),
  )
})

test('text has no more escapes than JSON needs', () => {
  expect(read('["\\u0041\\/\\u00e9\\ud83d\\ude00\\n\\u0000\\"\\\\"]')).toEqual(
    json('["A/é😀\\n\\u0000\\"\\\\"]'),
  )
})

test('a null member is kept, for it is not an absent one', () => {
  expect(read('{"a":null}')).toEqual(json('{"a":null}'))
})

test('no member name is special', () => {
  expect(read('{"constructor":2,"__proto__":{"a":1}}')).toEqual(
    json('{"__proto__":{"a":1},"constructor":2}'),
  )
})

test('what JSON lacks is text inside', () => {
  const node = new Map<string, Value>([
    ['bytes', { type: 'bytes', text: '00ff' }],
    ['at', { type: 'timestamp', text: '2026-01-02T03:04:05Z' }],
    ['nan', { type: 'double', text: 'NaN' }],
    ['nested', { type: 'json', text: '[1]' }],
    ['price', { type: 'decimal', text: '0.1000000000000000055' }],
  ])
  expect(jsonValue(node)).toEqual(
    json(
      '{"at":"2026-01-02T03:04:05Z","bytes":"AP8=","nan":"NaN","nested":[1],"price":0.1000000000000000055}',
    ),
  )
})

test('what JSON.parse returned has the same value', () => {
  expect(valueOfParsed(JSON.parse('{"b":[1e21,null],"a":"x","__proto__":true}'))).toEqual(
    json('{"__proto__":true,"a":"x","b":[1000000000000000000000,null]}'),
  )
  expect(valueOfParsed(1e21)).toBe(10n ** 21n)
})

test('a member that appears twice is named', () => {
  expect(parseExactJson('{"a":1,"b":2,"a":1}')).toEqual({
    error: 'member "a" appears twice',
    at: 13,
  })
  expect(parseExactJson('{"a":1,"\\u0061":2}')).toEqual({
    error: 'member "a" appears twice',
    at: 7,
  })
})

test.each([
  ['', 'unexpected end', 0],
  ['  ', 'unexpected end', 2],
  ['nul', 'expected a value', 0],
  ['NaN', 'expected a value', 0],
  ["'a'", 'expected a value', 0],
  ['[1,]', 'expected a value', 3],
  ['[1 2]', 'expected a comma or the end of the array', 3],
  ['{"a":1,}', 'expected a member name', 7],
  ['{a:1}', 'expected a member name', 1],
  ['{"a" 1}', 'expected a colon', 5],
  ['{"a":1', 'expected a comma or the end of the object', 6],
  ['1 2', 'text after the end of the value', 2],
  ['01', 'text after the end of the value', 1],
  ['1.', 'text after the end of the value', 1],
  ['+1', 'expected a value', 0],
  ['.5', 'expected a value', 0],
  ['\ufeff1', 'expected a value', 0],
  ['\u00a01', 'expected a value', 0],
  ['"a', 'text without end', 0],
  ['"a\\"', 'text without end', 0],
  ['"\n"', 'control character in text', 1],
  ['"\\x"', 'unknown escape', 1],
  ['"\\u12g4"', 'unknown escape', 1],
  ['"\\ud83d"', 'half of a surrogate pair', 0],
  ['"\\ude00\\ud83d"', 'half of a surrogate pair', 0],
  ['1e1000000000000000', 'number with too long an exponent', 0],
])('%j is refused: %s', (text, error, at) => {
  expect(parseExactJson(text)).toEqual({ error, at })
})

test('nesting is limited, and never exhausts the stack', () => {
  expect(parseExactJson('[[1]]', 1)).toEqual({ error: 'nested deeper than 1', at: 1 })
  expect(parseExactJson('[[1]]', 2)).toEqual({ node: [[1]] })
  expect(parseExactJson('[{"a":[]},{"a":[]}]', 3)).toEqual({
    node: [new Map([['a', []]]), new Map([['a', []]])],
  })
  expect(parseExactJson('['.repeat(1_000_000), 1_000_000)).toEqual({
    error: 'nested deeper than 500',
    at: 500,
  })
})

test('an object merges into the one that was there, leaf by leaf', () => {
  expect(mergeJson('{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":4,"e":5}}')).toBe(
    '{"a":1,"b":{"c":2,"d":4,"e":5}}',
  )
})

test('null and absent members of the patch keep what was there', () => {
  expect(mergeJson('{"a":1,"b":{"c":2},"d":null}', '{"a":null,"b":{"c":null},"d":null}')).toBe(
    '{"a":1,"b":{"c":2},"d":null}',
  )
})

test('null members are left out where nothing was there', () => {
  expect(mergeJson('{}', '{"a":null,"b":{"c":null}}')).toBe('{"b":{}}')
  expect(mergeJson(null, '{"a":null,"b":[null]}')).toBe('{"b":[null]}')
})

test('where no object was there, the patch merges into an empty one', () => {
  expect(mergeJson('[1]', '{"a":null,"b":1}')).toBe('{"b":1}')
  expect(mergeJson('{"a":5}', '{"a":{"b":1,"c":null}}')).toBe('{"a":{"b":1}}')
})

test('anything but an object replaces, an array too', () => {
  expect(mergeJson('{"a":{"b":1},"c":[1,2]}', '{"a":5,"c":[3]}')).toBe('{"a":5,"c":[3]}')
  expect(mergeJson('{"a":1}', '[null]')).toBe('[null]')
})

function read(text: string): Value {
  const result = parseExactJson(text)
  if ('error' in result) throw new Error(result.error)
  return jsonValue(result.node)
}

function json(text: string): { type: 'json'; text: string } {
  return { type: 'json', text }
}
