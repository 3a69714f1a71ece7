import type { Change, KeyChange } from '../core/change.ts'
import { BugError } from '../core/errors.ts'
import type { Row } from '../core/value.ts'
import { versions } from '../core/scd2.ts'
import type { TargetFacts } from '../core/target.ts'
import { timelineOf, type SequenceMeaning } from '../core/timeline.ts'
import type { Store } from '../ports/store.ts'
import { entriesOf, replay, retell, type KeyHistory } from '../core/key-history.ts'

/**
 * Tells the whole history of a target again after its tracked columns changed or columns were
 * excluded (semantics 10): everything that was learnt is kept, so nothing has to be read again.
 * A bitemporal target is told as if it had always been configured so, each change believed from
 * its own commit on.
 */
export function recompute(store: Store, facts: TargetFacts, meaning: SequenceMeaning): void {
  const table = store.historyTable(facts.name)
  const truncates = store.truncates(facts.name)
  const excluded = facts.excluded.map((name) => facts.columns.indexOf(name))

  for (const key of table.keys()) {
    const entries = entriesOf(table.history(key))
    const commits = new Map<Change, number>(
      truncates.map(({ truncate, commit }) => [truncate, commit]),
    )
    for (const { change, commit } of entries) commits.set(without(change, excluded), commit)
    table.replace(key, tell(store, facts, meaning, commits))
  }
}

function tell(
  store: Store,
  facts: TargetFacts,
  meaning: SequenceMeaning,
  commits: ReadonlyMap<Change, number>,
): KeyHistory {
  const changes = [...commits.keys()]
  const commitOf = (change: Change) => {
    const commit = commits.get(change)
    if (commit === undefined) throw new BugError('a change that no commit brought')
    return commit
  }
  if (facts.kind === 'bitemporal') {
    const systemOf = (change: Change) =>
      facts.systemTime === 'data' && change.system !== null
        ? change.system
        : store.timeOf(commitOf(change))
    return retell(changes, meaning, { tracking: facts.tracking, commitOf, systemOf })
  }

  const timeline = timelineOf(changes, meaning)
  const shown = versions(timeline, facts.tracking, commitOf)
  const carried = new Set<KeyChange>(shown.map(({ entry }) => entry.change))
  const hidden = replay(timeline, commitOf).filter(({ change }) => !carried.has(change))
  return { versions: shown, hidden, disbelieved: [] }
}

/** A change with nothing in the excluded columns; copied, so that each is one object of its own. */
function without(change: KeyChange, excluded: readonly number[]): KeyChange {
  if (change.op === 'delete') return { ...change }
  const row: Row = change.row.map((value, column) => (excluded.includes(column) ? null : value))
  return { ...change, row }
}
