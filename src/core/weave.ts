import { append } from './append.ts'
import type { Edits, WeaveRules } from './edits.ts'
import { compareChanges, ofOneRecord, sameStamp, type Change, type KeyChange } from './change.ts'
import { BugError } from './errors.ts'
import { Groups, type Group, type Neighbourhood, type Placed } from './neighbourhood.ts'
import { Cutter, sameVersion, show, type Run, type Version } from './scd2.ts'
import type { Sequence } from './sequence.ts'
import { isLive, NOTHING, sameContent, step, type Entry, type State } from './timeline.ts'
import { sameRow } from './value.ts'

/**
 * Joins changes into the stored timeline of a key: the incremental form of `versions` (scd2.ts).
 *
 * Replays from the entry before the first change to the first stored entry where nothing
 * differs any more; what lies beyond is never read. So a change that is newest touches the
 * newest version only, and a late one the part of history that it really changes.
 *
 * @param changes of this key and new truncates, in order, at least one
 */
export function weave(near: Neighbourhood, changes: readonly Change[], rules: WeaveRules): Edits {
  const newest = appendable(near, changes, rules)
  const current = near.version?.endAt === null ? near.version : null
  if (newest !== null) return append(current, newest, rules)

  const region = new Region(near, rules)
  const groups = new Groups(near, changes)

  for (let group = groups.next(); group !== null; group = groups.next()) {
    region.replay(group)
    if (region.converged(group)) break
  }

  return region.edits(groups.rest(), groups.moreStored)
}

/** The changes, if they only add to the end of the history; null if anything else is at stake. */
function appendable(
  near: Neighbourhood,
  changes: readonly Change[],
  { meaning }: WeaveRules,
): readonly KeyChange[] | null {
  const first = changes[0]
  const truncated = near.truncates.at(-1)?.sequence
  if (!near.atEnd || first === undefined || meaning === 'named') return null
  if (truncated !== undefined && truncated >= first.sequence) return null
  const ofKey = changes.filter((change) => change.op !== 'truncate')
  return ofKey.length === changes.length ? ofKey : null
}

/** The part of a key's history that is replayed, as it was and as it becomes. */
class Region {
  private readonly near: Neighbourhood
  private readonly rules: WeaveRules
  private readonly cutter: Cutter
  private state: State = NOTHING
  private entry: Entry | null
  private readonly oldVersions = new Map<Sequence, Version>()
  private readonly newEntries: Entry[] = []
  private readonly oldEntries: Placed[] = []
  private joined: Version | null = null
  private waiting: Change[] = []
  private readonly late: Change[] = []
  private ties = 0

  constructor(near: Neighbourhood, rules: WeaveRules) {
    this.near = near
    this.rules = rules
    const { before, version } = near
    this.entry = before
    if (before !== null) {
      this.state = { row: before.row, flow: before.change.stream.flow }
      this.oldEntries.push({ entry: before, version: carries(version, before) ? version : null })
      this.newEntries.push(before)
    }
    if (version !== null) this.oldVersions.set(version.startAt, version)
    this.cutter = new Cutter(rules.tracking, openRun(before, version))
  }

  /** Applies one group on top of the state so far. */
  replay(group: Group): void {
    if (group.old.length > 0) {
      this.late.push(...this.waiting)
      this.waiting = []
    }
    for (const placed of group.old) {
      this.oldEntries.push(placed)
      if (placed.version !== null) this.oldVersions.set(placed.version.startAt, placed.version)
    }

    const ordered = this.order(group)
    let last: Change | null = null
    for (const { change, entry } of ordered) {
      if (this.advance(change, entry)) last = change
    }
    if (last !== null) show(this.cutter, last, this.entry, this.state)
  }

  /** Whether everything from the end of a group on is as it was. */
  converged(group: Group): boolean {
    const last = lastOf(group.old)
    if (last === null) return false
    const flow = last.change.stream.flow
    if (this.state.flow !== flow || !sameState(this.state.row, last.row)) return false

    this.joined = this.state.row === null ? null : this.shown(group, last)
    return true
  }

  edits(rest: readonly Change[], moreStored: boolean): Edits {
    const fresh = this.freshVersions()
    const old = [...this.oldVersions.values()]
    const kept = new Set<Version>()
    const put: Version[] = []
    const continued = new Set<Sequence>()

    for (const version of fresh) {
      const before = this.oldVersions.get(version.startAt)
      const looksSame = before !== undefined && sameVersion(before, version)
      if (looksSame && sameEntry(before.entry, version.entry)) {
        kept.add(before)
        continue
      }
      if (looksSame) continued.add(version.startAt)
      put.push({ ...version, since: looksSame ? before.since : this.rules.now })
    }

    const remove = old.filter((version) => !kept.has(version))
    const shown = new Set<Entry>(fresh.map(({ entry }) => entry))
    const { hide, unhide } = this.hiddenEdits(shown)
    return {
      remove,
      put,
      disbelieved: remove.filter(({ startAt }) => !continued.has(startAt)),
      hide,
      unhide,
      rest,
      late: moreStored ? [...this.late, ...this.waiting] : this.late,
      ties: this.ties,
    }
  }

  /** What happens at a group's sequence in order, each event once; `entry` where it is stored already. */
  private order(group: Group): { change: Change; entry: Entry | null }[] {
    const known: { change: Change; entry: Entry | null }[] = [
      ...group.truncates.map((change) => ({ change, entry: null })),
      ...group.old.map(({ entry }) => ({ change: entry.change, entry })),
    ]
    const all = [...known]
    const isNamed = this.rules.meaning === 'named'
    for (const change of group.changes) {
      if (known.some((other) => sameEvent(other.change, change))) continue
      const isRepeated = isNamed && all.some((other) => sameContent(other.change, change))
      if (change.op !== 'truncate' && !isRepeated) this.countNew(change, all)
      all.push({ change, entry: null })
    }
    all.sort((a, b) => compareChanges(a.change, b.change))
    return isNamed ? onceEach(all) : all
  }

  private countNew(fresh: Change, others: readonly { change: Change }[]): void {
    this.waiting.push(fresh)
    const isTie = (change: Change) => change.op !== 'truncate' && !ofOneRecord(change, fresh)
    if (others.some(({ change }) => isTie(change))) this.ties += 1
  }

  /** Whether the change is one of the key's: a truncate may not reach it. */
  private advance(change: Change, stored: Entry | null): boolean {
    const before = this.state
    this.state = step(before, change)
    if (change.op === 'truncate') return this.state !== before
    const { row } = this.state
    const same = stored !== null && sameState(stored.row, row)
    this.entry = same ? stored : { change, row, commit: stored?.commit ?? this.rules.commit }
    this.newEntries.push(this.entry)
    return true
  }

  /** The version that showed a converged group and still does, perhaps from another start. */
  private shown(group: Group, last: Entry): Version {
    const placed = group.old.find(({ entry }) => entry === last)
    const version = placed?.version ?? this.near.versionAt(group.sequence)
    if (version === null) throw new BugError(`no version shows the entry at ${group.sequence}`)
    this.oldVersions.set(version.startAt, version)
    return version
  }

  private freshVersions(): Version[] {
    const { joined } = this
    const run = this.cutter.run
    if (joined === null || run === null) return this.cutter.finish()

    const endsHere = joined.entry.change.sequence === run.entry.change.sequence
    const entry = endsHere ? run.entry : joined.entry
    const { startAt, startTime } = run
    return [...this.cutter.versions, { ...joined, startAt, startTime, entry }]
  }

  private hiddenEdits(shown: ReadonlySet<Entry>): { hide: Entry[]; unhide: Entry[] } {
    const fresh = new Set(this.newEntries)
    const wasHidden = new Set(
      this.oldEntries.filter(({ version }) => version === null).map(({ entry }) => entry),
    )
    return {
      unhide: [...wasHidden].filter((entry) => !fresh.has(entry) || shown.has(entry)),
      hide: [...fresh].filter((entry) => !shown.has(entry) && !wasHidden.has(entry)),
    }
  }
}

function openRun(before: Entry | null, version: Version | null): Run | null {
  if (before === null || !isLive(before) || version === null) return null
  return { startAt: version.startAt, startTime: version.startTime, entry: before }
}

function carries(version: Version | null, entry: Entry): boolean {
  return version !== null && sameStamp(version.entry.change, entry.change)
}

function lastOf(placed: readonly Placed[]): Entry | null {
  let last: Entry | null = null
  for (const { entry } of placed) {
    if (last === null || compareChanges(last.change, entry.change) < 0) last = entry
  }
  return last
}

function sameEvent(a: Change, b: Change): boolean {
  return compareChanges(a, b) === 0
}

/** Drops what repeats an earlier position's content: the sequence names one change. */
function onceEach<T extends { change: Change }>(ordered: readonly T[]): T[] {
  return ordered.filter(
    ({ change }, i) => !ordered.slice(0, i).some((earlier) => sameContent(earlier.change, change)),
  )
}

function sameState(a: Entry['row'], b: Entry['row']): boolean {
  if (a === null || b === null) return a === b
  return sameRow(a, b)
}

function sameEntry(a: Entry, b: Entry): boolean {
  return a === b || (sameStamp(a.change, b.change) && a.commit === b.commit)
}
