import { createHash } from 'node:crypto'

/** What some bytes were: how many, and their SHA-256 in hex. */
export type Digest = { readonly length: number; readonly sha256: string }

/** At most this many bytes are digested: enough to tell files apart, few enough to be read every time. */
export const DIGESTED_BYTES = 4096

/** The digest of bytes. */
export function digestOf(bytes: Uint8Array): Digest {
  return { length: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/** Whether bytes are those of a digest. */
export function isDigestOf(digest: Digest, bytes: Uint8Array): boolean {
  return bytes.length === digest.length && digestOf(bytes).sha256 === digest.sha256
}
