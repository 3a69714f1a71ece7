import { compareChanges, type Change, type KeyChange, type Stamp } from './change.ts'
import { replay, type KeyHistory } from './key-history.ts'
import { sameVersion, versions, type Tracking, type Version } from './scd2.ts'
import type { Sequence } from './sequence.ts'
import type { Entry, Timeline } from './timeline.ts'
import { sameRow } from './value.ts'
import type { Edits } from './edits.ts'

/** What telling a key's whole history again goes by. */
export type Retelling = {
  readonly tracking: Tracking
  /** The commit that brings what was not stored. */
  readonly commit: number
  /** System time of the commit where the table is bitemporal, else null. */
  readonly now: Sequence | null
}

/**
 * The edits that lead from what is stored of a key to another timeline of it: the plain form of
 * weave.ts, which may also take changes away. Linear in the length of the history.
 */
export function retold(
  before: KeyHistory,
  timeline: Timeline,
  { tracking, commit, now }: Retelling,
): Edits {
  const known = [...before.versions.map(({ entry }) => entry), ...before.hidden]
  const commits = new Map(known.map((entry) => [placeOf(entry.change), entry.commit]))
  const commitOf = (change: KeyChange) => commits.get(placeOf(change)) ?? commit

  const fresh = versions(timeline, tracking, commitOf)
  const shown = new Set<Change>(fresh.map(({ entry }) => entry.change))
  const hidden = replay(timeline, commitOf).filter(({ change }) => !shown.has(change))
  const old = new Map(before.versions.map((version) => [version.startAt, version]))
  const put: Version[] = []
  const kept = new Set<Version>()
  const continued = new Set<Version>()
  for (const version of fresh) {
    const stored = old.get(version.startAt)
    const looksSame = stored !== undefined && sameVersion(stored, version)
    if (looksSame && sameEntry(stored.entry, version.entry)) kept.add(stored)
    else put.push({ ...version, since: looksSame ? stored.since : now })
    if (looksSame) continued.add(stored)
  }

  const remove = before.versions.filter((version) => !kept.has(version))
  return {
    remove,
    put,
    disbelieved: remove.filter((version) => !continued.has(version)),
    unhide: without(before.hidden, hidden),
    hide: without(hidden, before.hidden),
    rest: [],
    late: [],
    ties: 0,
  }
}

/** The changes of a timeline that are not stored yet. */
export function freshOf(before: KeyHistory, timeline: Timeline): number {
  const known = [...before.versions.map(({ entry }) => entry), ...before.hidden]
  const places = new Set(known.map(({ change }) => placeOf(change)))
  return timeline.filter((change) => change.op !== 'truncate' && !places.has(placeOf(change)))
    .length
}

/** Entries that another list does not have as they are. */
function without(entries: readonly Entry[], others: readonly Entry[]): Entry[] {
  const known = new Map(others.map((entry) => [placeOf(entry.change), entry]))
  return entries.filter((entry) => {
    const other = known.get(placeOf(entry.change))
    return other === undefined || !sameEntry(entry, other)
  })
}

function sameEntry(a: Entry, b: Entry): boolean {
  if (compareChanges(a.change, b.change) !== 0 || a.commit !== b.commit) return false
  if (a.row === null || b.row === null) return a.row === b.row
  return sameRow(a.row, b.row)
}

/** Names a change within its key. */
function placeOf({ sequence, rank, system, stream, number, part }: Stamp): string {
  return `${sequence} ${rank} ${system ?? ''} ${stream.id} ${number} ${part}`
}
