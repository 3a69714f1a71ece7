import type { Change, Truncate } from './change.ts'
import type { Version } from './scd2.ts'
import type { Sequence } from './sequence.ts'
import type { Entry } from './timeline.ts'

/**
 * What is stored of one key near a change, as far as weave (core/weave.ts) may need it.
 *
 *     before ──┐ version      after: ●    ●──●        ●
 *     ─────────●──────────────┬──────┴────┴──┴────────┴──▶ sequence
 *                             first change
 */
export type Neighbourhood = {
  /** The last entry before the sequence of the first change; of several at one sequence the last in order. */
  readonly before: Entry | null
  /** The version that shows the row of `before`, null if there is none. */
  readonly version: Version | null
  /** Whether nothing of the key is stored from the sequence of the first change on, and `version`, if any, is current. */
  readonly atEnd: boolean
  /** Entries from the sequence of the first change on, by sequence, ties in any order. Pulled only as far as needed. */
  readonly after: Iterable<Placed>
  /** Truncates stored already, in order. */
  readonly truncates: readonly Truncate[]
  /** The version whose interval holds a sequence. */
  readonly versionAt: (sequence: Sequence) => Version | null
}

/** A stored entry and the version that shows it; null while it is hidden. */
export type Placed = { readonly entry: Entry; readonly version: Version | null }

/** All that happens at one sequence: what is stored, and what is new. */
export type Group = {
  readonly sequence: Sequence
  readonly old: readonly Placed[]
  readonly truncates: readonly Truncate[]
  readonly changes: readonly Change[]
}

/** Walks stored entries, stored truncates and changes together, sequence by sequence. */
export class Groups {
  private readonly stored: Iterator<Placed>
  private head: Placed | null
  private readonly truncates: readonly Truncate[]
  private readonly changes: readonly Change[]
  private nextTruncate: number
  private nextChange = 0

  constructor(near: Neighbourhood, changes: readonly Change[]) {
    this.stored = near.after[Symbol.iterator]()
    this.head = this.pull()
    this.truncates = near.truncates
    this.changes = changes
    const from = near.before?.change.sequence ?? ''
    const first = near.truncates.findIndex(({ sequence }) => sequence > from)
    this.nextTruncate = first < 0 ? near.truncates.length : first
  }

  /** Whether stored entries lie beyond. */
  get moreStored(): boolean {
    return this.head !== null
  }

  /** The changes not walked yet. */
  rest(): readonly Change[] {
    return this.changes.slice(this.nextChange)
  }

  next(): Group | null {
    const sequence = this.least()
    if (sequence === null) return null

    const old: Placed[] = []
    for (let head = this.head; head?.entry.change.sequence === sequence; head = this.head) {
      old.push(head)
      this.head = this.pull()
    }
    const truncates = this.take(this.truncates, this.nextTruncate, sequence)
    this.nextTruncate += truncates.length
    const changes = this.take(this.changes, this.nextChange, sequence)
    this.nextChange += changes.length
    return { sequence, old, truncates, changes }
  }

  private least(): Sequence | null {
    let least: Sequence | null = null
    for (const candidate of [
      this.head?.entry.change.sequence,
      this.truncates[this.nextTruncate]?.sequence,
      this.changes[this.nextChange]?.sequence,
    ]) {
      if (candidate !== undefined && (least === null || candidate < least)) least = candidate
    }
    return least
  }

  private take<T extends Change>(from: readonly T[], start: number, sequence: Sequence): T[] {
    const out: T[] = []
    for (let i = start; from[i]?.sequence === sequence; i += 1) {
      const change = from[i]
      if (change !== undefined) out.push(change)
    }
    return out
  }

  private pull(): Placed | null {
    const next = this.stored.next()
    return next.done === true ? null : next.value
  }
}
