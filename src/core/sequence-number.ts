import { numberOf, partsOf } from './number.ts'
import type { Numeric } from './number.ts'
import type { Value } from './value.ts'

/**
 * Numbers as ASCII text in numeric order, for integers of any size, decimals and any exponent.
 *
 * With the number as 0.digits × 10^exponent: the exponent, then the digits. An integer has as
 * many digits as its exponent says, so that nothing needs computing but its length.
 *
 *     0      0            zero
 *     255    a3 255       one digit of exponent (a), exponent 3
 *     1e10   b11 10000000000
 *     0.05   P8 5         exponent -1: upper case, its digits complemented
 *     -255   -P6 744~     everything complemented, then a mark above all digits
 *
 * Beyond 400 digits integers lose their trailing zeros: the work is bounded for any exponent.
 */
export function encodeNumber(value: Numeric): string {
  if (typeof value === 'number' && value > 0 && Number.isSafeInteger(value)) {
    const digits = String(value)
    return (INTEGER_PREFIXES[digits.length] ?? '') + digits
  }
  const { negative, digits, exponent } = partsOf(value)
  if (digits === '') return '0'

  const padded = exponent <= MAX_PADDED ? digits.padEnd(exponent, '0') : digits
  const magnitude = exponentText(exponent) + padded
  return negative ? `-${complement(magnitude)}~` : magnitude
}

/** The number that {@link encodeNumber} spelled. */
export function decodeNumber(text: string): Value {
  if (text === '0') return 0
  const negative = text.startsWith('-')
  const magnitude = negative ? complement(text.slice(1, -1)) : text

  const letter = magnitude.charCodeAt(0)
  const isLarge = letter > BEFORE_LOWER
  const start = 1 + (isLarge ? letter - BEFORE_LOWER : AFTER_UPPER - letter)
  const size = magnitude.slice(1, start)
  const exponent = isLarge ? Number(size) : 0 - Number(complement(size))
  return numberOf({ negative, digits: magnitude.slice(start), exponent })
}

const MAX_PADDED = 400

/** Lower-case letters count the digits of an exponent above 0: `a` one, up to `p` sixteen. */
const BEFORE_LOWER = 96

/** Upper-case letters those of an exponent of 0 or below, downwards: `P` one, down to `A` sixteen. */
const AFTER_UPPER = 81

/** What precedes a safe integer, by the number of its digits. */
const INTEGER_PREFIXES: readonly string[] = Array.from({ length: 17 }, (_, size) =>
  size === 0 ? '' : exponentText(size),
)

function exponentText(exponent: number): string {
  const size = String(Math.abs(exponent))
  if (exponent > 0) return String.fromCharCode(BEFORE_LOWER + size.length) + size
  return String.fromCharCode(AFTER_UPPER - size.length) + complement(size)
}

/** Turns the order of digits and of the letters `A`–`P`, `a`–`p` around; its own inverse. */
function complement(text: string): string {
  let out = ''
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    out += String.fromCharCode(unit < 58 ? 105 - unit : 177 - unit)
  }
  return out
}
