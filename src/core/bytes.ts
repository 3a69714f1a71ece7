const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Base64 text, padded, of bytes given as hex. */
export function base64OfHex(hex: string): string {
  let out = ''
  for (let i = 0; i < hex.length; i += 6) {
    const group = hex.slice(i, i + 6)
    const bits = Number.parseInt(group.padEnd(6, '0'), 16)
    const full = sextet(bits >> 18) + sextet(bits >> 12) + sextet(bits >> 6) + sextet(bits)
    out += group.length === 6 ? full : full.slice(0, group.length / 2 + 1).padEnd(4, '=')
  }
  return out
}

/** Lower-case hex of bytes given as base64, padded or not; null where the text is no base64. */
export function hexOfBase64(text: string): string | null {
  const digits = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text
  if (digits.length % 4 === 1) return null

  let out = ''
  for (let i = 0; i < digits.length; i += 4) {
    const group = digits.slice(i, i + 4)
    const bits = bitsOf(group)
    if (bits === null) return null
    const size = group.length - 1
    const hex = bits.toString(16).padStart(6, '0')
    // Bits after the last byte are no part of it: two texts for the same bytes would be a trap.
    if (/[^0]/.test(hex.slice(2 * size))) return null
    out += hex.slice(0, 2 * size)
  }
  return out
}

function sextet(bits: number): string {
  return ALPHABET.charAt(bits & 63)
}

/** The 24 bits of up to four digits, missing ones being zero; null where one is no digit. */
function bitsOf(group: string): number | null {
  let bits = 0
  for (const digit of group) {
    const six = ALPHABET.indexOf(digit)
    if (six < 0) return null
    bits = bits * 64 + six
  }
  return bits * 64 ** (4 - group.length)
}
