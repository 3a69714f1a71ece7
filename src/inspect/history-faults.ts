import { compareChanges, type Change } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { entriesOf, replay, type KeyHistory } from '../core/key-history.ts'
import { agree, sameVersion, versions, type Version } from '../core/scd2.ts'
import type { TargetFacts } from '../core/target.ts'
import { timelineOf, type Entry, type Timeline } from '../core/timeline.ts'
import { sameRow } from '../core/value.ts'
import type { Store } from '../ports/store.ts'
import { beliefFaults } from './belief-faults.ts'
import { UNFOUND, type KeyFault } from './key-fault.ts'
import { rowFaults, timeFaults } from './row-faults.ts'
import type { Known } from './system-times.ts'

/** What is wrong with the kept history of a key. */
export function historyFaults(store: Store, facts: TargetFacts, key: Key): readonly KeyFault[] {
  const history = store.historyTable(facts.name).history(key)
  const entries = entriesOf(history)
  if (entries.length === 0 && history.disbelieved.length === 0) return [UNFOUND]
  const known: Known[] = [
    ...store.truncates(facts.name).map(({ truncate, commit }) => ({ change: truncate, commit })),
    ...entries,
  ]
  const changes = known.map(({ change }) => change)
  const timeline = timelineOf(changes, 'ordered')
  const isTwice = timeline.length < changes.length
  return [
    ...cellFaults(facts, key, history),
    ...shapeFaults(facts, history.versions),
    ...(isTwice ? [fault('2', 'a change is kept twice')] : retellFaults(facts, history, timeline)),
    ...(facts.kind === 'bitemporal' ? beliefFaults(store, facts, history, known) : []),
  ]
}

function cellFaults(facts: TargetFacts, key: Key, history: KeyHistory): KeyFault[] {
  const shown = [...history.versions, ...history.disbelieved]
  const rows = [...shown.map(({ entry }) => entry), ...history.hidden].map(({ row }) => row)
  return [
    ...rows.flatMap((row) => (row === null ? [] : rowFaults(facts, key, row))),
    ...shown.flatMap(({ startTime, endTime }) => timeFaults(startTime, endTime)),
  ]
}

/** Law 4: versions neither overlap, nor have zero width, nor touch with equal tracked values. */
function shapeFaults(facts: TargetFacts, stored: readonly Version[]): KeyFault[] {
  return stored.flatMap((version, i): KeyFault[] => {
    const next = stored[i + 1]
    const { startAt, endAt, entry } = version
    if (endAt !== null && endAt <= startAt) return [fault('4', 'a row ends where it starts')]
    if (next === undefined) return []
    if (endAt === null || endAt > next.startAt) return [fault('4', 'two rows overlap')]
    const touches = endAt === next.startAt && agree(entry.row, next.entry.row, facts.tracking)
    return touches ? [fault('4', 'two rows touch and agree on every tracked column')] : []
  })
}

/** Law 1: rows and hidden state are what a plain fold makes of the kept changes and truncates. */
function retellFaults(
  { tracking }: TargetFacts,
  history: KeyHistory,
  timeline: Timeline,
): KeyFault[] {
  const again = new Map<Change, Entry>(
    replay(timeline, () => 0).map((entry) => [entry.change, entry]),
  )
  const isOther = ({ change, row }: Entry) => {
    const replayed = again.get(change)?.row ?? null
    return row === null || replayed === null ? row !== replayed : !sameRow(row, replayed)
  }
  const told = versions(timeline, tracking, () => 0)
  return [
    ...(sameTable(told, history.versions)
      ? []
      : [fault('1', 'the rows are not what the kept changes make of them')]),
    ...(entriesOf(history).some(isOther)
      ? [fault('1', 'the row kept with a change is not the row after it')]
      : []),
  ]
}

function sameTable(a: readonly Version[], b: readonly Version[]): boolean {
  return a.length === b.length && a.every((version, i) => isSame(version, b[i]))
}

function isSame(a: Version, b: Version | undefined): boolean {
  return (
    b !== undefined && sameVersion(a, b) && compareChanges(a.entry.change, b.entry.change) === 0
  )
}

function fault(law: string, message: string): KeyFault {
  return { law, message }
}
