import { BugError } from './errors.ts'
import { isTagged } from './value.ts'
import type { Tagged, Value } from './value.ts'

/** Longest plain spelling that is written out; beyond it numbers are spelled `d.ddde±x`. */
const MAX_PLAIN_LENGTH = 400

/** More digits of an exponent than this are no number to us: exponents stay exact as JS numbers. */
const MAX_EXPONENT_DIGITS = 15

/** A finite number of any size. */
export type Numeric = number | bigint | Tagged

/**
 * A number taken apart: ±0.digits × 10^exponent, without leading or trailing zeros in the
 * digits, so that it is unique. Zero has no digits and exponent 0.
 */
export type Decomposed = {
  readonly negative: boolean
  readonly digits: string
  readonly exponent: number
}

/** Whether a value is a finite number; `NaN` and the infinities are not. */
export function isNumeric(value: Value): value is Numeric {
  if (typeof value === 'number' || typeof value === 'bigint') return true
  return isTagged(value) && value.type === 'decimal'
}

/**
 * The value that the spelling of a number denotes, exactly and never through a double; null if it spells none.
 *
 * Takes sign, digits, fraction and exponent as JSON and SQL write them (`+5`, `.5`, `5.` and
 * leading zeros too). Cheap for any exponent: nothing is ever written out beyond 400 digits.
 */
export function numberFrom(text: string): Value | null {
  if (isShortInteger(text)) return Number(text)
  const parts = decompose(text)
  return parts === null ? null : numberOf(parts)
}

/** The value of a double. An integer beyond 2^53 is the one that its shortest spelling denotes; `-0` is 0. */
export function numberFromDouble(n: number): Value {
  if (Number.isSafeInteger(n)) return n === 0 ? 0 : n
  if (!Number.isFinite(n)) return { type: 'double', text: String(n) }
  return Number.isInteger(n) ? (numberFrom(String(n)) ?? n) : n
}

/**
 * All digits of a number, as JSON spells it: plain up to 400 digits, then scientific. Equal
 * numbers have one spelling. `NaN` and the infinities are spelled as words.
 */
export function numberText(value: Value): string {
  if (typeof value === 'number') {
    const text = String(value)
    return text.includes('e') ? plainText(partsOf(value)) : text
  }
  if (typeof value === 'bigint') return value.toString()
  if (isTagged(value) && (value.type === 'decimal' || value.type === 'double')) return value.text
  throw new BugError(`no number: ${typeof value}`)
}

/** Order of two numbers by value, exactly. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  if (!isTagged(a) && !isTagged(b)) {
    if (a === b) return 0
    return a < b ? -1 : 1
  }
  return compareDecomposed(partsOf(a), partsOf(b))
}

/** Takes a number apart. */
export function partsOf(value: Numeric): Decomposed {
  const text = isTagged(value) ? value.text : String(value)
  const parts = decompose(text)
  if (parts === null) throw new BugError(`no number: ${text}`)
  return parts
}

/** Puts a number together: the one value that it has. */
export function numberOf(parts: Decomposed): Value {
  const { negative, digits, exponent } = parts
  const isInteger = exponent >= digits.length
  if (!isInteger) {
    const double = exactDouble(parts)
    if (double !== null) return double
    return {
      type: 'decimal',
      text: plainLength(parts) > MAX_PLAIN_LENGTH ? scientificText(parts) : plainText(parts),
    }
  }
  if (exponent > MAX_PLAIN_LENGTH) return { type: 'decimal', text: scientificText(parts) }
  const magnitude = digits.padEnd(exponent, '0')
  const text = negative ? `-${magnitude}` : magnitude
  const n = Number(text)
  return Number.isSafeInteger(n) ? n : BigInt(text)
}

function compareDecomposed(a: Decomposed, b: Decomposed): number {
  const sign = signOf(a)
  if (sign !== signOf(b)) return Math.sign(sign - signOf(b))
  if (a.exponent !== b.exponent) return sign * Math.sign(a.exponent - b.exponent)
  if (a.digits === b.digits) return 0
  return a.digits < b.digits ? -sign : sign
}

function signOf({ negative, digits }: Decomposed): number {
  if (digits === '') return 0
  return negative ? -1 : 1
}

/** Whether a text is an integer of up to 15 digits without sign: the common case, worth a short cut. */
function isShortInteger(text: string): boolean {
  if (text.length === 0 || text.length > 15) return false
  for (let i = 0; i < text.length; i += 1) {
    if (!isDigit(text.charCodeAt(i))) return false
  }
  return true
}

/** Takes the spelling of a number apart, in time linear in its length; null if it spells none. */
function decompose(text: string): Decomposed | null {
  const first = text.charCodeAt(0)
  const start = first === MINUS || first === PLUS ? 1 : 0
  const wholeEnd = skipDigits(text, start)
  const hasPoint = text.charCodeAt(wholeEnd) === POINT
  const end = hasPoint ? skipDigits(text, wholeEnd + 1) : wholeEnd
  const digitCount = end - start - Number(hasPoint)
  if (digitCount === 0) return null

  const given = end === text.length ? 0 : exponentOf(text, end)
  if (given === null) return null

  const all = hasPoint
    ? text.slice(start, wholeEnd) + text.slice(wholeEnd + 1, end)
    : text.slice(start, end)
  const leading = countLeadingZeros(all)
  if (leading === all.length) return ZERO
  return {
    negative: first === MINUS,
    digits: stripTrailingZeros(all.slice(leading)),
    exponent: wholeEnd - start - leading + given,
  }
}

const PLUS = 43
const MINUS = 45
const POINT = 46
const ZERO_DIGIT = 48
const ZERO: Decomposed = { negative: false, digits: '', exponent: 0 }

/** The exponent that is spelled from `at` to the end; null if none is, or one too long. */
function exponentOf(text: string, at: number): number | null {
  if (text[at] !== 'e' && text[at] !== 'E') return null
  const sign = text.charCodeAt(at + 1)
  const start = sign === MINUS || sign === PLUS ? at + 2 : at + 1
  if (start === text.length || skipDigits(text, start) !== text.length) return null
  const digits = text.slice(start)
  if (digits.length - countLeadingZeros(digits) > MAX_EXPONENT_DIGITS) return null
  return sign === MINUS ? -Number(digits) : Number(digits)
}

function isDigit(unit: number): boolean {
  return unit >= ZERO_DIGIT && unit <= 57
}

function skipDigits(text: string, from: number): number {
  let at = from
  while (at < text.length && isDigit(text.charCodeAt(at))) at += 1
  return at
}

function countLeadingZeros(digits: string): number {
  let count = 0
  while (count < digits.length && digits.charCodeAt(count) === ZERO_DIGIT) count += 1
  return count
}

/** Digits without the zeros at their end. */
export function stripTrailingZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO_DIGIT) end -= 1
  return digits.slice(0, end)
}

/** The double whose shortest spelling is the number, if there is one. */
function exactDouble(parts: Decomposed): number | null {
  const { negative, digits, exponent } = parts
  if (digits.length > 17 || exponent < -330) return null
  const n = Number(`${negative ? '-' : ''}0.${digits}e${exponent}`)
  // Fifteen digits always come back from a double of normal size.
  if (digits.length <= 15 && exponent > -290) return n
  const spelled = decompose(String(n))
  return spelled?.digits === digits && spelled.exponent === exponent ? n : null
}

/** Length of the plain spelling of a number that is no integer, without its sign. */
function plainLength({ digits, exponent }: Decomposed): number {
  return exponent > 0 ? digits.length + 1 : digits.length + 2 - exponent
}

function plainText({ negative, digits, exponent }: Decomposed): string {
  const sign = negative ? '-' : ''
  if (digits === '') return '0'
  if (exponent <= 0) return `${sign}0.${'0'.repeat(-exponent)}${digits}`
  if (exponent >= digits.length) return sign + digits.padEnd(exponent, '0')
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`
}

/** `d.ddde±x`: one digit before the point, no point after a single digit. */
function scientificText({ negative, digits, exponent }: Decomposed): string {
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : ''
  const power = exponent - 1
  return `${negative ? '-' : ''}${digits.charAt(0)}${rest}e${power < 0 ? '-' : '+'}${Math.abs(power)}`
}
