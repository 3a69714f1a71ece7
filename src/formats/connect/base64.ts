import { hexOfBase64 } from '../../core/bytes.ts'

/** The bytes that base64 text spells, padded or not; null where it is none. Linear and fast where it is padded. */
export function bytesOfBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') === text) return bytes
  const hex = hexOfBase64(text)
  return hex === null ? null : Buffer.from(hex, 'hex')
}
