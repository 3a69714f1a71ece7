import {
  compareStamps,
  type Change,
  type KeyChange,
  type Stamp,
  type Stream,
} from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { entriesOf } from '../core/key-history.ts'
import type { Registers } from '../core/registers.ts'
import { stampsOf } from '../core/registers.ts'
import type { Sequence } from '../core/sequence.ts'
import { meaningOf, type TargetFacts } from '../core/target.ts'
import { NOTHING, step, timelineOf } from '../core/timeline.ts'
import type { Row } from '../core/value.ts'
import type { Store } from '../ports/store.ts'
import type { Arrivals } from './arrivals.ts'

/** A change that came before, as far as it is still known. */
export type EarlierChange = { readonly stamp: Stamp; readonly isDeletion: boolean }

type Knowledge = {
  readonly store: Store
  readonly facts: () => TargetFacts
  readonly arrivals: Arrivals
  readonly trailing: ReadonlyMap<Stream, Key>
}

/** What is known of keys while a batch is read: what the store holds, and what the batch brought so far. */
export class KeyPast {
  private readonly store: Store
  private readonly facts: () => TargetFacts
  private readonly arrivals: Arrivals
  private readonly trailing: ReadonlyMap<Stream, Key>

  /** `trailing` are the keys that the last batch deleted at its end, by stream. */
  constructor({ store, facts, arrivals, trailing }: Knowledge) {
    this.store = store
    this.facts = facts
    this.arrivals = arrivals
    this.trailing = trailing
  }

  /** What a stream said last of a key, as far as this batch or the end of the one before tells. */
  lastOf(key: Key, stream: Stream): KeyChange['op'] | null {
    const last = this.arrived(key).findLast((change) => change.stream === stream)
    if (last !== undefined) return last.op
    return this.trailing.get(stream) === key ? 'delete' : null
  }

  /** The newest change of a key, by its sequence, among those that a stream had before a record. */
  newest(key: Key, stream: Stream, number: number): EarlierChange | null {
    const isEarlier = ({ stamp }: EarlierChange) => stamp.stream === stream && stamp.number < number
    const arrived = this.arrived(key).map((change): EarlierChange => ({
      stamp: change,
      isDeletion: change.op === 'delete',
    }))
    return (
      [...this.stored(key), ...arrived]
        .filter(isEarlier)
        .toSorted((a, b) => compareStamps(a.stamp, b.stamp))
        .at(-1) ?? null
    )
  }

  /** The row that a key had just before a sequence; null if it had none, or is known no more. */
  rowBefore(key: Key, sequence: Sequence): Row | null {
    const { facts, store } = this
    const { name, layout } = facts()
    const arrived = this.arrived(key).filter((change) => change.sequence < sequence)
    if (store.target(name) === null || layout === 'timeline') {
      return this.replayed(key, sequence, arrived)
    }
    const [stored] = [...store.rows(name, { valid: null, system: null }, key)]
    const isBefore = this.stored(key).every(({ stamp }) => stamp.sequence < sequence)
    const start = stored !== undefined && isBefore ? { row: stored.row, flow: null } : NOTHING
    return timelineOf(arrived, meaningOf(facts())).reduce(step, start).row
  }

  private replayed(key: Key, sequence: Sequence, arrived: readonly KeyChange[]): Row | null {
    const { name } = this.facts()
    const isKept = this.store.target(name) !== null
    const known: readonly Change[] = isKept
      ? [
          ...entriesOf(this.store.historyTable(name).history(key)).map(({ change }) => change),
          ...this.store.truncates(name).map(({ truncate }) => truncate),
        ]
      : []
    const before = [...known, ...arrived].filter((change) => change.sequence < sequence)
    return timelineOf(before, meaningOf(this.facts())).reduce(step, NOTHING).row
  }

  private arrived(key: Key): readonly KeyChange[] {
    return this.arrivals.byKey.get(key) ?? []
  }

  private stored(key: Key): readonly EarlierChange[] {
    const { store } = this
    const { name, layout } = this.facts()
    if (store.target(name) === null) return []
    switch (layout) {
      case 'latest': {
        const latest = store.latestTable(name).latest(key)
        return latest === null ? [] : [{ stamp: latest.stamp, isDeletion: !latest.exists }]
      }
      case 'registers':
        return ofRegisters(store.registersTable(name).registers(key))
      case 'timeline':
        return entriesOf(store.historyTable(name).history(key)).map(({ change }) => ({
          stamp: change,
          isDeletion: change.op === 'delete',
        }))
    }
  }
}

function ofRegisters(registers: Registers | null): readonly EarlierChange[] {
  if (registers === null) return []
  const { deleted } = registers
  const deletion = deleted === null || deleted.truncate ? null : deleted.stamp
  return stampsOf(registers).map((stamp) => ({ stamp, isDeletion: stamp === deletion }))
}
