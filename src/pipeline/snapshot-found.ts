import type { Key } from '../core/key.ts'
import type { SnapshotRow } from '../core/snapshot.ts'
import type { State } from '../core/timeline.ts'

/** So many rows that differ are kept in memory from one look to the next. */
const MOST_FOUND = 20_000

/** A row, and what a look found where it belongs; null if it did not look. */
export type LookedAt = { readonly row: SnapshotRow; readonly before: State | null }

/** Rows at which nobody looked yet. */
export function* notLookedAt(rows: Iterable<SnapshotRow>): Iterable<LookedAt> {
  for (const row of rows) yield { row, before: null }
}

/** Rows that a look found to differ, and keys that it found missing, as long as they are few. */
export class Found {
  rows: LookedAt[] | null = []
  missing: Key[] | null = []

  add(row: LookedAt): void {
    if (this.rows?.push(row) === MOST_FOUND) this.rows = null
  }

  addMissing(key: Key): void {
    if (this.missing?.push(key) === MOST_FOUND) this.missing = null
  }
}
