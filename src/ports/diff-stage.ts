import type { Key } from '../core/key.ts'
import type { Row } from '../core/value.ts'

/** One of the two tables that are compared. */
export type Side = 'old' | 'new'

/** A row as a stage keeps it: equal rows have equal text. */
export type SpelledRow = { readonly key: Key; readonly text: string }

/** A key whose rows differ; null where it has none. */
export type SpelledChange = {
  readonly key: Key
  readonly before: string | null
  readonly after: string | null
}

/**
 * Holds two tables until both were read, then what differs between them, outside of any store
 * and in bounded memory.
 *
 * The implementer must: keep every row that was put, also several of one key; give them in key
 * order, by code point; spell two rows alike exactly if they are equal by type and content, null
 * cells at the end aside; give changes as they were kept.
 */
export interface DiffStage extends Disposable {
  put(side: Side, key: Key, row: Row): void
  /** All rows of a side; changes may be kept meanwhile. */
  sorted(side: Side): Iterable<SpelledRow>
  keep(change: SpelledChange): void
  kept(): Iterable<SpelledChange>
  /** Takes a row back from its text. */
  read(text: string): Row
}
