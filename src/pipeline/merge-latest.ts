import type { Truncate } from '../core/change.ts'
import type { CellValues } from '../core/plain-changes.ts'
import { LatestFold, type Takeover } from '../core/scd1.ts'
import type { Commit, LatestTable, Store } from '../ports/store.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'
import { storeOrder } from './store-order.ts'

/** Merges a batch into SCD type 1 rows where the latest change of a key decides alone. */
export function mergeLatest(task: MergeTask): MergeCounts {
  const table = task.store.latestTable(task.facts.name)
  const fold = new LatestFold((key) => table.latest(key))
  task.arrivals.handTo(fold)
  return writeLatest(task, fold)
}

/** Writes what has been folded already. */
export function writeLatest<V extends CellValues>(
  { store, facts, commit }: Omit<MergeTask, 'arrivals'>,
  fold: LatestFold<V>,
): MergeCounts {
  const table = store.latestTable(facts.name)
  for (const truncate of fold.truncates) table.truncate(truncate)
  const truncate = latestTruncate(store, facts.name)
  for (const slot of storeOrder(fold.keys)) {
    const takeover = fold.takeover(slot, truncate)
    if (takeover !== null) write(table, takeover, commit)
  }
  const { late, ties } = fold
  return { late, ties }
}

/** The last of a target's truncates, those of this batch included. */
export function latestTruncate(store: Store, target: string): Truncate | null {
  return store.truncates(target).at(-1)?.truncate ?? null
}

function write(table: LatestTable, { kept, change }: Takeover, commit: Commit): void {
  if (change.op === 'delete') table.bury(change, commit, kept)
  else table.put(change, commit, kept)
}
