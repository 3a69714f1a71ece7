import { RegistersFold } from '../core/registers-fold.ts'
import type { Fold } from './gathering.ts'
import { mergeBelief } from './merge-belief.ts'
import { mergeLatest, writeLatest } from './merge-latest.ts'
import { mergeRegisters, writeRegisters } from './merge-registers.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'
import { mergeTimeline } from './merge-timeline.ts'

/** Merges the changes of a batch into their target, in the way that its kind and layout ask for. */
export function merge(task: MergeTask): MergeCounts {
  const { kind, layout, systemTime } = task.facts
  if (kind === 'bitemporal' && systemTime === 'data') return mergeBelief(task)
  switch (layout) {
    case 'latest':
      return mergeLatest(task)
    case 'registers':
      return mergeRegisters(task)
    case 'timeline':
      return mergeTimeline(task)
  }
}

/** Writes what has been folded already. */
export function writeFolded(task: Omit<MergeTask, 'arrivals'>, fold: Fold): MergeCounts {
  return fold instanceof RegistersFold ? writeRegisters(task, fold) : writeLatest(task, fold)
}
