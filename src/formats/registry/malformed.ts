/**
 * Payload that its schema does not describe. Thrown deep inside a decoder and turned into a
 * refusal where decoding began: a bad record stays data for everybody else.
 */
export class Malformed extends Error {
  override readonly name = 'Malformed'
}

/** Stops decoding with what is wrong. */
export function malformed(message: string): never {
  throw new Malformed(message)
}

/** How deep decoded values may nest; the same bound as for JSON. */
export { MAX_DEPTH } from '../json-scan.ts'
