import type { Change, KeyChange } from './change.ts'
import { sameVersion, versions, type Tracking, type Version } from './scd2.ts'
import type { Sequence } from './sequence.ts'
import type { Timeline } from './timeline.ts'

/** A version with the half-open system interval in which it was believed: `[since, until)`. */
export type BitemporalVersion = Version & {
  readonly since: Sequence
  readonly until: Sequence | null
}

/** What a bitemporal view needs to know beside the timeline. */
export type Belief = {
  readonly tracking: Tracking
  readonly commitOf: (change: KeyChange) => number
  /** When the engine learned of a change: the time of its commit, or the system time in the data. */
  readonly systemOf: (change: Change) => Sequence
}

/**
 * The bitemporal view of a timeline (semantics 6), the plain form: at every system time the SCD
 * type 2 table of what was known by then, each of its rows for as long as it stayed in the table.
 *
 * Quadratic in the number of distinct system times. Where time comes from the engine, weave.ts
 * is the incremental form.
 */
export function bitemporal(timeline: Timeline, belief: Belief): BitemporalVersion[] {
  const { tracking, commitOf, systemOf } = belief
  const times = [...new Set(timeline.map(systemOf))].toSorted()
  const past: BitemporalVersion[] = []
  let believed: BitemporalVersion[] = []

  for (const now of times) {
    const known = timeline.filter((change) => systemOf(change) <= now)
    const table = versions(known, tracking, commitOf)
    const stayed = table.map((version) => ({
      ...version,
      since: believed.find((earlier) => sameVersion(earlier, version))?.since ?? now,
      until: null,
    }))
    for (const earlier of believed) {
      if (!table.some((version) => sameVersion(earlier, version)))
        past.push({ ...earlier, until: now })
    }
    believed = stayed
  }

  return [...past, ...believed]
}
