import type { Change } from '../core/change.ts'
import { BugError } from '../core/errors.ts'
import type { Sequence } from '../core/sequence.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Store } from '../ports/store.ts'

/** A change, and the commit that brought it. */
export type Known = { readonly change: Change; readonly commit: number }

/** When a bitemporal target learnt of a change (semantics 6): the time of its commit, or what the data says. */
export function learntAt(store: Store, facts: TargetFacts): (known: Known) => Sequence {
  if (facts.systemTime === 'data') {
    return ({ change: { system } }) => {
      if (system === null)
        throw new BugError('a change without system time in a target that has it')
      return system
    }
  }
  const times = new Map<number, Sequence>()
  return ({ commit }) => {
    const time = times.get(commit) ?? store.timeOf(commit)
    times.set(commit, time)
    return time
  }
}
