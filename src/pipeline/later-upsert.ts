import type { Stamp, Stream, Upsert } from '../core/change.ts'
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
  become(other: LaterUpsert, room: Room): void {
    this.sequence = other.sequence
    this.rank = other.rank
    this.system = other.system
    this.stream = other.stream
    this.number = other.number
    this.part = other.part
    this.time = other.time
    this.order = other.order
    this.values = keptValues(other.values, this.values, room)
  }

  /** Takes what the row is built from out of the memory that it came in. */
  moveTo(room: Room): void {
    this.values.moveTo?.(room)
  }
}

/** Values in memory of their own, in that of older ones where it can be. */
export function keptValues(values: Values, older: Values | null, room: Room): Values {
  if (older?.become?.(values, room) === true) return older
  values.moveTo?.(room)
  return values
}
