import type { Change } from './change.ts'
import type { Tracking, Version } from './scd2.ts'
import type { Sequence } from './sequence.ts'
import type { Entry, SequenceMeaning } from './timeline.ts'

/** What a flow's changes mean to its target. */
export type WeaveRules = {
  readonly tracking: Tracking
  readonly meaning: SequenceMeaning
  /** The commit that brings the changes. */
  readonly commit: number
  /** System time of the commit where the table is bitemporal, else null. */
  readonly now: Sequence | null
}

/** How stored versions and hidden entries change. Versions are named by their start, entries by their stamp. */
export type Edits = {
  readonly remove: readonly Version[]
  readonly put: readonly Version[]
  /** Removed versions that no put version continues unchanged to a reader's eye: a bitemporal table archives them. */
  readonly disbelieved: readonly Version[]
  readonly unhide: readonly Entry[]
  readonly hide: readonly Entry[]
  /** Changes from which nothing was affected yet: weave them next, after these edits are stored. */
  readonly rest: readonly Change[]
  /** The changes that came after a later one of their key was stored. */
  readonly late: readonly Change[]
  /** How many of the changes found another change of their key at their sequence. */
  readonly ties: number
}
