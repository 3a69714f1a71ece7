import type { KeyChange, Stamp, Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { EMPTY, joinChange, keptAs, RegisterFile, type Registers } from '../core/registers.ts'
import { RegistersFold } from '../core/registers-fold.ts'
import type { RegistersTable } from '../ports/store.ts'
import { NamedRegisters } from '../core/named-registers.ts'
import type { Sequence } from '../core/sequence.ts'
import { onceEach, type SequenceMeaning } from '../core/timeline.ts'
import { lateOf, tiesOf } from './arrivals.ts'
import { latestTruncate } from './merge-latest.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'
import { inStoreOrder } from './store-order.ts'

/** Merges a batch into SCD type 1 rows whose columns have writers of their own. */
export function mergeRegisters(task: MergeTask): MergeCounts {
  const { store, facts, arrivals, meaning } = task
  if (meaning === 'named') return mergeNamed(task)
  const table = store.registersTable(facts.name)
  const fold = new RegistersFold((key) => table.registers(key))
  arrivals.handTo(fold)
  return writeRegisters(task, fold)
}

/** Writes what has been folded already. */
export function writeRegisters(
  { store, facts, commit }: Omit<MergeTask, 'arrivals'>,
  fold: RegistersFold,
): MergeCounts {
  const table = store.registersTable(facts.name)
  const truncate = latestTruncate(store, facts.name)
  if (truncate !== null && fold.truncates.length > 0) {
    for (const key of table.keys()) {
      if (fold.has(key)) continue
      const kept = table.registers(key)
      table.put(key, joinChange(kept ?? EMPTY, truncate), commit, keptAs(kept))
    }
  }
  for (const key of inStoreOrder(fold.keys())) {
    const folded = fold.folded(key, truncate)
    if (folded.packed === null) table.put(key, folded.registers, commit, folded.kept)
    else table.putPacked(key, folded.packed, commit, folded.kept)
  }
  const { late, ties } = fold
  return { late, ties }
}

/** The same where sequences name changes. */
function mergeNamed(task: MergeTask): MergeCounts {
  const { store, facts, arrivals } = task
  const truncate = latestTruncate(store, facts.name)
  const joiner = new Joiner(task, truncate)
  if (arrivals.truncates.length > 0) joiner.truncateAllBut(arrivals.byKey)

  let late = 0
  let ties = 0
  for (const key of arrivals.sortedKeys()) {
    const changes = arrivals.byKey.get(key) ?? []
    const { before, fresh } = joiner.join(key, changes)
    const stored = latestStamps(before)
    late += lateOf(fresh, newestOf(stored)).length
    ties += tiesOf(fresh, stored)
  }
  return { late, ties }
}

/** Joins changes, and the latest truncate, into what is stored of keys. */
class Joiner {
  private readonly table: RegistersTable
  private readonly task: MergeTask
  private readonly truncate: Truncate | null

  constructor(task: MergeTask, truncate: Truncate | null) {
    this.task = task
    this.truncate = truncate
    this.table = task.store.registersTable(task.facts.name)
  }

  /** Gives what was stored before, and the changes that the feed does not only repeat, as they came. */
  join(key: Key, changes: readonly KeyChange[]) {
    const { truncate } = this
    const { arrivals, commit, meaning } = this.task
    const stored = this.table.registers(key)
    const before = stored ?? EMPTY
    const { after, fresh } = joined({ before, changes, truncate, meaning })
    // A truncate may be new to keys of which nothing else is.
    const isNew = fresh.length > 0 || arrivals.truncates.length > 0
    if (isNew) this.table.put(key, after, commit, keptAs(stored))
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

/** The highest of some sequences. */
function newestOf(stamps: readonly Stamp[]): Sequence | null {
  const sequences = stamps.map(({ sequence }) => sequence)
  return sequences.toSorted().at(-1) ?? null
}
