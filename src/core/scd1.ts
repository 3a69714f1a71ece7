import {
  compareChanges,
  compareStamps,
  ofOneRecord,
  sameStamp,
  type Change,
  type KeyChange,
  type Stamp,
  type Truncate,
} from './change.ts'
import type { Key } from './key.ts'
import { KeySlots } from './key-slots.ts'

/** Where the latest change of a key stands in the order, and whether the key exists after it. */
export type Latest = { readonly stamp: Stamp; readonly exists: boolean }

/** A change that takes its key over from what was kept of it, null if nothing was. */
export type Takeover = { readonly kept: Latest | null; readonly change: KeyChange }

type Replace = (older: KeyChange, newer: KeyChange) => KeyChange

/** The newest of all changes of a key, and which it is if it is none that is kept. */
type Newest = { readonly kept: Latest | null; stamp: Stamp | null; change: KeyChange | null }

/**
 * The SCD type 1 view where every event writes every column (semantics 4): the latest change of a
 * key decides alone, unless a later truncate does. Where columns have writers of their own, see
 * registers.ts.
 *
 * What is older is counted and let go as it arrives, so that memory is of the number of keys, not
 * of changes.
 */
export class LatestFold {
  readonly truncates: Truncate[] = []
  /** Changes that came after a newer one of their key. */
  late = 0
  /** Changes that found another one at the newest sequence of their key. */
  ties = 0
  private readonly slots = new KeySlots()
  /** By the number of the key. */
  private readonly newest: Newest[] = []
  private readonly kept: (key: Key) => Latest | null
  private readonly replace: Replace

  /**
   * @param kept what is kept of a key, null for nothing; asked once for each key, at its first change
   * @param replace gives what is held of a newer change; may use the memory of the older one for it
   */
  constructor(kept: (key: Key) => Latest | null, replace: Replace = (_, newer) => newer) {
    this.kept = kept
    this.replace = replace
  }

  get isEmpty(): boolean {
    return this.newest.length === 0 && this.truncates.length === 0
  }

  /** How many keys have changes. */
  get size(): number {
    return this.newest.length
  }

  /** Adds a change; changes may arrive in any order, and more than once. */
  add(change: Change): void {
    if (change.op === 'truncate') this.truncates.push(change)
    else this.take(this.newestOf(change.key), change)
  }

  /** The changes that are newer than all that is kept of their keys, in no order. */
  *changes(): Iterable<KeyChange> {
    for (const { change } of this.newest) if (change !== null) yield change
  }

  /** The changes that take their keys over, in no order; `truncate` is the latest one that is known. */
  takeovers(truncate: Truncate | null): Takeover[] {
    const all: Takeover[] = []
    for (const { kept, change } of this.newest) {
      if (change === null) continue
      if (truncate !== null && compareChanges(truncate, change) > 0) continue
      all.push({ kept, change })
    }
    return all
  }

  private newestOf(key: Key): Newest {
    const slot = this.slots.find(key)
    const known = slot < 0 ? undefined : this.newest[slot]
    if (known !== undefined) return known
    const kept = this.kept(key)
    const newest: Newest = { kept, stamp: kept?.stamp ?? null, change: null }
    this.newest[this.slots.add(key)] = newest
    return newest
  }

  private take(newest: Newest, change: KeyChange): void {
    const { stamp } = newest
    if (stamp !== null && change.sequence < stamp.sequence) {
      this.late += 1
      return
    }
    if (stamp !== null && change.sequence === stamp.sequence) {
      if (!sameStamp(change, stamp) && !ofOneRecord(change, stamp)) this.ties += 1
      if (compareStamps(change, stamp) <= 0) return
    }
    newest.change = newest.change === null ? change : this.replace(newest.change, change)
    newest.stamp = newest.change
  }
}
