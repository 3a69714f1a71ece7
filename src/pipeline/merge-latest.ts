import { compareChanges, type KeyChange, type Truncate } from '../core/change.ts'
import { latestOf, type Latest } from '../core/scd1.ts'
import type { Commit, LatestTable, Store } from '../ports/store.ts'
import { lateOf } from './arrivals.ts'
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
    ties += countTies(changes, stored)
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

function countTies(changes: readonly KeyChange[], stored: Latest | null): number {
  if (changes.length === 1 && stored === null) return 0
  const seen = new Map<string, KeyChange[]>()
  let ties = 0
  for (const change of changes) {
    const others = seen.get(change.sequence) ?? []
    const known = others.some((other) => compareChanges(other, change) === 0)
    const tied = stored?.stamp.sequence === change.sequence && !isSame(stored, change)
    if (!known && (others.length > 0 || tied)) ties += 1
    seen.set(change.sequence, [...others, change])
  }
  return ties
}

function isSame({ stamp }: Latest, change: KeyChange): boolean {
  return (
    stamp.stream === change.stream && stamp.number === change.number && stamp.part === change.part
  )
}
