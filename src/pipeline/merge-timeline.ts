import { compareChanges, type Change, type Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import type { TargetFacts } from '../core/target.ts'
import type { SequenceMeaning } from '../core/timeline.ts'
import { weave } from '../core/weave.ts'
import type { Commit, HistoryTable, Store } from '../ports/store.ts'
import { inOrder, type Arrivals, type MergeCounts } from './arrivals.ts'

/** Merges a batch into versions (SCD type 2, bitemporal with the engine's time), key by key. */
export function mergeTimeline(
  store: Store,
  facts: TargetFacts,
  arrivals: Arrivals,
  commit: Commit,
  meaning: SequenceMeaning,
): MergeCounts {
  const table = store.historyTable(facts.name)
  const truncates = inOrder(arrivals.truncates)
  const known = store
    .truncates(facts.name)
    .map(({ truncate }) => truncate)
    .filter((truncate) => !isAmong(truncate, truncates))

  const weaver = new Weaver(table, facts, commit, meaning, known)
  // A truncate concerns every key that exists just before it, and every key of this batch.
  for (const key of keysReached(table, truncates, arrivals)) weaver.weave(key, truncates)
  for (const key of arrivals.sortedKeys()) {
    weaver.weave(key, inOrder<Change>([...truncates, ...(arrivals.byKey.get(key) ?? [])]))
  }
  return { late: weaver.late, ties: weaver.ties }
}

class Weaver {
  late = 0
  ties = 0
  private readonly table: HistoryTable
  private readonly facts: TargetFacts
  private readonly commit: Commit
  private readonly meaning: SequenceMeaning
  private readonly truncates: readonly Truncate[]

  constructor(
    table: HistoryTable,
    facts: TargetFacts,
    commit: Commit,
    meaning: SequenceMeaning,
    truncates: readonly Truncate[],
  ) {
    this.table = table
    this.facts = facts
    this.commit = commit
    this.meaning = meaning
    this.truncates = truncates
  }

  /** Weaves the changes of a key region by region, each on top of what the last one stored. */
  weave(key: Key, changes: readonly Change[]): void {
    let rest = changes
    for (let first = rest[0]; first !== undefined; first = rest[0]) {
      const near = this.table.near(key, first.sequence)
      const edits = weave({ ...near, truncates: this.truncates }, rest, {
        tracking: this.facts.tracking,
        meaning: this.meaning,
        commit: this.commit.id,
        now: this.facts.kind === 'bitemporal' ? this.commit.now : null,
      })
      this.table.apply(key, edits, this.commit)
      this.late += edits.late
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
