import fc from 'fast-check'

/** Runs per law; `FC_RUNS` for long ones. */
export const RUNS = { numRuns: Number(process.env['FC_RUNS'] ?? 200) }

/**
 * Spellings of numbers: few digits, so that equal numbers meet in other spellings; long ones
 * around what doubles and plain spellings can hold; exponents on both sides of those limits.
 */
export const spelling: fc.Arbitrary<string> = fc
  .record({
    sign: fc.constantFrom('', '-', '+'),
    whole: fc.oneof(
      fc.constantFrom('0', '00', '1', '10', '100', '12', '9', '99', '9007199254740992'),
      fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String),
      fc.integer({ min: 395, max: 405 }).map((size) => '7'.repeat(size)),
    ),
    decimals: fc.oneof(
      fc.constantFrom('', '.0', '.5', '.50', '.1', '.001', '.99'),
      fc.bigInt({ min: 0n, max: 10n ** 20n }).map((digits) => `.${digits}`),
      fc.integer({ min: 390, max: 405 }).map((size) => `.${'0'.repeat(size)}1`),
    ),
    exponent: fc.oneof(
      fc.constantFrom('', '', '', 'e0', 'e1', 'E+2', 'e-1', 'e-02', 'e15', 'e-20'),
      fc.constantFrom('e308', 'e309', 'e-308', 'e-323', 'e-324', 'e-325', 'e399', 'e400', 'e-400'),
    ),
  })
  .map(({ sign, whole, decimals, exponent }) => sign + whole + decimals + exponent)

/** Text of characters where UTF-16 and code point order part, and those that encodings use for themselves. */
export const text: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '~',
      ' ',
      '\u0000',
      '\u0001',
      '\u0002',
      '\u0003',
      '0',
      '1',
      '2',
      '"',
      '\\',
      'é',
      '\ud7fe',
      '\ud7ff',
      '\ue000',
      '\ufffd',
      '\uffff',
      '😀',
      '\u{10ffff}',
      '\u{10000}',
    ),
    { maxLength: 4 },
  )
  .map((characters) => characters.join(''))

/** Bytes as hex. */
export const hex: fc.Arbitrary<string> = fc
  .uint8Array({ maxLength: 4 })
  .map((bytes) => Buffer.from(bytes).toString('hex'))

/** An instant: nanoseconds since 1970 in the years 1 to 9998, close ones likely. */
export const nanos: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: -2_000_000_000n, max: 2_000_000_000n }),
  fc.bigInt({ min: -62_135_000_000_000_000_000n, max: 253_370_000_000_000_000_000n }),
)

/** An offset from UTC as ISO spells it, and its minutes. */
export const offset: fc.Arbitrary<{ minutes: number; text: string }> = fc
  .record({
    minutes: fc.integer({ min: -14 * 60, max: 14 * 60 }),
    colon: fc.constantFrom(':', ''),
    space: fc.constantFrom('', ' '),
  })
  .map(({ minutes, colon, space }) => {
    const size = Math.abs(minutes)
    const hours = String(Math.floor(size / 60)).padStart(2, '0')
    const rest = String(size % 60).padStart(2, '0')
    return { minutes, text: `${space}${minutes < 0 ? '-' : '+'}${hours}${colon}${rest}` }
  })

/** Spells an instant on a clock that is so many minutes ahead of UTC. Uses `Date`, which the core does not. */
export function spellInstant(
  instant: bigint,
  clock: { minutes: number; text: string },
  separator = 'T',
): string {
  const second = 1_000_000_000n
  const fraction = ((instant % second) + second) % second
  const seconds = Number((instant - fraction) / second)
  const local = new Date((seconds + clock.minutes * 60) * 1000).toISOString()
  return `${local.slice(0, 10)}${separator}${local.slice(11, 19)}.${String(fraction).padStart(9, '0')}${clock.text}`
}
