import { compareChanges, type Change, type Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import type { HistoryTable } from '../ports/store.ts'
import { inOrder, type Arrivals } from './arrivals.ts'
import { KeyWeaver } from './key-weaver.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'

/** Merges a batch into versions (SCD type 2, bitemporal with the engine's time), key by key. */
export function mergeTimeline(task: MergeTask): MergeCounts {
  const { store, facts, arrivals } = task
  const table = store.historyTable(facts.name)
  const truncates = inOrder(arrivals.truncates)
  const known = store
    .truncates(facts.name)
    .map(({ truncate }) => truncate)
    .filter((truncate) => !isAmong(truncate, truncates))
  const snapshots = store.snapshots(facts.name).map(({ snapshot }) => snapshot)

  const weaver = new KeyWeaver({ ...task, truncates: known, snapshots })
  // A truncate concerns every key that exists just before it, and every key of this batch.
  for (const key of keysReached(table, truncates, arrivals)) weaver.weave(key, truncates)
  for (const key of arrivals.sortedKeys()) {
    const changes = arrivals.byKey.get(key) ?? []
    weaver.arrived(changes)
    weaver.weave(
      key,
      inOrder<Change>(truncates.length === 0 ? changes : [...truncates, ...changes]),
    )
  }
  return { late: weaver.late.size, ties: weaver.ties }
}

function* keysReached(
  table: HistoryTable,
  truncates: readonly Truncate[],
  arrivals: Arrivals,
): Iterable<Key> {
  const before = new Set<Sequence>(truncates.map(({ sequence }) => sequence))
  for (const sequence of before) {
    for (const key of table.keysAliveBefore(sequence)) {
      if (!arrivals.byKey.has(key)) yield key
    }
  }
}

function isAmong(truncate: Truncate, others: readonly Truncate[]): boolean {
  return others.some((other) => compareChanges(other, truncate) === 0)
}
