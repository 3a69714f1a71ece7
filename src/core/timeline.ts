import {
  compareChanges,
  type Change,
  type Delete,
  type KeyChange,
  type Truncate,
  type Upsert,
} from './change.ts'
import { overwrite } from './columns.ts'
import { sameRow, type Row } from './value.ts'

/**
 * All that is known of one key: its changes and the truncates that concern it, in order,
 * each once.
 *
 * Timelines form a join-semilattice under {@link join}. That is the whole reason why late,
 * repeated and re-batched deliveries cannot corrupt a target (semantics 11, laws 1 and 2).
 */
export type Timeline = readonly Change[]

/**
 * What a sequence means. `named`: it names one change of the source, so events of equal key,
 * sequence, operation and content are one event wherever the feed repeats it (semantics 1).
 */
export type SequenceMeaning = 'ordered' | 'named'

/** The timeline of changes that came in any order, with any repetition. */
export function timelineOf(changes: readonly Change[], meaning: SequenceMeaning): Timeline {
  const out: Change[] = []
  for (const change of changes.toSorted(compareChanges)) {
    const last = out.at(-1)
    if (last !== undefined && compareChanges(last, change) === 0) continue
    if (meaning === 'named' && isRepeated(out, change)) continue
    out.push(change)
  }
  return out
}

/** Changes of one key in order, each once, where sequences name them. */
export function onceEach(changes: readonly KeyChange[]): KeyChange[] {
  return changes.length < 2 ? [...changes] : timelineOf(changes, 'named').filter(isOfKey)
}

function isOfKey(change: Change): change is KeyChange {
  return change.op !== 'truncate'
}

/** Joins two timelines: commutative, associative, idempotent. */
export function join(a: Timeline, b: Timeline, meaning: SequenceMeaning): Timeline {
  return timelineOf([...a, ...b], meaning)
}

/** What the source row looked like, and whose flow wrote last (a truncate may reach only its own flow's keys). */
export type State = { readonly row: Row | null; readonly flow: string | null }

/** Before anything was written. */
export const NOTHING: State = { row: null, flow: null }

/** The state just after a change (semantics 2); the same object where the change is none of the key's. */
export function step(state: State, change: Change): State {
  switch (change.op) {
    case 'upsert':
      return { row: overwrite(state.row, change), flow: change.stream.flow }
    case 'delete':
      return { row: null, flow: change.stream.flow }
    case 'truncate':
      return reaches(change, state) ? { row: null, flow: state.flow } : state
  }
}

/** What a change of a key says, apart from when it was and where it was published. */
export type Content =
  Pick<Upsert, 'op' | 'rank' | 'row' | 'writes'> | Pick<Delete | Truncate, 'op' | 'rank'>

/** Whether two changes of one key say the same: operation, rank, values and written columns. */
export function sameContent(a: Content, b: Content): boolean {
  if (a.rank !== b.rank) return false
  if (a.op !== 'upsert' || b.op !== 'upsert') return a.op === b.op
  return sameRow(a.row, b.row) && JSON.stringify(a.writes) === JSON.stringify(b.writes)
}

function reaches(truncate: { reach: 'target' | 'flow' } & Change, state: State): boolean {
  return truncate.reach === 'target' || truncate.stream.flow === state.flow
}

/** Whether the feed already said this at this sequence; `earlier` holds lower positions, so the first one stays. */
function isRepeated(earlier: readonly Change[], change: Change): boolean {
  for (let i = earlier.length - 1; i >= 0; i -= 1) {
    const other = earlier[i]
    if (other === undefined || other.sequence !== change.sequence) return false
    if (sameContent(other, change)) return true
  }
  return false
}

/** A change of a key as it is kept: with the row it led to, and the commit that brought it. */
export type Entry = {
  readonly change: KeyChange
  readonly row: Row | null
  readonly commit: number
}

/** An entry after which the key exists. */
export type LiveEntry = Entry & { readonly row: Row }

/** Whether the key exists after an entry. */
export function isLive(entry: Entry): entry is LiveEntry {
  return entry.row !== null
}
