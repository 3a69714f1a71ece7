import type { Change, KeyChange } from '../core/change.ts'
import { BugError } from '../core/errors.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import { entriesOf, retell } from '../core/key-history.ts'
import { lateOf, tiesOf } from './arrivals.ts'
import type { MergeCounts, MergeTask } from './merge-task.ts'

/**
 * Merges a batch into a bitemporal target whose system time comes from the data: events may be
 * late on both axes, so a late one can change every belief that follows. The whole life of each
 * key is told again.
 */
export function mergeBelief(task: MergeTask): MergeCounts {
  const { store, facts, arrivals, commit, meaning } = task
  const table = store.historyTable(facts.name)
  const truncates = store.truncates(facts.name).map(({ truncate }) => truncate)
  const keys = arrivals.truncates.length === 0 ? [] : [...table.keys()]
  let late = 0
  let ties = 0

  for (const key of new Set<Key>([...keys, ...arrivals.sortedKeys()])) {
    const known = entriesOf(table.history(key))
    const arrived = arrivals.byKey.get(key) ?? []
    const newest =
      known
        .map(({ change }) => change.sequence)
        .toSorted()
        .at(-1) ?? null
    late += lateOf(arrived, newest).length
    ties += tiesOf(
      arrived,
      known.map(({ change }) => change),
    )
    const changes = [...truncates, ...known.map(({ change }) => change), ...arrived]
    const commits = new Map(known.map(({ change, commit: id }) => [change, id]))
    const commitOf = (change: KeyChange) => commits.get(change) ?? commit.id
    const belief = { tracking: facts.tracking, commitOf, systemOf: dataTime }
    table.replace(key, retell(changes, meaning, belief))
  }
  return { late, ties }
}

function dataTime({ system }: Change): Sequence {
  if (system === null) throw new BugError('a change without system time in a target that has it')
  return system
}
