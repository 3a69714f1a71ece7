import type { TargetFacts } from '../core/target.ts'
import type { SequenceMeaning } from '../core/timeline.ts'
import type { Commit, Store } from '../ports/store.ts'
import type { Arrivals, MergeCounts } from './arrivals.ts'
import { mergeBelief } from './merge-belief.ts'
import { mergeLatest } from './merge-latest.ts'
import { mergeRegisters } from './merge-registers.ts'
import { mergeTimeline } from './merge-timeline.ts'

/** Merges the changes of a batch into their target, in the way that its kind and layout ask for. */
export function merge(
  store: Store,
  facts: TargetFacts,
  arrivals: Arrivals,
  commit: Commit,
  meaning: SequenceMeaning,
): MergeCounts {
  if (facts.kind === 'bitemporal' && facts.systemTime === 'data') {
    return mergeBelief(store, facts, arrivals, commit, meaning)
  }
  if (facts.kind !== 1) return mergeTimeline(store, facts, arrivals, commit, meaning)
  switch (facts.layout) {
    case 'latest':
      return mergeLatest(store, facts.name, arrivals, commit)
    case 'registers':
      return mergeRegisters(store, facts.name, arrivals, commit)
    case 'timeline':
      return mergeTimeline(store, facts, arrivals, commit, meaning)
  }
}
