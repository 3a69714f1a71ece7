import {
  compareChanges,
  compareStreams,
  type Change,
  type Delete,
  type Stream,
  type Upsert,
} from './change.ts'
import { storedKey, type Key } from './key.ts'
import type { Sequence } from './sequence.ts'
import { step, type State } from './timeline.ts'
import { cell, sameValue, type Row, type Value } from './value.ts'
import type { Writes } from './writes.ts'

/**
 * A full extract that was applied: at `version` a deletion of every key that it lacks and an upsert
 * of each of its rows (semantics 7). Only the difference is stored; what a snapshot says of a key
 * that has no event of it follows from the key's state just before `version`, see settle.ts.
 */
export type Snapshot = {
  readonly version: Sequence
  /** The stream of the flow's snapshots: deletions have number 0 in it, rows number 1. */
  readonly stream: Stream
  /** Tells apart snapshots of one version with scopes that do not overlap; 0 without a scope. */
  readonly part: number
  /** Which rows it may delete: those with one of these values in this column; null: all. */
  readonly scope: Scope | null
  /** `flow`: it deletes only keys whose latest earlier event is of its own flow. */
  readonly reach: 'target' | 'flow'
  /** Whether it deletes what it lacks at all. */
  readonly deletes: boolean
  /**
   * It deletes a key that it lacks only if as many snapshots of its flow lack it, itself the first of
   * them, before one has it again; those whose scope leaves out the row just before it do not count.
   */
  readonly after: number
  /** Whether each of its rows has an event, even one that changed nothing. */
  readonly explicit: boolean
  /** Ordinal of the `time_by` column, null without one. */
  readonly time: number | null
}

/** Values of one column, by its ordinal. */
export type Scope = { readonly column: number; readonly values: readonly Value[] }

/** One row of a snapshot. */
export type SnapshotRow = {
  readonly key: Key
  readonly row: Row
  readonly writes: Writes
  readonly time: Value
}

/** The snapshots of one flow and version: they judge scopes by one state, the one just before them. */
export type Moment = { readonly at: Delete; readonly snapshots: readonly Snapshot[] }

/** A snapshot comes before a streamed row at one sequence. */
const SNAPSHOT_RANK = -1

/** Number of what {@link lackOf} makes: behind the rows, to which it adds nothing. */
const LACK = 2

/** The row of a snapshot as a change. */
export function upsertOf(snapshot: Snapshot, { key, row, writes, time }: SnapshotRow): Upsert {
  const { version: sequence, stream, part } = snapshot
  // Spelled out: it is made for every row, and a spread costs more than all the rest of it.
  return {
    sequence,
    rank: SNAPSHOT_RANK,
    system: null,
    stream,
    number: 1,
    part,
    op: 'upsert',
    key,
    row,
    writes,
    time,
  }
}

/** The deletion of a key that a snapshot lacks. */
export function deletionOf(snapshot: Snapshot, key: Key): Delete {
  return { ...stampOf(snapshot, 0), op: 'delete', key, time: null }
}

/**
 * Notes that a snapshot lacks a key that exists, where it may take others to delete it: without
 * an event of its own the snapshot would be taken to confirm the row. It writes no column.
 */
export function lackOf(snapshot: Snapshot, key: Key): Upsert {
  const writes: Writes = { mode: 'only', columns: [], merge: [] }
  return { ...stampOf(snapshot, LACK), op: 'upsert', key, row: [], writes, time: null }
}

/** Whether a change is made by {@link lackOf}. */
export function isLack(change: Change): boolean {
  if (change.op !== 'upsert' || change.number !== LACK || change.rank !== SNAPSHOT_RANK)
    return false
  return change.writes !== 'all' && change.writes.columns.length === 0
}

/** Order of two snapshots of one target. */
export function compareSnapshots(a: Snapshot, b: Snapshot): number {
  if (a.version !== b.version) return a.version < b.version ? -1 : 1
  return compareStreams(a.stream, b.stream) || a.part - b.part
}

/** Snapshots by moment, in order. */
export function momentsOf(snapshots: readonly Snapshot[]): Moment[] {
  const moments: { at: Delete; snapshots: Snapshot[] }[] = []
  for (const snapshot of snapshots.toSorted(compareSnapshots)) {
    const last = moments.at(-1)
    const first = last?.snapshots[0]
    if (last !== undefined && first !== undefined && sameMoment(first, snapshot)) {
      last.snapshots.push(snapshot)
    } else {
      moments.push({ at: momentOf(snapshot), snapshots: [snapshot] })
    }
  }
  return moments
}

/** The place just before everything that a snapshot says. */
export function momentOf(snapshot: Snapshot): Delete {
  return { ...stampOf(snapshot, -1), op: 'delete', key: NO_KEY, time: null }
}

/** Whether a change comes before a moment. */
export function precedes(change: Change, moment: Delete): boolean {
  return compareChanges(change, moment) < 0
}

/** Whether a change is one of a snapshot of this moment. */
export function isOf(change: Change, { at }: Moment): boolean {
  return (
    change.op !== 'truncate' &&
    change.sequence === at.sequence &&
    change.rank === at.rank &&
    change.stream === at.stream
  )
}

/** Whether a snapshot deletes a key of this state if it lacks it. */
export function isWithin({ deletes, scope, reach, stream }: Snapshot, state: State): boolean {
  if (!deletes || state.row === null) return false
  if (reach === 'flow' && state.flow !== stream.flow) return false
  return scope === null || isInScope(scope, state.row)
}

/** Whether a row is in a scope. */
export function isInScope({ column, values }: Scope, row: Row): boolean {
  const value = cell(row, column)
  return values.some((each) => sameValue(each, value))
}

/** Whether two scopes have a row in common; null is everything. */
export function overlap(a: Scope | null, b: Scope | null): boolean {
  if (a === null || b === null || a.column !== b.column) return true
  return a.values.some((value) => b.values.some((other) => sameValue(value, other)))
}

/** Whether two scopes are one. */
export function sameScope(a: Scope | null, b: Scope | null): boolean {
  if (a === null || b === null) return a === b
  const within = (some: Scope, all: Scope) =>
    some.values.every((value) => all.values.some((other) => sameValue(value, other)))
  return a.column === b.column && within(a, b) && within(b, a)
}

/** The state after some changes of a key, in order. */
export function after(state: State, changes: readonly Change[]): State {
  return changes.reduce(step, state)
}

/** A moment is a place, not an event of a key. */
const NO_KEY = storedKey('')

function sameMoment(a: Snapshot, b: Snapshot): boolean {
  return a.version === b.version && a.stream === b.stream
}

function stampOf({ version, stream, part }: Snapshot, number: number) {
  return { sequence: version, rank: SNAPSHOT_RANK, system: null, stream, number, part }
}
