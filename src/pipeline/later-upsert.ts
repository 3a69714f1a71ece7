import type { KeyChange, Stamp, Stream, Upsert } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import type { Row, Value } from '../core/value.ts'
import type { Room, Values } from '../ports/source.ts'

type KeyTime = { readonly key: Key; readonly time: Value }

/**
 * An upsert of every column whose row is built when it is asked for: most changes of a backlog
 * are never written.
 */
export class LaterUpsert implements Upsert {
  readonly op = 'upsert'
  readonly writes = 'all'
  sequence: Sequence
  rank: number
  system: Sequence | null
  stream: Stream
  number: number
  part: number
  readonly key: Key
  time: Value
  private values: Values
  private order: readonly number[]

  /** @param order for each column of the target the index of its value, -1 where it is null */
  constructor(stamp: Stamp, { key, time }: KeyTime, values: Values, order: readonly number[]) {
    this.sequence = stamp.sequence
    this.rank = stamp.rank
    this.system = stamp.system
    this.stream = stamp.stream
    this.number = stamp.number
    this.part = stamp.part
    this.key = key
    this.time = time
    this.values = values
    this.order = order
  }

  get row(): Row {
    const { values, order } = this
    return order.map((index) => (index < 0 ? null : (values.at(index) ?? null)))
  }

  /** Becomes a later upsert of the same key, so that what is long-lived is not made anew for each. */
  become(other: LaterUpsert): void {
    this.sequence = other.sequence
    this.rank = other.rank
    this.system = other.system
    this.stream = other.stream
    this.number = other.number
    this.part = other.part
    this.time = other.time
    this.order = other.order
    if (this.values.become?.(other.values) !== true) this.values = other.values
  }

  /** Takes what the row is built from out of the memory that it came in; gives how many bytes that is. */
  moveTo(room: Room): number {
    return this.values.moveTo?.(room) ?? 0
  }
}

/** What is held of a change that takes the place of an older one of its key, in whose memory it is held where it can be. */
export function inPlaceOf(older: KeyChange, newer: KeyChange): KeyChange {
  if (!(older instanceof LaterUpsert) || !(newer instanceof LaterUpsert)) return newer
  older.become(newer)
  return older
}
