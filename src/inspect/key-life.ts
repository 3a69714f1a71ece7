import type { Value } from '../core/value.ts'
import type { Writers } from './origin.ts'
import type { OutputRow, TargetInfo } from './rows.ts'

/** All that is kept of one key, in order. */
export type KeyLife = {
  readonly target: TargetInfo
  readonly key: OutputRow
  readonly events: readonly LifeEvent[]
  readonly versions: readonly LifeVersion[]
}

/** An event of the key, or a truncate that ended it. */
export type LifeEvent = {
  readonly op: 'upsert' | 'delete' | 'truncate'
  readonly sequence: Value
  /** The sequence as text in whose order sequences are, epoch and all; one that is not shown may decide. */
  readonly order: string
  /** `feed/a.ndjson:12`, or `topic[1]:42`; of a snapshot its name. */
  readonly origin: string
  readonly flow: string
  readonly commit: number
  readonly written: 'all' | readonly string[]
  /** The row after it, null where the key does not exist. */
  readonly row: OutputRow | null
}

/** A row of the key, and which event wrote each of its values. */
export type LifeVersion = {
  readonly startAt: Value
  readonly endAt: Value
  readonly systemStartAt: Value
  readonly systemEndAt: Value
  /** The bounds as text in whose order they are, as in an event; null where a bound is. */
  readonly order: VersionOrder
  readonly startTime: Value
  readonly endTime: Value
  readonly row: OutputRow
  readonly writers: Writers
}

/** Where the bounds of a version are among others. */
export type VersionOrder = {
  readonly startAt: string | null
  readonly endAt: string | null
  readonly systemStartAt: string | null
  readonly systemEndAt: string | null
}
