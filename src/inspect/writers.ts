import {
  compareChanges,
  type Change,
  type KeyChange,
  type Stamp,
  type Truncate,
} from '../core/change.ts'
import type { Sequence } from '../core/sequence.ts'
import { visibleColumns, type TargetFacts } from '../core/target.ts'
import { isWritten } from '../core/writes.ts'
import type { Writers } from './origin.ts'
import type { Known } from './system-times.ts'

/**
 * Finds who wrote the values of a key's rows, walking back from the change that a row shows: each
 * column is the latest writer's, and nothing before a deletion counts (semantics 2 and 3).
 */
export class WriterFinder {
  private readonly columns: readonly { readonly name: string; readonly ordinal: number }[]
  private readonly changes: readonly Change[]
  private readonly times: readonly Sequence[]
  private readonly originOf: (stamp: Stamp) => string

  /** `inOrder` is all that is known of the key; `learnt` tells when, where beliefs are asked for. */
  constructor(
    facts: TargetFacts,
    inOrder: readonly Known[],
    learnt: ((known: Known) => Sequence) | null,
    originOf: (stamp: Stamp) => string,
  ) {
    this.originOf = originOf
    this.columns = visibleColumns(facts).map((name) => ({
      name,
      ordinal: facts.columns.indexOf(name),
    }))
    this.changes = inOrder.map(({ change }) => change)
    this.times = learnt === null ? [] : inOrder.map(learnt)
  }

  /** Who had written the row after a change, going by what was known at a system time; null: by all. */
  after(change: KeyChange, time: Sequence | null): Writers {
    const found = new Map<number, string>()
    // A late change can make a snapshot's own event needless: then only the row still has it.
    this.write(change, found)
    const from = this.placeOf(change)
    for (let i = from - 1; i >= 0 && found.size < this.columns.length; i -= 1) {
      const earlier = this.changes[i]
      if (earlier === undefined || !this.isKnown(i, time)) continue
      if (earlier.op === 'delete') break
      if (earlier.op === 'truncate' && this.reaches(earlier, i, time)) break
      if (earlier.op === 'upsert') this.write(earlier, found)
    }
    // Columns may be called `__proto__`: entries define members, assignments would not.
    return Object.fromEntries(
      this.columns.flatMap(({ name, ordinal }) => {
        const origin = found.get(ordinal)
        return origin === undefined ? [] : [[name, origin]]
      }),
    )
  }

  private write(change: KeyChange, found: Map<number, string>): void {
    if (change.op !== 'upsert') return
    const origin = this.originOf(change)
    for (const { ordinal } of this.columns) {
      if (!found.has(ordinal) && isWritten(change.writes, ordinal)) found.set(ordinal, origin)
    }
  }

  /** Whether a truncate ended the key: with reach `flow` only if its own flow had written it last. */
  private reaches(truncate: Truncate, place: number, time: Sequence | null): boolean {
    if (truncate.reach === 'target') return true
    for (let i = place - 1; i >= 0; i -= 1) {
      const earlier = this.changes[i]
      if (earlier === undefined || earlier.op === 'truncate' || !this.isKnown(i, time)) continue
      return earlier.stream.flow === truncate.stream.flow
    }
    return true
  }

  private isKnown(place: number, time: Sequence | null): boolean {
    const learnt = this.times[place]
    return time === null || learnt === undefined || learnt <= time
  }

  /** How many changes come before this one. */
  private placeOf(change: Change): number {
    let from = 0
    let to = this.changes.length
    while (from < to) {
      const middle = (from + to) >> 1
      const there = this.changes[middle]
      if (there !== undefined && compareChanges(there, change) < 0) from = middle + 1
      else to = middle
    }
    return from
  }
}
