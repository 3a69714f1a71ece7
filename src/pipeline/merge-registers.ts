import type { KeyChange, Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { EMPTY, RegisterFile, type Registers } from '../core/registers.ts'
import type { Commit, RegistersTable, Store } from '../ports/store.ts'
import { countLate, type Arrivals, type MergeCounts } from './arrivals.ts'
import { latestTruncate } from './merge-latest.ts'

/** Merges a batch into SCD type 1 rows whose columns have writers of their own. */
export function mergeRegisters(
  store: Store,
  target: string,
  arrivals: Arrivals,
  commit: Commit,
): MergeCounts {
  const table = store.registersTable(target)
  const truncate = latestTruncate(store, target)
  if (arrivals.truncates.length > 0 && truncate !== null) {
    for (const key of table.keys()) {
      if (!arrivals.byKey.has(key)) join(table, key, [], truncate, commit)
    }
  }

  let late = 0
  let ties = 0
  for (const key of arrivals.sortedKeys()) {
    const changes = arrivals.byKey.get(key) ?? []
    const before = join(table, key, changes, truncate, commit)
    const newest = newestOf(before)
    late += countLate(changes, newest)
    ties += changes.filter(({ sequence }) => sequence === newest).length
  }
  return { late, ties }
}

function join(
  table: RegistersTable,
  key: Key,
  changes: readonly KeyChange[],
  truncate: Truncate | null,
  commit: Commit,
): Registers {
  const before = table.registers(key) ?? EMPTY
  const file = new RegisterFile(before)
  if (truncate !== null) file.join(truncate)
  for (const change of changes) file.join(change)
  table.put(key, file.registers(), commit)
  return before
}

function newestOf({ written, deleted }: Registers): string | null {
  const sequences = [written?.sequence, deleted?.stamp.sequence].filter((s) => s !== undefined)
  return sequences.toSorted().at(-1) ?? null
}
