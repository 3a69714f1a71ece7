import type { BitemporalVersion } from '../core/bitemporal.ts'
import { compareChanges, sameStamp, type Change } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { entriesOf, replay, type KeyHistory } from '../core/key-history.ts'
import { agree, sameVersion, versions, type Version } from '../core/scd2.ts'
import type { Sequence } from '../core/sequence.ts'
import type { TargetFacts } from '../core/target.ts'
import { timelineOf } from '../core/timeline.ts'
import { sameRow } from '../core/value.ts'
import type { Store } from '../ports/store.ts'
import type { KeyFault } from './key-fault.ts'

/** What is wrong with the kept history of a key. */
export function historyFaults(store: Store, facts: TargetFacts, key: Key): readonly KeyFault[] {
  const history = store.historyTable(facts.name).history(key)
  return [
    ...shapeFaults(facts, history.versions),
    ...retellFaults(store, facts, history),
    ...beliefFaults(facts, history),
  ]
}

/** Law 4: versions neither overlap, nor have zero width, nor touch with equal tracked values. */
function shapeFaults(facts: TargetFacts, stored: readonly Version[]): KeyFault[] {
  return stored.flatMap((version, i): KeyFault[] => {
    const next = stored[i + 1]
    const { startAt, endAt, entry } = version
    if (endAt !== null && endAt <= startAt) return [fault('4', `a row ends where it starts`)]
    if (next === undefined) return []
    if (endAt === null || endAt > next.startAt) return [fault('4', 'two rows overlap')]
    const touches = endAt === next.startAt && agree(entry.row, next.entry.row, facts.tracking)
    return touches ? [fault('4', 'two rows touch and agree on every tracked column')] : []
  })
}

/** Rows and hidden entries are what a plain fold makes of the kept changes and truncates. */
function retellFaults(store: Store, facts: TargetFacts, history: KeyHistory): KeyFault[] {
  const entries = entriesOf(history)
  const truncates = store.truncates(facts.name).map(({ truncate }) => truncate)
  const changes = [...truncates, ...entries.map(({ change }) => change)]
  const timeline = timelineOf(changes, 'ordered')
  if (timeline.length < changes.length) return [fault('2', 'a change is kept twice')]

  const commits = new Map<Change, number>(entries.map(({ change, commit }) => [change, commit]))
  const commitOf = (change: Change) => commits.get(change) ?? 0
  const told = versions(timeline, facts.tracking, commitOf)
  const faults: KeyFault[] = []
  if (!sameTable(told, history.versions)) {
    faults.push(fault('1', 'the rows are not what the kept changes make of them'))
  }
  const rows = replay(timeline, commitOf)
  for (const { change, row } of entries) {
    const again = rows.find((entry) => sameStamp(entry.change, change))?.row ?? null
    const same = row === null || again === null ? row === again : sameRow(row, again)
    if (!same) faults.push(fault('1', `the row kept with a change is not the row after it`))
  }
  return faults
}

/** Law 4 on both axes. */
function beliefFaults(facts: TargetFacts, history: KeyHistory): KeyFault[] {
  if (facts.kind !== 'bitemporal') return []
  const believed: BitemporalVersion[] = history.versions.flatMap((version) =>
    version.since === null ? [] : [{ ...version, since: version.since, until: null }],
  )
  const all = [...believed, ...history.disbelieved]
  const faults: KeyFault[] = []
  if (believed.length < history.versions.length) faults.push(fault('5', 'a row has no system time'))
  for (const [i, a] of all.entries()) {
    if (a.until !== null && a.until <= a.since) faults.push(fault('4', 'a belief of zero width'))
    if (all.slice(i + 1).some((b) => overlap(a, b))) {
      faults.push(fault('4', 'two rectangles overlap on both axes'))
    }
  }
  return faults
}

function overlap(a: BitemporalVersion, b: BitemporalVersion): boolean {
  return (
    before(a.startAt, b.endAt) &&
    before(b.startAt, a.endAt) &&
    before(a.since, b.until) &&
    before(b.since, a.until)
  )
}

function before(at: Sequence, end: Sequence | null): boolean {
  return end === null || at < end
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
