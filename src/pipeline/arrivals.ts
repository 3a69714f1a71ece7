import {
  compareChanges,
  ofOneRecord,
  sameStamp,
  type Change,
  type KeyChange,
  type Stamp,
  type Truncate,
} from '../core/change.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import { inStoreOrder } from './store-order.ts'

/** The changes of one batch, by key, as they arrived. */
export class Arrivals {
  readonly byKey = new Map<Key, KeyChange[]>()
  readonly truncates: Truncate[] = []

  add(change: Change): void {
    if (change.op === 'truncate') {
      this.truncates.push(change)
      return
    }
    const changes = this.byKey.get(change.key)
    if (changes === undefined) this.byKey.set(change.key, [change])
    else changes.push(change)
  }

  get isEmpty(): boolean {
    return this.byKey.size === 0 && this.truncates.length === 0
  }

  /** Hands everything on, the changes of keys that a store finds near each other in turn. */
  handTo(fold: { add(change: Change): void }): void {
    for (const truncate of this.truncates) fold.add(truncate)
    for (const key of this.sortedKeys()) {
      for (const change of this.byKey.get(key) ?? []) fold.add(change)
    }
  }

  /** Keys in an order in which a store finds them near each other. */
  sortedKeys(): Key[] {
    return inStoreOrder([...this.byKey.keys()])
  }
}

/** The changes of a key that came after a later one: one of the batch, or one that is stored. */
export function lateOf(changes: readonly KeyChange[], stored: string | null): KeyChange[] {
  if (stored === null && changes.length === 1) return []
  let newest = stored ?? ''
  return changes.filter((change) => {
    if (change.sequence < newest) return true
    newest = change.sequence
    return false
  })
}

/** How many changes of a key found another one at their sequence, in the batch or among what is stored. */
export function tiesOf(changes: readonly KeyChange[], stored: readonly Stamp[]): number {
  if (stored.length === 0 && changes.length < 2) return 0
  const seen = new Map<Sequence, Stamp[]>()
  for (const stamp of stored) seen.set(stamp.sequence, [...(seen.get(stamp.sequence) ?? []), stamp])

  let ties = 0
  for (const change of changes) {
    const others = seen.get(change.sequence) ?? []
    if (others.some((other) => sameStamp(other, change))) continue
    if (others.some((other) => !ofOneRecord(other, change))) ties += 1
    seen.set(change.sequence, [...others, change])
  }
  return ties
}

/** The changes of a key in order, each once. */
export function inOrder<T extends Change>(changes: readonly T[]): T[] {
  if (changes.length < 2) return [...changes]
  const sorted = changes.toSorted(compareChanges)
  return sorted.filter((change, i) => {
    const before = sorted[i - 1]
    return before === undefined || compareChanges(before, change) !== 0
  })
}
