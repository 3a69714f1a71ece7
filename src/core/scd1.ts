import {
  compareChanges,
  compareStamps,
  type KeyChange,
  type Stamp,
  type Truncate,
} from './change.ts'

/** Where the latest change of a key stands in the order, and whether the key exists after it. */
export type Latest = { readonly stamp: Stamp; readonly exists: boolean }

/**
 * The SCD type 1 view where every event writes every column (semantics 4): the latest change of a
 * key decides alone, unless a later truncate does. Where columns have writers of their own, see
 * registers.ts.
 *
 * `changes` are of one key, in any order; `stored` is null where nothing is kept of it; `truncate`
 * is the latest one that is known.
 *
 * @returns the change that takes the key over; null where what is stored stays
 */
export function latestOf(
  stored: Latest | null,
  changes: readonly KeyChange[],
  truncate: Truncate | null,
): KeyChange | null {
  let latest: KeyChange | null = null
  for (const change of changes) {
    if (latest === null || compareStamps(latest, change) < 0) latest = change
  }

  if (latest === null) return null
  if (stored !== null && compareStamps(stored.stamp, latest) >= 0) return null
  if (truncate !== null && compareChanges(truncate, latest) > 0) return null
  return latest
}
