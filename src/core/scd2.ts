import type { Change, KeyChange } from './change.ts'
import type { Sequence } from './sequence.ts'
import {
  isLive,
  NOTHING,
  step,
  type Entry,
  type LiveEntry,
  type State,
  type Timeline,
} from './timeline.ts'
import { cell, sameRow, sameValue, type Row, type Value } from './value.ts'

/**
 * One row of an SCD type 2 table: what a key looked like in `[startAt, endAt)`.
 *
 * `entry` is the last change of the run that the version shows; its row is the version's row.
 * `startTime` and `endTime` are the `time_by` values of the changes that open and end it.
 * `since` is the system time from which a bitemporal table believes it, null elsewhere.
 */
export type Version = {
  readonly startAt: Sequence
  readonly endAt: Sequence | null
  readonly startTime: Value
  readonly endTime: Value
  readonly entry: LiveEntry
  readonly since: Sequence | null
}

/** The columns whose change opens a new version, by ordinal. `except` covers columns that come to be later. */
export type Tracking = {
  readonly mode: 'only' | 'except'
  readonly columns: readonly number[]
}

/** Whether two rows agree on every tracked column, by type and content, null equal to null. */
export function agree(a: Row, b: Row, tracking: Tracking): boolean {
  if (a === b) return true
  if (tracking.mode === 'only') {
    return tracking.columns.every((column) => sameValue(cell(a, column), cell(b, column)))
  }
  const width = Math.max(a.length, b.length)
  for (let column = 0; column < width; column += 1) {
    if (tracking.columns.includes(column)) continue
    if (!sameValue(cell(a, column), cell(b, column))) return false
  }
  return true
}

/** A run of states that touch and agree, still growing. */
export type Run = {
  readonly startAt: Sequence
  readonly startTime: Value
  readonly entry: LiveEntry
}

/**
 * Cuts states into versions (semantics 5): give it, in order, the state after the last change
 * at each sequence.
 *
 *     5  Alice ─┐
 *     10 Alice ─┴─ [5, 12) Alice
 *     12 Bob   ─── [12, ∞) Bob
 */
export class Cutter {
  readonly versions: Version[] = []
  private readonly tracking: Tracking
  private open: Run | null

  constructor(tracking: Tracking, open: Run | null) {
    this.tracking = tracking
    this.open = open
  }

  /** The run that has not ended yet. */
  get run(): Run | null {
    return this.open
  }

  /** The key has this row from `sequence` on; `entry` is the change that says so. */
  exists(sequence: Sequence, time: Value, entry: LiveEntry): void {
    if (this.open !== null && agree(this.open.entry.row, entry.row, this.tracking)) {
      this.open = { ...this.open, entry }
      return
    }
    this.close(sequence, time)
    this.open = { startAt: sequence, startTime: time, entry }
  }

  /** The key does not exist from `sequence` on. */
  close(sequence: Sequence, time: Value): void {
    if (this.open === null) return
    this.versions.push({ ...this.open, endAt: sequence, endTime: time, since: null })
    this.open = null
  }

  /** All versions, the open run last. */
  finish(): Version[] {
    if (this.open === null) return this.versions
    return [...this.versions, { ...this.open, endAt: null, endTime: null, since: null }]
  }
}

/**
 * The SCD type 2 view of a timeline: one version per run. The plain form, a fold of the whole;
 * weave.ts is the incremental one, and a law says that they agree.
 */
export function versions(
  timeline: Timeline,
  tracking: Tracking,
  commitOf: (change: KeyChange) => number,
): Version[] {
  const cutter = new Cutter(tracking, null)
  let state = NOTHING
  let entry: Entry | null = null
  let last: Change | null = null

  for (const [i, change] of timeline.entries()) {
    const before = state
    state = step(state, change)
    if (state !== before) last = change
    if (change.op !== 'truncate') entry = { change, row: state.row, commit: commitOf(change) }
    const isGroupEnd = timeline[i + 1]?.sequence !== change.sequence
    if (isGroupEnd && last?.sequence === change.sequence) show(cutter, last, entry, state)
  }

  return cutter.finish()
}

/**
 * Tells the cutter what holds after the last change of a key at a sequence: the row of `entry`,
 * the latest upsert, if the key exists.
 */
export function show(cutter: Cutter, last: Change, entry: Entry | null, state: State): void {
  if (state.row !== null && entry !== null && isLive(entry)) {
    cutter.exists(last.sequence, last.time, entry)
  } else {
    cutter.close(last.sequence, last.time)
  }
}

/** Whether two versions are one row to a reader: values and interval. */
export function sameVersion(a: Version, b: Version): boolean {
  return (
    a.startAt === b.startAt &&
    a.endAt === b.endAt &&
    sameValue(a.startTime, b.startTime) &&
    sameValue(a.endTime, b.endTime) &&
    sameRow(a.entry.row, b.entry.row)
  )
}
