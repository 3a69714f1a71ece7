import type { KeyChange, Stamp, Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { EMPTY, RegisterFile, type Registers } from '../core/registers.ts'
import type { Commit, RegistersTable } from '../ports/store.ts'
import { NamedRegisters } from '../core/named-registers.ts'
import { onceEach, type SequenceMeaning } from '../core/timeline.ts'
import { lateOf, tiesOf } from './arrivals.ts'
import { latestTruncate } from './merge-latest.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'

/** Merges a batch into SCD type 1 rows whose columns have writers of their own. */
export function mergeRegisters(task: MergeTask): MergeCounts {
  const { store, facts, arrivals, commit, meaning } = task
  const truncate = latestTruncate(store, facts.name)
  const isTruncated = arrivals.truncates.length > 0
  const joining = { truncate, isTruncated, commit, meaning }
  const joiner = new Joiner(store.registersTable(facts.name), joining)
  if (isTruncated) joiner.truncateAllBut(arrivals.byKey)

  let late = 0
  let ties = 0
  for (const key of arrivals.sortedKeys()) {
    const changes = arrivals.byKey.get(key) ?? []
    const { before, fresh } = joiner.join(key, changes)
    const stored = latestStamps(before)
    const newest =
      stored
        .map(({ sequence }) => sequence)
        .toSorted()
        .at(-1) ?? null
    late += lateOf(fresh, newest).length
    ties += tiesOf(fresh, stored)
  }
  return { late, ties }
}

type Joining = {
  readonly truncate: Truncate | null
  /** Whether the truncate may be new to keys of which nothing else is. */
  readonly isTruncated: boolean
  readonly commit: Commit
  readonly meaning: SequenceMeaning
}

/** Joins changes, and the latest truncate, into what is stored of keys. */
class Joiner {
  private readonly table: RegistersTable
  private readonly joining: Joining

  constructor(table: RegistersTable, joining: Joining) {
    this.table = table
    this.joining = joining
  }

  /** Gives what was stored before, and the changes that the feed does not only repeat, as they came. */
  join(key: Key, changes: readonly KeyChange[]) {
    const { isTruncated, commit } = this.joining
    const before = this.table.registers(key) ?? EMPTY
    const { after, fresh } = joined({ before, changes, ...this.joining })
    if (fresh.length > 0 || isTruncated) this.table.put(key, after, commit)
    return { before, fresh }
  }

  /** Keys with changes of their own meet the truncate when these join. */
  truncateAllBut(arrived: ReadonlyMap<Key, unknown>): void {
    for (const key of this.table.keys()) if (!arrived.has(key)) this.join(key, [])
  }
}

/** What is held of a key after more changes and the latest truncate, and which of the changes were news. */
export function joined(joining: {
  readonly before: Registers
  readonly changes: readonly KeyChange[]
  readonly truncate: Truncate | null
  readonly meaning: SequenceMeaning
}): { readonly after: Registers; readonly fresh: readonly KeyChange[] } {
  const { before, changes, truncate, meaning } = joining
  if (meaning === 'named') {
    const named = new NamedRegisters(before)
    if (truncate !== null) named.truncate(truncate)
    const told = new Set(onceEach(changes).filter((change) => named.tell(change)))
    return { after: named.registers(), fresh: changes.filter((change) => told.has(change)) }
  }
  const file = new RegisterFile(before)
  if (truncate !== null) file.join(truncate)
  for (const change of changes) file.join(change)
  return { after: file.registers(), fresh: changes }
}

/** The latest upsert and the latest delete of a key; a truncate is none of its own events. */
function latestStamps({ written, deleted }: Registers): Stamp[] {
  const own = deleted === null || deleted.truncate ? null : deleted.stamp
  return [written, own].filter((stamp) => stamp !== null)
}
