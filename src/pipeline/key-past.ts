import {
  compareStamps,
  sameStamp,
  type KeyChange,
  type Stamp,
  type Stream,
  type Truncate,
} from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { entriesOf } from '../core/key-history.ts'
import { NamedRegisters } from '../core/named-registers.ts'
import { EMPTY, rowOf, stampsOf, type Registers } from '../core/registers.ts'
import type { Sequence } from '../core/sequence.ts'
import { meaningOf, type TargetFacts } from '../core/target.ts'
import { NOTHING, onceEach, sameContent, step, timelineOf, type Entry } from '../core/timeline.ts'
import type { Row } from '../core/value.ts'
import type { Store } from '../ports/store.ts'
import type { Arrivals } from './arrivals.ts'
import { entriesAt } from './entries-at.ts'
import { joined } from './merge-registers.ts'

/** A change that came before, as far as it is still known. */
export type EarlierChange = { readonly stamp: Stamp; readonly isDeletion: boolean }

/** What is known of keys while a batch is read: what the store holds, and what the batch brought so far. */
export class KeyPast {
  private readonly store: Store
  private readonly currentFacts: () => TargetFacts
  private readonly arrivals: Arrivals

  constructor(store: Store, facts: () => TargetFacts, arrivals: Arrivals) {
    this.store = store
    this.currentFacts = facts
    this.arrivals = arrivals
  }

  /** The newest change of a key, by its sequence, among those that a stream had before a record. */
  newest(key: Key, stream: Stream, number: number): EarlierChange | null {
    const isEarlier = ({ stamp }: EarlierChange) => stamp.stream === stream && stamp.number < number
    const arrived = this.fresh(key).map(earlier)
    return (
      [...this.storedNewest(key, isEarlier), ...arrived]
        .filter(isEarlier)
        .toSorted((a, b) => compareStamps(a.stamp, b.stamp))
        .at(-1) ?? null
    )
  }

  /**
   * The row that a key had just before a sequence, null if it had none; `overtaken` where what came
   * since has been written over it.
   *
   * @param supposed changes of the key to be reckoned with though they have not come
   */
  rowBefore(
    key: Key,
    sequence: Sequence,
    supposed: readonly KeyChange[],
  ): Row | null | 'overtaken' {
    const arrived = [...this.arrived(key), ...supposed].filter(
      (change) => change.sequence < sequence,
    )
    return this.facts.layout === 'timeline'
      ? this.replayed(key, sequence, arrived)
      : this.joinedBefore(key, sequence, arrived)
  }

  /**
   * Whether a change came before, also one of which nothing is kept: current rows forget what is
   * overwritten. A stream tells the changes of a key in order, so that one which it tells after a
   * later one it tells again.
   */
  hasSeen(change: KeyChange): boolean {
    if (this.knows(change)) return true
    if (this.facts.layout === 'timeline') return false
    const newest = this.newest(change.key, change.stream, change.number)
    return newest !== null && newest.stamp.sequence > change.sequence
  }

  /** Whether a truncate that was later than a change has ended every row that it could concern; a timeline still has it. */
  isTruncatedAfter({ sequence }: KeyChange): boolean {
    if (this.facts.layout === 'timeline') return false
    return this.truncates().some((truncate) => truncate.sequence > sequence)
  }

  /** Whether a change came before, as far as it still matters. */
  private knows(change: KeyChange): boolean {
    return (
      this.arrived(change.key).some((other) => this.isOne(other, change)) || this.isStored(change)
    )
  }

  /** The changes of a key that the batch brought, without what the feed only repeats. */
  private fresh(key: Key): readonly KeyChange[] {
    const arrived = this.arrived(key)
    if (this.meaning === 'ordered') return arrived
    return onceEach(arrived).filter((change) => !this.isStored(change))
  }

  private isStored(change: KeyChange): boolean {
    if (this.facts.layout === 'timeline') {
      return this.storedAt(change.key, change.sequence).some((entry) =>
        this.isOne(entry.change, change),
      )
    }
    const registers = this.registers(change.key)
    if (this.meaning === 'named') return new NamedRegisters(registers).knows(change)
    return stampsOf(registers).some((stamp) => sameStamp(stamp, change))
  }

  private isOne(a: KeyChange, b: KeyChange): boolean {
    return this.meaning === 'named'
      ? a.sequence === b.sequence && sameContent(a, b)
      : sameStamp(a, b)
  }

  private replayed(key: Key, sequence: Sequence, arrived: readonly KeyChange[]): Row | null {
    const { name } = this.facts
    const fresh = [
      ...arrived,
      ...this.arrivals.truncates.filter((each) => each.sequence < sequence),
    ]
    if (this.store.target(name) === null) {
      return timelineOf(fresh, this.meaning).reduce(step, NOTHING).row
    }
    const first = fresh.reduce(
      (least, each) => (each.sequence < least ? each.sequence : least),
      sequence,
    )
    const near = this.store.historyTable(name).near(key, first)
    const { before } = near
    const from = before?.change.sequence ?? ''
    const stored = [...until(sequence, near.after)].map(({ entry }) => entry.change)
    const truncates = near.truncates.filter(
      (each) => each.sequence > from && each.sequence < sequence,
    )
    const start = before === null ? NOTHING : { row: before.row, flow: before.change.stream.flow }
    return timelineOf([...truncates, ...stored, ...fresh], this.meaning).reduce(step, start).row
  }

  private joinedBefore(
    key: Key,
    sequence: Sequence,
    changes: readonly KeyChange[],
  ): Row | null | 'overtaken' {
    const before = this.registers(key)
    if (stampsOf(before).some((stamp) => stamp.sequence >= sequence)) return 'overtaken'
    const truncate =
      this.truncates()
        .filter((each) => each.sequence < sequence)
        .toSorted(compareStamps)
        .at(-1) ?? null
    return rowOf(joined({ before, changes, truncate, meaning: this.meaning }).after)
  }

  /** What is stored of a key, as far as the newest of the changes in question may be among it. */
  private storedNewest(
    key: Key,
    isInQuestion: (change: EarlierChange) => boolean,
  ): readonly EarlierChange[] {
    const { name, layout } = this.facts
    if (this.store.target(name) === null) return []
    switch (layout) {
      case 'latest': {
        const latest = this.store.latestTable(name).latest(key)
        return latest === null ? [] : [{ stamp: latest.stamp, isDeletion: !latest.exists }]
      }
      case 'registers':
        return ofRegisters(this.registers(key))
      case 'timeline': {
        const table = this.store.historyTable(name)
        const newest = table.newest(key)
        if (newest === null) return []
        const last = earlier(newest.change)
        // Only what is read again, or what several streams tell, needs a look further back.
        return isInQuestion(last)
          ? [last]
          : entriesOf(table.history(key)).map(({ change }) => earlier(change))
      }
    }
  }

  private storedAt(key: Key, sequence: Sequence): readonly Entry[] {
    const { name } = this.facts
    if (this.store.target(name) === null) return []
    return entriesAt(this.store.historyTable(name), key, sequence)
  }

  private truncates(): readonly Truncate[] {
    const { name } = this.facts
    const stored = this.store.target(name) === null ? [] : this.store.truncates(name)
    return [...stored.map(({ truncate }) => truncate), ...this.arrivals.truncates]
  }

  private registers(key: Key): Registers {
    const { name } = this.facts
    if (this.store.target(name) === null) return EMPTY
    return this.store.registersTable(name).registers(key) ?? EMPTY
  }

  private arrived(key: Key): readonly KeyChange[] {
    return this.arrivals.byKey.get(key) ?? []
  }

  private get facts(): TargetFacts {
    return this.currentFacts()
  }

  private get meaning() {
    return meaningOf(this.facts)
  }
}

function earlier(change: KeyChange): EarlierChange {
  return { stamp: change, isDeletion: change.op === 'delete' }
}

function ofRegisters(registers: Registers): readonly EarlierChange[] {
  const { deleted } = registers
  const deletion = deleted === null || deleted.truncate ? null : deleted.stamp
  return stampsOf(registers).map((stamp) => ({ stamp, isDeletion: stamp === deletion }))
}

function* until<T extends { readonly entry: Entry }>(
  sequence: Sequence,
  placed: Iterable<T>,
): Iterable<T> {
  for (const each of placed) {
    if (each.entry.change.sequence >= sequence) return
    yield each
  }
}
