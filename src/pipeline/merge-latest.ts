import type { KeyChange, Truncate } from '../core/change.ts'
import { latestOf } from '../core/scd1.ts'
import type { Commit, LatestTable, Store } from '../ports/store.ts'
import { lateOf, tiesOf } from './arrivals.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'

/** Merges a batch into SCD type 1 rows where the latest change of a key decides alone. */
export function mergeLatest({ store, facts, arrivals, commit }: MergeTask): MergeCounts {
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
    put(table, latestOf(stored, changes, truncate), commit)
  }
  return { late, ties }
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
