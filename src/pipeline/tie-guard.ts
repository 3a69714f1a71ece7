import { sameStamp, type KeyChange, type Stamp } from '../core/change.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Store } from '../ports/store.ts'
import { pack } from '../core/packed-registers.ts'
import { isEmpty } from '../core/registers.ts'
import { entriesAt } from './entries-at.ts'

/**
 * Refuses a change whose key already has another one at its sequence, for `on_sequence_tie: fail`:
 * one of this batch, or one that the store still holds.
 */
export class TieGuard {
  private readonly store: Store
  private readonly facts: TargetFacts
  private readonly arrived = new Map<Key, Stamp[]>()

  constructor(store: Store, facts: TargetFacts) {
    this.store = store
    this.facts = facts
  }

  /** Admits the change, or says why not. */
  admit(change: KeyChange): Refusal | null {
    const { key, sequence } = change
    const arrived = this.arrived.get(key) ?? []
    const tied = [...arrived, ...this.stored(key, sequence)].some(
      (stamp) => stamp.sequence === sequence && !sameStamp(stamp, change),
    )
    if (tied) return refuse('SEQUENCE_TIE', 'the key already has another event at this sequence')
    this.arrived.set(key, [...arrived, change])
    return null
  }

  private stored(key: Key, sequence: Sequence): readonly Stamp[] {
    const { name, kind, layout } = this.facts
    if (this.store.target(name) === null) return []
    if (kind === 1 && layout === 'latest') {
      const latest = this.store.latestTable(name).latest(key)
      return latest === null ? [] : [latest.stamp]
    }
    if (kind === 1 && layout === 'registers') {
      const registers = this.store.registersTable(name).registers(key)
      if (registers === null || isEmpty(registers)) return []
      const { latest, versions } = pack(registers)
      return [latest, ...(versions?.stamps ?? [])]
    }
    return entriesAt(this.store.historyTable(name), key, sequence).map(({ change }) => change)
  }
}
