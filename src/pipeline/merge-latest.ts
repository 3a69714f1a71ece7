import type { KeyChange, Truncate } from '../core/change.ts'
import { latestOf, type Latest } from '../core/scd1.ts'
import { onceEach } from '../core/timeline.ts'
import { sameRow } from '../core/value.ts'
import type { Commit, LatestTable, Store } from '../ports/store.ts'
import { lateOf, tiesOf } from './arrivals.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'

/** Merges a batch into SCD type 1 rows where the latest change of a key decides alone. */
export function mergeLatest({ store, facts, arrivals, commit, meaning }: MergeTask): MergeCounts {
  const table = store.latestTable(facts.name)
  for (const truncate of arrivals.truncates) table.truncate(truncate)

  const truncate = latestTruncate(store, facts.name)
  let late = 0
  let ties = 0
  for (const key of arrivals.sortedKeys()) {
    const changes = arrivals.byKey.get(key) ?? []
    const stored = table.latest(key)
    late += lateOf(changes, stored?.stamp.sequence ?? null).length
    ties += tiesOf(changes, stored === null ? [] : [stored.stamp])
    const fresh =
      meaning === 'ordered'
        ? changes
        : onceEach(changes).filter((change) => !isRepeated(store, facts.name, stored, change))
    put(table, latestOf(stored, fresh, truncate), commit)
  }
  return { late, ties }
}

/** Whether a change says at its sequence what is stored from there, so that the feed only repeats itself. */
function isRepeated(
  store: Store,
  target: string,
  stored: Latest | null,
  change: KeyChange,
): boolean {
  if (stored === null || stored.stamp.sequence !== change.sequence) return false
  if (stored.stamp.rank !== change.rank) return false
  if (change.op === 'delete') return !stored.exists
  const [row] = [...store.rows(target, { valid: null, system: null }, change.key)]
  return row !== undefined && sameRow(row.row, change.row)
}

/** The last of a target's truncates, those of this batch included. */
export function latestTruncate(store: Store, target: string): Truncate | null {
  return store.truncates(target).at(-1)?.truncate ?? null
}

function put(table: LatestTable, change: KeyChange | null, commit: Commit): void {
  if (change === null) return
  if (change.op === 'delete') table.bury(change, commit)
  else table.put(change, commit)
}
