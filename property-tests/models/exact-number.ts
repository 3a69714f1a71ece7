/** A number as a fraction: numerator over a power of ten. The oracle for everything that spells or compares numbers. */
export type Fraction = { readonly numerator: bigint; readonly denominator: bigint }

/** The fraction that a spelling denotes, by the book and at any cost: exponents of some hundreds at most. */
export function fractionOf(spelling: string): Fraction {
  const [mantissa = '', exponent = '0'] = spelling.toLowerCase().split('e')
  const [whole = '', decimals = ''] = mantissa.split('.')
  const digits = BigInt(`0${whole.replace(/[+-]/, '')}${decimals}`)
  const power = Number(exponent) - decimals.length
  const signed = whole.startsWith('-') ? -digits : digits
  return power >= 0
    ? { numerator: signed * 10n ** BigInt(power), denominator: 1n }
    : { numerator: signed, denominator: 10n ** BigInt(-power) }
}

/** -1, 0 or 1, as the first fraction is less than, equal to or greater than the second. */
export function compareFractions(a: Fraction, b: Fraction): number {
  const left = a.numerator * b.denominator
  const right = b.numerator * a.denominator
  if (left === right) return 0
  return left < right ? -1 : 1
}
