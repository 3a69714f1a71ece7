import type { Change, KeyChange, Upsert } from './change.ts'
import type { Key } from './key.ts'
import {
  after,
  deletionOf,
  isLack,
  isOf,
  isWithin,
  lackOf,
  momentsOf,
  precedes,
  upsertOf,
  type Moment,
  type Snapshot,
  type SnapshotRow,
} from './snapshot.ts'
import { NOTHING, timelineOf, type SequenceMeaning, type State, type Timeline } from './timeline.ts'
import { cell, sameRow } from './value.ts'

/** What is known of a key that has snapshots beyond a late change. */
export type Settling = {
  readonly key: Key
  /** Changes of the key and truncates, as stored. */
  readonly known: readonly Change[]
  /** Changes that arrived, none of them a snapshot's. */
  readonly fresh: readonly Change[]
  /** Snapshots that were applied before. */
  readonly snapshots: readonly Snapshot[]
  /** The snapshot that arrived, and its row of this key, null where it lacks the key. */
  readonly arrived: { readonly snapshot: Snapshot; readonly row: SnapshotRow | null } | null
  readonly meaning: SequenceMeaning
}

/**
 * All changes of a key, what snapshots say of it among them as far as it is not what holds anyway.
 *
 * A snapshot stores nothing where it agrees with the state just before it. So what each one says
 * is read off the timeline as it was before the late changes, and said again on top of them: the
 * row that it confirmed becomes its own upsert where the state now differs, and a key that it
 * lacks is deleted if it exists by now. What depends on the state just before, as scope does, is
 * judged anew. Linear in the history of the key; only changes below a snapshot need it.
 */
export function settle({ key, known, fresh, snapshots, arrived, meaning }: Settling): Timeline {
  const said = statements(key, timelineOf(known, meaning), momentsOf(snapshots))
  if (arrived !== null) {
    said.set(arrived.snapshot, arrived.row && upsertOf(arrived.snapshot, arrived.row))
  }
  const all = arrived === null ? snapshots : [...snapshots, arrived.snapshot]
  const moments = momentsOf(all)
  const events = [...known, ...fresh].filter(
    (change) => !(change.op === 'delete' && moments.some((moment) => isOf(change, moment))),
  )
  return said.size === 0
    ? timelineOf(events, meaning)
    : rejoin(key, timelineOf(events, meaning), moments, said)
}

/** What each snapshot says of the key: its row, or null where it lacks it. */
type Statements = Map<Snapshot, Upsert | null>

function statements(key: Key, timeline: Timeline, moments: readonly Moment[]): Statements {
  const said: Statements = new Map()
  let state = NOTHING
  let next = 0
  for (const moment of moments) {
    const from = next
    while (isBefore(timeline[next], moment)) next += 1
    state = after(state, timeline.slice(from, next))
    const own = ownChanges(timeline, moment)
    for (const snapshot of moment.snapshots) {
      said.set(snapshot, statement(key, snapshot, own, state))
    }
  }
  return said
}

function statement(
  key: Key,
  snapshot: Snapshot,
  own: readonly KeyChange[],
  state: State,
): Upsert | null {
  const ofPart = own.filter(({ part }) => part === snapshot.part)
  const row = ofPart.find((change): change is Upsert => change.op === 'upsert' && !isLack(change))
  if (row !== undefined) return row
  const isLacked = own.some(({ op }) => op === 'delete') || ofPart.some(isLack)
  if (snapshot.explicit || isLacked || !isWithin(snapshot, state) || state.row === null) return null
  return upsertOf(snapshot, {
    key,
    row: state.row,
    writes: 'all',
    time: snapshot.time === null ? null : cell(state.row, snapshot.time),
  })
}

/** Says again, moment by moment, what the snapshots say. */
function rejoin(
  key: Key,
  events: Timeline,
  moments: readonly Moment[],
  said: Statements,
): Timeline {
  const out: Change[] = []
  let state = NOTHING
  let next = 0
  const take = (change: Change): void => {
    out.push(change)
    state = after(state, [change])
  }
  for (const [i, moment] of moments.entries()) {
    for (; isBefore(events[next], moment); next += 1) {
      const change = events[next]
      if (change !== undefined) take(change)
    }
    const stored = ownChanges(events, moment)
    next += stored.length
    const before = state
    const lacking = moment.snapshots.find(
      (snapshot) => said.get(snapshot) === null && isWithin(snapshot, before),
    )
    const staysLacking =
      lacking !== undefined && isLackedFrom(moments.slice(i), { said, first: lacking, before })
    if (lacking !== undefined && staysLacking) take(deletionOf(lacking, key))
    for (const snapshot of moment.snapshots) {
      const row = said.get(snapshot) ?? null
      if (row === null) continue
      const isStored = stored.some(({ part }) => part === snapshot.part)
      if (isStored || snapshot.explicit || !confirms(row, state)) take(row)
    }
    if (lacking !== undefined && !staysLacking && !lacking.explicit) take(lackOf(lacking, key))
  }
  for (const change of events.slice(next)) take(change)
  return out
}

type Lacking = { readonly said: Statements; readonly first: Snapshot; readonly before: State }

/**
 * Whether enough snapshots from a moment on lack the key for the first of them to delete it. Those
 * count whose scope holds the row as it was before the first, up to one that has the key.
 */
function isLackedFrom(moments: readonly Moment[], { said, first, before }: Lacking): boolean {
  let count = 0
  for (const { at, snapshots } of moments) {
    if (at.stream !== first.stream) continue
    if (snapshots.some((each) => said.get(each) === null && isWithin(each, before))) count += 1
    if (count >= first.after) return true
    if (snapshots.some((each) => (said.get(each) ?? null) !== null)) return false
  }
  return false
}

/** Whether a row that writes every column says what holds already. */
function confirms({ row, writes }: Upsert, state: State): boolean {
  return writes === 'all' && state.row !== null && sameRow(row, state.row)
}

function isBefore(change: Change | undefined, { at }: Moment): boolean {
  return change !== undefined && precedes(change, at)
}

function ownChanges(timeline: Timeline, moment: Moment): KeyChange[] {
  return timeline.filter((change): change is KeyChange => isOf(change, moment))
}
