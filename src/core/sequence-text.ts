/**
 * Text as text whose order is that of code points both for JavaScript's `<`, which compares
 * UTF-16 units, and for UTF-8 bytes; without U+0000 and U+0001.
 *
 * The two orders differ from the surrogates on. So every code point from U+D7FF up is written
 * as U+D7FF and six digits of hex; everything usual stays as it is.
 */
export function encodeText(text: string): string {
  return UNSAFE_UNIT.test(text) ? text.replace(UNSAFE_POINT, escape) : text
}

/** The text that {@link encodeText} spelled. */
export function decodeText(text: string): string {
  return text.replace(ESCAPED, (_, low: string | undefined, high: string | undefined) =>
    String.fromCodePoint(Number.parseInt(low ?? high ?? '', 16)),
  )
}

const UNSAFE_UNIT = /[\u0000-\u0002\ud7ff-\uffff]/
const UNSAFE_POINT = /[\u0000-\u0002\ud7ff-\u{10ffff}]/gu
const ESCAPED = /\u0002([012])|\ud7ff([0-9a-f]{6})/g

function escape(character: string): string {
  const point = character.codePointAt(0) ?? 0
  return point < 0xd7ff ? `\u0002${point}` : `\ud7ff${point.toString(16).padStart(6, '0')}`
}
