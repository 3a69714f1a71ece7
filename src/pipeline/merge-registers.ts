import type { KeyChange, Stamp, Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { EMPTY, RegisterFile, type Registers } from '../core/registers.ts'
import type { Commit, RegistersTable } from '../ports/store.ts'
import { isRepetition } from '../core/repetition.ts'
import { onceEach, type SequenceMeaning } from '../core/timeline.ts'
import { lateOf, tiesOf } from './arrivals.ts'
import { latestTruncate } from './merge-latest.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'

/** Merges a batch into SCD type 1 rows whose columns have writers of their own. */
export function mergeRegisters(task: MergeTask): MergeCounts {
  const { store, facts, arrivals, commit, meaning } = task
  const truncate = latestTruncate(store, facts.name)
  const joiner = new Joiner(store.registersTable(facts.name), { truncate, commit, meaning })
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

type Joining = {
  readonly truncate: Truncate | null
  readonly commit: Commit
  readonly meaning: SequenceMeaning
}

/** Joins changes, and the latest truncate, into what is stored of keys. */
class Joiner {
  private readonly table: RegistersTable
  private readonly truncate: Truncate | null
  private readonly commit: Commit
  private readonly meaning: SequenceMeaning

  constructor(table: RegistersTable, { truncate, commit, meaning }: Joining) {
    this.table = table
    this.truncate = truncate
    this.commit = commit
    this.meaning = meaning
  }

  /** Gives what was stored before. */
  join(key: Key, changes: readonly KeyChange[]): Registers {
    const before = this.table.registers(key) ?? EMPTY
    const file = new RegisterFile(before)
    if (this.truncate !== null) file.join(this.truncate)
    for (const change of this.fresh(before, changes)) file.join(change)
    this.table.put(key, file.registers(), this.commit)
    return before
  }

  /** Where sequences name changes, those that the feed did not bring before. */
  private fresh(before: Registers, changes: readonly KeyChange[]): readonly KeyChange[] {
    if (this.meaning === 'ordered') return changes
    return onceEach(changes).filter((change) => !isRepetition(before, change))
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
