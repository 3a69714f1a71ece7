import type { Key } from '../core/key.ts'
import type { SnapshotRow } from '../core/snapshot.ts'

/** How a staged row stands to one of its key that was staged before. */
export type Staged = 'new' | 'same' | 'other'

/**
 * Holds the rows of one snapshot until all of it was read, outside of the store's transactions
 * and in bounded memory.
 *
 * The implementer must: keep the rows equal by type and content, give them in key order, and
 * give equal digests to equal sets of rows whatever their order and repetition.
 */
export interface Stage extends Disposable {
  /** Adds a row. Where its key has another row, `keep` says which of them stays. */
  put(row: SnapshotRow, keep: 'first' | 'last'): Staged
  has(key: Key): boolean
  readonly size: number
  keys(): Iterable<Key>
  /** The rows that stayed; the store, not the stage, may be written while they are walked. */
  rows(): Iterable<SnapshotRow>
  /** Of all rows that were put, those that did not stay included. */
  digest(): string
  /** The digest of a set of rows, given that of the same set with `gone` in the place of all rows that were put. */
  digestInstead(known: string, gone: Iterable<SnapshotRow>): string
  /** Whether a digest is that of the rows that were put, also one that an earlier version made. */
  hasDigest(digest: string): boolean
}
