import { isUtf8 } from 'node:buffer'
import { BugError } from '../core/errors.ts'

/** Length of the byte order mark in bytes. */
export const BOM_LENGTH = 3

/** Whether bytes begin with the byte order mark of UTF-8. */
export function startsWithBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

/** What to say of bytes that are no UTF-8 where they should be; null if they are. */
export function utf8Fault(bytes: Buffer): string | null {
  if (isUtf8(bytes)) return null
  const at = invalidAt(bytes)
  const byte = bytes.subarray(at, at + 1).toString('hex')
  return `invalid UTF-8: byte 0x${byte} at byte ${at + 1}`
}

/** Offset of the first byte that belongs to no character. */
function invalidAt(bytes: Buffer): number {
  // Decoding puts U+FFFD in place of what is invalid; what is before the first has its own length.
  const text = bytes.toString('utf8')
  let checked = 0
  let at = 0
  for (;;) {
    const next = text.indexOf('\ufffd', checked)
    if (next < 0) throw new BugError('bytes are invalid UTF-8, and yet every character is valid')
    at += Buffer.byteLength(text.slice(checked, next))
    const isGenuine = bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd
    if (!isGenuine) return at
    at += 3
    checked = next + 1
  }
}
