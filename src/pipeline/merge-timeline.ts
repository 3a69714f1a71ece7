import { compareChanges, type Change, type KeyChange, type Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import { weave } from '../core/weave.ts'
import type { WeaveRules } from '../core/edits.ts'
import type { Commit, HistoryTable } from '../ports/store.ts'
import { inOrder, lateOf, type Arrivals } from './arrivals.ts'
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

  const weaver = new Weaver(table, task, known)
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

class Weaver {
  readonly late = new Set<Change>()
  ties = 0
  private readonly table: HistoryTable
  private readonly truncates: readonly Truncate[]
  private readonly rules: WeaveRules
  private readonly commit: Commit

  constructor(
    table: HistoryTable,
    { facts, meaning, commit }: MergeTask,
    truncates: readonly Truncate[],
  ) {
    this.table = table
    this.truncates = truncates
    this.commit = commit
    this.rules = {
      tracking: facts.tracking,
      meaning,
      commit: commit.id,
      now: facts.kind === 'bitemporal' ? commit.now : null,
    }
  }

  /** Notes the changes of a key that came after a later one of the same batch. */
  arrived(changes: readonly KeyChange[]): void {
    for (const change of lateOf(changes, null)) this.late.add(change)
  }

  /** Weaves the changes of a key region by region, each on top of what the last one stored. */
  weave(key: Key, changes: readonly Change[]): void {
    let rest = changes
    for (let first = rest[0]; first !== undefined; first = rest[0]) {
      const near = this.table.near(key, first.sequence)
      const edits = weave({ ...near, truncates: this.truncates }, rest, this.rules)
      this.table.apply(key, edits, this.commit)
      for (const change of edits.late) this.late.add(change)
      this.ties += edits.ties
      rest = edits.rest
    }
  }
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
