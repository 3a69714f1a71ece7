import { hash } from 'node:crypto'

/** Writes the first words of the SHA-256 of some content, of 32 bits each, into `words` from `at` on. */
export function writeSha256(
  content: string | Uint8Array,
  words: Uint32Array,
  { at, count }: { readonly at: number; readonly count: number },
): void {
  // A string of a character per byte is had much sooner than a buffer or hexadecimal digits.
  const text = hash('sha256', content, 'binary')
  for (let i = 0; i < count; i += 1) {
    words[at + i] =
      text.charCodeAt(i * 4) |
      (text.charCodeAt(i * 4 + 1) << 8) |
      (text.charCodeAt(i * 4 + 2) << 16) |
      (text.charCodeAt(i * 4 + 3) << 24)
  }
}
