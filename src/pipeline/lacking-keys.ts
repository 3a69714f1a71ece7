import type { Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { entriesOf } from '../core/key-history.ts'
import type { Sequence } from '../core/sequence.ts'
import { settle } from '../core/settle.ts'
import { compareSnapshots, isWithin, overlap, type Snapshot } from '../core/snapshot.ts'
import { timelineOf, type State } from '../core/timeline.ts'
import { sameValue } from '../core/value.ts'
import type { Stage } from '../ports/stage.ts'
import type { HistoryTable } from '../ports/store.ts'

/** What the keys that a snapshot lacks are found with. */
export type LackingTools = {
  readonly table: HistoryTable
  /** Snapshots that were applied before. */
  readonly others: readonly Snapshot[]
  readonly truncates: readonly Truncate[]
  readonly snapshot: Snapshot
  readonly stage: Stage
  readonly stateBefore: (key: Key, at: Sequence) => State
}

/**
 * The keys that a snapshot lacks, where several snapshots have to lack a key before it is deleted
 * (`delete_after`). The deletion is dated at the first of them, so that one that completes their
 * number deletes earlier than at its own version, and also keys that a feed deleted in between.
 *
 * Walks the keys of the table once for the snapshot and once for each earlier one that may be
 * the first. Keeps nothing in memory.
 */
export class LackingKeys {
  /** Whether any snapshot of the flow waits for others. */
  readonly isPatient: boolean
  private readonly tools: LackingTools
  private readonly starts: readonly Snapshot[]

  constructor(tools: LackingTools) {
    const { snapshot, others } = tools
    this.tools = tools
    const own = others.filter(({ stream }) => stream === snapshot.stream)
    this.isPatient = [snapshot, ...own].some(({ after }) => after > 1)
    this.starts = [snapshot, ...firsts(snapshot, own)]
  }

  /** Keys of which the snapshot's lack counts; a key that was settled since may come again. */
  *keys(): Iterable<Key> {
    const { table, stage } = this.tools
    for (const [i, start] of this.starts.entries()) {
      for (const key of table.keysAliveBefore(start.version)) {
        if (stage.has(key) || !this.counts(start, key)) continue
        const isMet = this.starts.slice(0, i).some((other) => this.counts(other, key))
        if (!isMet) yield key
      }
    }
  }

  /** Of them those that are deleted once the snapshot is applied and would not be without it. */
  *deletedKeys(): Iterable<Key> {
    for (const key of this.keys()) if (this.isDeleted(key)) yield key
  }

  /** Whether the lack of a key counts towards a deletion at the version of `start`. */
  private counts(start: Snapshot, key: Key): boolean {
    const before = this.tools.stateBefore(key, start.version)
    return isWithin(start, before) && isWithin(this.tools.snapshot, before)
  }

  private isDeleted(key: Key): boolean {
    const { table, truncates, snapshot, others } = this.tools
    const changes = entriesOf(table.history(key)).map(({ change }) => change)
    const known = timelineOf([...changes, ...truncates], 'ordered')
    const arrived = { snapshot, row: null }
    const told = settle({ key, known, fresh: [], snapshots: others, arrived, meaning: 'ordered' })
    const had = new Set(known.map(({ op, stream, sequence }) => `${op} ${stream.id} ${sequence}`))
    return told.some(
      ({ op, stream, sequence }) =>
        op === 'delete' && stream === snapshot.stream && !had.has(`${op} ${stream.id} ${sequence}`),
    )
  }
}

/** Earlier snapshots, the newest first, with too few of their scope up to this one for a deletion of theirs to stand. */
function firsts(snapshot: Snapshot, own: readonly Snapshot[]): Snapshot[] {
  const earlier = own
    .filter(({ version, scope }) => version < snapshot.version && overlap(scope, snapshot.scope))
    .toSorted((a, b) => compareSnapshots(b, a))
  return earlier.filter((start) => {
    const between = earlier.filter(
      (each) => each.deletes && each.version > start.version && holds(each, start),
    )
    return between.length < start.after - 1
  })
}

/** Whether the scope of a snapshot holds all of another's. */
function holds({ scope }: Snapshot, other: Snapshot): boolean {
  if (scope === null) return true
  if (other.scope === null || other.scope.column !== scope.column) return false
  return other.scope.values.every((value) => scope.values.some((each) => sameValue(each, value)))
}
