import { expect, test } from 'vitest'
import { readKey, readLimit, readValue, readWholeKey } from '../../src/cli/values.ts'

test('a value that parses as JSON is that', () => {
  expect(readValue('5')).toBe(5)
  expect(readValue('"5"')).toBe('5')
  expect(readValue('null')).toBe(null)
  expect(readValue('[1, "a"]')).toEqual({ type: 'json', text: '[1,"a"]' })
})

test('a number keeps all its digits', () => {
  expect(readValue('12345678901234567890')).toBe(12345678901234567890n)
  expect(readValue('0.12345678901234567890123')).toEqual({
    type: 'decimal',
    text: '0.12345678901234567890123',
  })
})

test('a value that is no JSON is text', () => {
  expect(readValue('00123')).toBe('00123')
  expect(readValue('2026-01-01')).toBe('2026-01-01')
  expect(readValue('')).toBe('')
})

test('a key is read part by part', () => {
  expect(readKey(['shop=7', 'item=A=1'], ['shop', 'item'])).toEqual({ shop: 7, item: 'A=1' })
})

test('the longest key name that fits is meant', () => {
  expect(readKey(['a=b=1'], ['a', 'a=b'])).toEqual({ 'a=b': 1 })
})

test('what is no key is answered with the nearest', () => {
  expect(() => readKey(['userid=1'], ['userId'])).toThrow(
    'USAGE: "userid" is no key of the target; did you mean userId?',
  )
})

test('a key without a value is refused', () => {
  expect(() => readKey(['userId'], ['userId'])).toThrow(
    'USAGE: --key needs NAME=VALUE, not "userId"',
  )
})

test('a key given twice is refused', () => {
  expect(() => readKey(['a=1', 'a=2'], ['a'])).toThrow('USAGE: key "a" is given twice')
})

test('a whole key names what it lacks', () => {
  expect(() => readWholeKey(['b=1'], ['a', 'b', 'c'])).toThrow(
    'USAGE: the key is not whole: add --key a=… --key c=…',
  )
  expect(readWholeKey(['a=1'], ['a'])).toEqual({ a: 1 })
})

test('a limit is a whole number that is not negative', () => {
  expect(readLimit(null)).toBe(undefined)
  expect(readLimit('0')).toBe(0)
  expect(() => readLimit('-1')).toThrow('USAGE: --limit needs a whole number, not "-1"')
  expect(() => readLimit('1.5')).toThrow('USAGE: --limit needs a whole number, not "1.5"')
})
