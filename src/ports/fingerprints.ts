import type { FingerprintPage } from '../core/fingerprint.ts'
import type { Key } from '../core/key.ts'

/** What the fingerprints of a snapshot were taken of. */
export type FingerprintsHead = {
  /** All that decides, beside its bytes, which row a record is. */
  readonly context: string
  /** Of its rows as a set, see Stage (stage.ts). */
  readonly digest: string
  /** The column names of its records, each list once. */
  readonly shapes: readonly (readonly string[])[]
}

/** The fingerprints of the records of the snapshot that a target is equal to. */
export interface Fingerprints {
  readonly head: FingerprintsHead
  /** How many records. */
  readonly count: number
  readonly pages: number
  /** A page by its number, from 0; all but the last are full. */
  page(index: number): FingerprintPage
}

/** Takes the fingerprints of a snapshot while it is read, outside of the store's transactions and in bounded memory. */
export interface FingerprintDraft extends Disposable {
  /** How many records. */
  readonly count: number
  /** Adds a record, whose fingerprint is at a place of `words`. */
  add(words: Uint32Array, at: number, shape: number, key: Key): void
  /** All of them, once nothing is added any more. */
  pages(): Iterable<FingerprintPage>
}
