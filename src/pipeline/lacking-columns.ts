import { entriesOf } from '../core/key-history.ts'
import type { Snapshot } from '../core/snapshot.ts'
import { cell } from '../core/value.ts'
import type { Store } from '../ports/store.ts'

/**
 * The columns that some event up to a snapshot wrote and the snapshot lacks, as far as that is kept:
 * those of earlier snapshots and, of other events, those with a value.
 */
export function lackingColumns(
  store: Store,
  target: string,
  snapshot: Snapshot,
  columns: readonly string[],
): readonly string[] {
  const facts = store.target(target)
  if (facts === null) return []
  const applied = store.snapshots(target)
  const names = new Set(
    applied
      .filter((each) => each.snapshot.version <= snapshot.version)
      .flatMap((each) => each.columns),
  )
  const open = new Set(facts.seen.filter((name) => !names.has(name) && !columns.includes(name)))
  const table = store.historyTable(target)
  for (const key of open.size === 0 ? [] : table.keys()) {
    for (const { change } of entriesOf(table.history(key))) {
      if (change.op !== 'upsert' || change.sequence > snapshot.version) continue
      for (const name of open) {
        if (cell(change.row, facts.columns.indexOf(name)) === null) continue
        names.add(name)
        open.delete(name)
      }
    }
    if (open.size === 0) break
  }
  return facts.seen.filter(
    (name) => names.has(name) && !columns.includes(name) && !facts.excluded.includes(name),
  )
}
