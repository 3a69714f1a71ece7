import { bitemporal, type Belief, type BitemporalVersion } from './bitemporal.ts'
import type { Change, KeyChange } from './change.ts'
import type { Version } from './scd2.ts'
import { NOTHING, step, timelineOf, type Entry, type SequenceMeaning } from './timeline.ts'

/** All that is kept of one key. */
export type KeyHistory = {
  readonly versions: readonly Version[]
  /** Entries that no version shows: swallowed by a run, deletions, superseded at one sequence. */
  readonly hidden: readonly Entry[]
  /** What a bitemporal table no longer believes. */
  readonly disbelieved: readonly BitemporalVersion[]
}

/** All that a set of changes of one key means to a bitemporal target, in the form that is kept. */
export function retell(
  changes: readonly Change[],
  meaning: SequenceMeaning,
  belief: Belief,
): KeyHistory {
  const timeline = timelineOf(changes, meaning)
  const rectangles = bitemporal(timeline, belief)
  const versions = rectangles.filter(({ until }) => until === null)
  const shown = new Set<Change>(versions.map(({ entry }) => entry.change))
  return {
    versions,
    hidden: replay(timeline, belief.commitOf).filter(({ change }) => !shown.has(change)),
    disbelieved: rectangles.filter(({ until }) => until !== null),
  }
}

/** The entries of a timeline: its changes with the row after each. */
export function replay(
  timeline: readonly Change[],
  commitOf: (change: KeyChange) => number,
): Entry[] {
  let state = NOTHING
  return timeline.flatMap((change): Entry[] => {
    state = step(state, change)
    return change.op === 'truncate' ? [] : [{ change, row: state.row, commit: commitOf(change) }]
  })
}

/** Every entry that is kept of a key. */
export function entriesOf({ versions, hidden }: KeyHistory): Entry[] {
  return [...versions.map(({ entry }) => entry), ...hidden]
}
