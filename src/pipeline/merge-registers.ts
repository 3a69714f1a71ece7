import type { KeyChange, Stamp, Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { EMPTY, RegisterFile, type Registers } from '../core/registers.ts'
import type { Commit, RegistersTable } from '../ports/store.ts'
import { lateOf, tiesOf } from './arrivals.ts'
import { latestTruncate } from './merge-latest.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'

/** Merges a batch into SCD type 1 rows whose columns have writers of their own. */
export function mergeRegisters({ store, facts, arrivals, commit }: MergeTask): MergeCounts {
  const joiner = new Joiner(
    store.registersTable(facts.name),
    latestTruncate(store, facts.name),
    commit,
  )
  if (arrivals.truncates.length > 0) joiner.truncateAllBut(arrivals.byKey)

  let late = 0
  let ties = 0
  for (const key of arrivals.sortedKeys()) {
    const changes = arrivals.byKey.get(key) ?? []
    const stored = latestStamps(joiner.join(key, changes))
    const newest =
      stored
        .map(({ sequence }) => sequence)
        .toSorted()
        .at(-1) ?? null
    late += lateOf(changes, newest).length
    ties += tiesOf(changes, stored)
  }
  return { late, ties }
}

/** Joins changes, and the latest truncate, into what is stored of keys. */
class Joiner {
  private readonly table: RegistersTable
  private readonly truncate: Truncate | null
  private readonly commit: Commit

  constructor(table: RegistersTable, truncate: Truncate | null, commit: Commit) {
    this.table = table
    this.truncate = truncate
    this.commit = commit
  }

  /** Gives what was stored before. */
  join(key: Key, changes: readonly KeyChange[]): Registers {
    const before = this.table.registers(key) ?? EMPTY
    const file = new RegisterFile(before)
    if (this.truncate !== null) file.join(this.truncate)
    for (const change of changes) file.join(change)
    this.table.put(key, file.registers(), this.commit)
    return before
  }

  /** Keys with changes of their own meet the truncate when these join. */
  truncateAllBut(arrived: ReadonlyMap<Key, unknown>): void {
    for (const key of this.table.keys()) if (!arrived.has(key)) this.join(key, [])
  }
}

/** The latest upsert and the latest delete of a key; a truncate is none of its own events. */
function latestStamps({ written, deleted }: Registers): Stamp[] {
  const own = deleted === null || deleted.truncate ? null : deleted.stamp
  return [written, own].filter((stamp) => stamp !== null)
}
