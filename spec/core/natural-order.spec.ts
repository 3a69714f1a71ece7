import { expect, test } from 'vitest'
import { compareNatural } from '../../src/core/change.ts'

const sorted = (...names: string[]) => names.toSorted(compareNatural)

test('numbers compare as numbers, whatever zeros they begin with', () => {
  expect(sorted('f010', 'f9', 'f0011', 'f2')).toEqual(['f2', 'f9', 'f010', 'f0011'])
  expect(sorted('a100b', 'a20c', 'a003d')).toEqual(['a003d', 'a20c', 'a100b'])
})

test('equal numbers are told apart by the whole name, by code point', () => {
  expect(sorted('f1', 'f01', 'f001')).toEqual(['f001', 'f01', 'f1'])
  expect(sorted('f1b', 'f01a')).toEqual(['f01a', 'f1b'])
  expect(sorted('f01b', 'f1a')).toEqual(['f1a', 'f01b'])
})

test('a zero is a number', () => {
  expect(sorted('f1', 'f0', 'f00')).toEqual(['f0', 'f00', 'f1'].toSorted(compareNatural))
  expect(compareNatural('f0x', 'f1x')).toBeLessThan(0)
  expect(compareNatural('f00', 'f0')).toBeGreaterThan(0)
})

test('a number and a text compare by code point', () => {
  expect(sorted('a:', 'a9', 'a/', 'ab', 'a0')).toEqual(['a/', 'a0', 'a9', 'a:', 'ab'])
  expect(sorted('9', ':', '/', '0')).toEqual(['/', '0', '9', ':'])
})

test('texts compare as a whole, not letter by letter of equal length', () => {
  expect(sorted('ab1', 'a2', 'abc')).toEqual(['a2', 'ab1', 'abc'])
  expect(sorted('b', 'ab')).toEqual(['ab', 'b'])
})

test('a name comes before the longer ones that it begins, the empty one before all', () => {
  expect(sorted('a1b2', 'a1', 'a1b', '', 'a')).toEqual(['', 'a', 'a1', 'a1b', 'a1b2'])
})

test('equal names are equal', () => {
  expect(compareNatural('a1', 'a1')).toBe(0)
  expect(compareNatural('', '')).toBe(0)
})
