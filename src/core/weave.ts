import { compareChanges, sameStamp, type Change, type Truncate } from './change.ts'
import { BugError } from './errors.ts'
import { Cutter, sameVersion, show, type Run, type Tracking, type Version } from './scd2.ts'
import type { Sequence } from './sequence.ts'
import {
  isLive,
  NOTHING,
  sameContent,
  step,
  type Entry,
  type SequenceMeaning,
  type State,
} from './timeline.ts'
import { sameRow } from './value.ts'

/**
 * What is stored of one key near a change, as far as {@link weave} may need it.
 *
 *     before ──┐ version      after: ●    ●──●        ●
 *     ─────────●──────────────┬──────┴────┴──┴────────┴──▶ sequence
 *                             first change
 */
export type Neighbourhood = {
  /** The last entry before the sequence of the first change; of several at one sequence the last in order. */
  readonly before: Entry | null
  /** The version that shows the row of `before`, null if there is none. */
  readonly version: Version | null
  /** Entries from the sequence of the first change on, by sequence, ties in any order. Pulled only as far as needed. */
  readonly after: Iterable<Placed>
  /** Truncates stored already, in order. */
  readonly truncates: readonly Truncate[]
  /** The version whose interval holds a sequence. */
  readonly versionAt: (sequence: Sequence) => Version | null
}

/** A stored entry and the version that shows it; null while it is hidden. */
export type Placed = { readonly entry: Entry; readonly version: Version | null }

/** What a flow's changes mean to its target. */
export type WeaveRules = {
  readonly tracking: Tracking
  readonly meaning: SequenceMeaning
  /** The commit that brings the changes. */
  readonly commit: number
  /** System time of the commit where the table is bitemporal, else null. */
  readonly now: Sequence | null
}

/** How stored versions and hidden entries change. Versions are named by their start, entries by their stamp. */
export type Edits = {
  readonly remove: readonly Version[]
  readonly put: readonly Version[]
  /** Removed versions that no put version continues unchanged to a reader's eye: a bitemporal table archives them. */
  readonly disbelieved: readonly Version[]
  readonly unhide: readonly Entry[]
  readonly hide: readonly Entry[]
  /** Changes from which nothing was affected yet: weave them next, after these edits are stored. */
  readonly rest: readonly Change[]
  /** How many of the changes came after a later one of their key was stored. */
  readonly late: number
  /** How many of the changes found another change of their key at their sequence. */
  readonly ties: number
}

/**
 * Joins changes into the stored timeline of a key: the incremental form of {@link versions}.
 *
 * Replays from the entry before the first change to the first stored entry where nothing
 * differs any more; what lies beyond is never read. So a change that is newest touches the
 * newest version only, and a late one the part of history that it really changes.
 *
 * @param changes of this key and new truncates, in order, at least one
 */
export function weave(near: Neighbourhood, changes: readonly Change[], rules: WeaveRules): Edits {
  const region = new Region(near, rules)
  const groups = new Groups(near, changes)

  for (let group = groups.next(); group !== null; group = groups.next()) {
    region.replay(group)
    if (region.converged(group)) break
  }

  return region.edits(groups.rest(), groups.moreStored)
}

/** All that happens at one sequence. */
type Group = {
  readonly sequence: Sequence
  readonly old: readonly Placed[]
  readonly truncates: readonly Truncate[]
  readonly changes: readonly Change[]
}

/** Walks stored entries, stored truncates and changes together, sequence by sequence. */
class Groups {
  private readonly stored: Iterator<Placed>
  private head: Placed | null
  private readonly truncates: readonly Truncate[]
  private readonly changes: readonly Change[]
  private nextTruncate: number
  private nextChange = 0

  constructor(near: Neighbourhood, changes: readonly Change[]) {
    this.stored = near.after[Symbol.iterator]()
    this.head = this.pull()
    this.truncates = near.truncates
    this.changes = changes
    const from = near.before?.change.sequence ?? ''
    const first = near.truncates.findIndex(({ sequence }) => sequence > from)
    this.nextTruncate = first < 0 ? near.truncates.length : first
  }

  /** Whether stored entries lie beyond. */
  get moreStored(): boolean {
    return this.head !== null
  }

  /** The changes not walked yet. */
  rest(): readonly Change[] {
    return this.changes.slice(this.nextChange)
  }

  next(): Group | null {
    const sequence = this.least()
    if (sequence === null) return null

    const old: Placed[] = []
    for (let head = this.head; head?.entry.change.sequence === sequence; head = this.head) {
      old.push(head)
      this.head = this.pull()
    }
    const truncates = this.take(this.truncates, this.nextTruncate, sequence)
    this.nextTruncate += truncates.length
    const changes = this.take(this.changes, this.nextChange, sequence)
    this.nextChange += changes.length
    return { sequence, old, truncates, changes }
  }

  private least(): Sequence | null {
    let least: Sequence | null = null
    for (const candidate of [
      this.head?.entry.change.sequence,
      this.truncates[this.nextTruncate]?.sequence,
      this.changes[this.nextChange]?.sequence,
    ]) {
      if (candidate !== undefined && (least === null || candidate < least)) least = candidate
    }
    return least
  }

  private take<T extends Change>(from: readonly T[], start: number, sequence: Sequence): T[] {
    const out: T[] = []
    for (let i = start; from[i]?.sequence === sequence; i += 1) {
      const change = from[i]
      if (change !== undefined) out.push(change)
    }
    return out
  }

  private pull(): Placed | null {
    const step = this.stored.next()
    return step.done === true ? null : step.value
  }
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
  private waiting = 0
  private late = 0
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
      this.late += this.waiting
      this.waiting = 0
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
      late: this.late + (moreStored ? this.waiting : 0),
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
    for (const change of group.changes) {
      if (known.some((other) => sameEvent(other.change, change))) continue
      if (change.op !== 'truncate') this.countNew(all)
      all.push({ change, entry: null })
    }
    all.sort((a, b) => compareChanges(a.change, b.change))
    return this.rules.meaning === 'named' ? onceEach(all) : all
  }

  private countNew(others: readonly { change: Change }[]): void {
    this.waiting += 1
    if (others.some(({ change }) => change.op !== 'truncate')) this.ties += 1
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
