import type { TargetFacts } from '../core/target.ts'
import type { SequenceMeaning } from '../core/timeline.ts'
import type { Commit, Store } from '../ports/store.ts'
import type { Arrivals } from './arrivals.ts'

/** One batch to be merged into a target; its truncates are stored already. */
export type MergeTask = {
  readonly store: Store
  readonly facts: TargetFacts
  readonly arrivals: Arrivals
  readonly commit: Commit
  readonly meaning: SequenceMeaning
}

/** What merging a batch found out on the way. */
export type MergeCounts = { readonly late: number; readonly ties: number }
