import { expect, test } from 'vitest'
import {
  compareNumbers,
  isNumeric,
  numberFrom,
  numberFromDouble,
  numberText,
} from '../../src/core/number.ts'

test('an integer that a double holds is a JS number', () => {
  expect(numberFrom('42')).toBe(42)
  expect(numberFrom('-9007199254740991')).toBe(-9007199254740991)
})

test('a longer integer is a bigint with all its digits', () => {
  expect(numberFrom('9007199254740992')).toBe(9007199254740992n)
  expect(numberFrom('-123456789012345678901234567890')).toBe(-123456789012345678901234567890n)
})

test('a number whose shortest spelling as a double is the number is a JS number', () => {
  expect(numberFrom('0.1')).toBe(0.1)
  expect(numberFrom('5e-324')).toBe(5e-324)
  expect(numberFrom('0.30000000000000004')).toBe(0.30000000000000004)
})

test('any other number keeps its digits as a decimal', () => {
  expect(numberFrom('0.1000000000000000055')).toEqual(decimal('0.1000000000000000055'))
  expect(numberFrom('-12345678901234567890.5')).toEqual(decimal('-12345678901234567890.5'))
  expect(numberFrom('4e-324')).toEqual(decimal(`0.${'0'.repeat(323)}4`))
})

test('equal numbers are one value however they are spelled', () => {
  expect(numberFrom('1.10')).toBe(1.1)
  expect(numberFrom('11e-1')).toBe(1.1)
  expect(numberFrom('1.0')).toBe(1)
  expect(numberFrom('1e3')).toBe(1000)
  expect(numberFrom('+007')).toBe(7)
  expect(numberFrom('.5')).toBe(0.5)
  expect(numberFrom('5.')).toBe(5)
  expect(numberFrom('100000000000000000000')).toBe(numberFrom('1e20'))
})

test('zero is zero, with any sign and any exponent', () => {
  expect(numberFrom('-0')).toBe(0)
  expect(numberFrom('-0.000')).toBe(0)
  expect(numberFrom('0e999999')).toBe(0)
})

test('beyond 400 digits a number is spelled with an exponent, and an enormous one costs nothing', () => {
  expect(numberFrom('1e399')).toBe(10n ** 399n)
  expect(numberFrom('1e400')).toEqual(decimal('1e+400'))
  expect(numberFrom('-12.50e999999999')).toEqual(decimal('-1.25e+1000000000'))
  expect(numberFrom('1e-398')).toEqual(decimal(`0.${'0'.repeat(397)}1`))
  expect(numberFrom('1e-399')).toEqual(decimal('1e-399'))
})

test('what is no number is null', () => {
  const spellings = [
    '',
    '-',
    '.',
    'e5',
    '1e',
    '1e+',
    '1.2.3',
    ' 1',
    '1 ',
    '1_000',
    '0x10',
    'NaN',
    'Infinity',
    '١',
  ]
  expect(spellings.map(numberFrom)).toEqual(spellings.map(() => null))
})

test('an exponent of more than 15 digits is no number', () => {
  expect(numberFrom('1e999999999999999')).toEqual(decimal('1e+999999999999999'))
  expect(numberFrom('1e-0000000000000000000001')).toBe(0.1)
  expect(numberFrom('1e1000000000000000')).toBe(null)
})

test('a double is the number that its shortest spelling denotes', () => {
  expect(numberFromDouble(1e23)).toBe(10n ** 23n)
  expect(numberFromDouble(2 ** 53)).toBe(9007199254740992n)
  expect(numberFromDouble(0.1)).toBe(0.1)
  expect(Object.is(numberFromDouble(-0), 0)).toBe(true)
})

test('a double that is no number keeps its word, and is not numeric', () => {
  expect(numberFromDouble(Number.NaN)).toEqual({ type: 'double', text: 'NaN' })
  expect(numberFromDouble(-Infinity)).toEqual({ type: 'double', text: '-Infinity' })
  expect(isNumeric({ type: 'double', text: 'NaN' })).toBe(false)
  expect(isNumeric('1')).toBe(false)
})

test('the text of a number has all its digits and no exponent', () => {
  expect(numberText(1e-7)).toBe('0.0000001')
  expect(numberText(-1.5)).toBe('-1.5')
  expect(numberText(10n ** 21n)).toBe('1000000000000000000000')
  expect(numberText(decimal('1.5e+500'))).toBe('1.5e+500')
})

test('numbers compare exactly, whatever they are held in', () => {
  expect(compareNumbers(9007199254740991, 9007199254740993n)).toBe(-1)
  expect(compareNumbers(0.1, decimal('0.1000000000000000055'))).toBe(-1)
  expect(compareNumbers(decimal('-1e+500'), -1)).toBe(-1)
  expect(compareNumbers(decimal('1e-500'), 0)).toBe(1)
  expect(compareNumbers(decimal('-1e+500'), decimal('1e+500'))).toBe(-1)
  expect(compareNumbers(decimal('1e+500'), decimal('1e+500'))).toBe(0)
})

function decimal(text: string): { type: 'decimal'; text: string } {
  return { type: 'decimal', text }
}
