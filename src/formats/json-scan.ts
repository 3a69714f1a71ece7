/** Objects and arrays of a record may nest this deep. */
export const MAX_DEPTH = 128

/** What a scan returns where `JSON.parse` could lose something, or the text may be broken. */
export const NEEDS_EXACT = -1

/** Added to the count of a text that has bytes beyond ASCII. */
export const NON_ASCII = 2 ** 31

/**
 * Looks at JSON text, without parsing it, for everything that `JSON.parse` silently changes.
 *
 * Returns the number of colons outside texts, which is the number of members if the JSON is
 * well formed, plus {@link NON_ASCII}; or {@link NEEDS_EXACT} for an exponent, a fraction with
 * more than 15 digits, an escaped surrogate, and nesting beyond {@link MAX_DEPTH}. Integers
 * beyond 2^53 are left to the caller: they are still too large after parsing, so they show.
 */
export function scanJson(bytes: Uint8Array, start: number, end: number): number {
  let colons = 0
  let depth = 0
  let seen = 0
  let i = start
  while (i < end) {
    const byte = bytes[i] ?? 0
    i += 1
    if (byte === QUOTE) {
      for (;;) {
        if (i >= end) return NEEDS_EXACT
        const inside = bytes[i] ?? 0
        i += 1
        if (inside === QUOTE) break
        seen |= inside
        if (inside !== BACKSLASH) continue
        if (bytes[i] === LOWER_U && isSurrogateDigit(bytes[i + 1])) return NEEDS_EXACT
        i += 1
      }
    } else if (byte === COLON) {
      colons += 1
    } else if (byte >= ZERO && byte <= NINE) {
      i = skipNumber(bytes, i, end)
      if (i === NEEDS_EXACT) return NEEDS_EXACT
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      if (depth > MAX_DEPTH) return NEEDS_EXACT
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1
    } else {
      seen |= byte
    }
  }
  return seen >= 0x80 ? colons + NON_ASCII : colons
}

/** The end of a number whose first digit lies just before `from`. */
function skipNumber(bytes: Uint8Array, from: number, end: number): number {
  let i = from
  let digits = 1
  let hasPoint = false
  for (; i < end; i += 1) {
    const byte = bytes[i] ?? 0
    if (byte >= ZERO && byte <= NINE) digits += 1
    else if (byte === POINT) hasPoint = true
    else if (byte === LOWER_E || byte === UPPER_E) return NEEDS_EXACT
    else break
  }
  return hasPoint && digits > MAX_FRACTION_DIGITS ? NEEDS_EXACT : i
}

/** A decimal of fifteen digits always comes back from a double. */
const MAX_FRACTION_DIGITS = 15

/** Whether `\u` followed by this digit may spell a surrogate, `D800` to `DFFF`. */
function isSurrogateDigit(byte: number | undefined): boolean {
  return byte === 0x44 || byte === 0x64
}

const QUOTE = 0x22
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const UPPER_E = 0x45
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LOWER_E = 0x65
const LOWER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
