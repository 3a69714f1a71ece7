import type { Delete, KeyChange, Truncate } from '../core/change.ts'
import { overwrite } from '../core/columns.ts'
import type { Key } from '../core/key.ts'
import type { Neighbourhood } from '../core/neighbourhood.ts'
import { storedSequence, type Sequence } from '../core/sequence.ts'
import {
  after,
  compareSnapshots,
  deletionOf,
  isInScope,
  isWithin,
  momentOf,
  precedes,
  upsertOf,
  type Snapshot,
  type SnapshotRow,
} from '../core/snapshot.ts'
import type { TargetFacts } from '../core/target.ts'
import { NOTHING, type State } from '../core/timeline.ts'
import { sameRow } from '../core/value.ts'
import type { Stage } from '../ports/stage.ts'
import type { Commit, HistoryTable, Store } from '../ports/store.ts'
import { KeyWeaver } from './key-weaver.ts'
import { LackingKeys } from './lacking-keys.ts'
import type { Recognition } from './recognition.ts'
import { Found, notLookedAt } from './snapshot-found.ts'

/** What a snapshot would do to the rows that it is judged by. */
export type DiffCounts = {
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
  readonly unchanged: number
  /** Rows that existed, as far as they are in the snapshot's scope. */
  readonly existing: number
}

/** A row that a snapshot brings, changes or deletes, for a plan. */
export type DiffRow = {
  readonly change: 'insert' | 'update' | 'delete'
  readonly key: Key
  readonly before: SnapshotRow['row'] | null
  readonly after: SnapshotRow['row'] | null
}

/** Above every sequence of a target: all of them are made of characters below. */
const TOP = storedSequence('\uffff')

/** What a snapshot is compared with. */
export type DiffTools = {
  readonly store: Store
  readonly facts: TargetFacts
  readonly snapshot: Snapshot
  readonly stage: Stage
  /** Rows of the snapshot that the table is known to have; they are not in the stage. */
  readonly recognised: Recognition | null
}

/**
 * The difference between a staged snapshot and the table just before its version, key by key, in
 * bounded memory. SCD type 1 targets keep no past to judge by, so they are judged by what is current.
 */
export class SnapshotDiff {
  private readonly tools: DiffTools
  private readonly table: HistoryTable
  private readonly others: readonly Snapshot[]
  private readonly truncates: readonly Truncate[]
  private readonly lacking: LackingKeys
  /** The moment that states were last asked for: to make one for each key costs more than all else. */
  private moment: { readonly at: Sequence; readonly is: Delete } | null = null
  /** Whether the first look found every staged row to differ from what was there just before the snapshot. */
  private allDiffer = false
  /** What the first look found to differ, so that applying need not look at all again; null where it is too much to keep. */
  private found: Found | null = null

  constructor(tools: DiffTools) {
    const { store, facts } = tools
    this.tools = tools
    this.table = store.historyTable(facts.name)
    this.others = store.snapshots(facts.name).map(({ snapshot }) => snapshot)
    this.truncates = store.truncates(facts.name).map(({ truncate }) => truncate)
    const { table, others, truncates } = this
    const { snapshot, stage } = tools
    this.lacking = new LackingKeys({
      table,
      others,
      truncates,
      snapshot,
      stage,
      stateBefore: (key, at) => this.stateBefore(key, at),
    })
  }

  /** Counts, and calls `onRow` for each row that differs. Writes nothing. */
  judge(onRow?: (row: DiffRow) => void): DiffCounts {
    const { stage, snapshot, facts } = this.tools
    if (this.isFirst() && onRow === undefined) {
      this.allDiffer = true
      return { inserted: stage.size, updated: 0, deleted: 0, unchanged: 0, existing: 0 }
    }
    const at = facts.kind === 1 ? TOP : snapshot.version
    const known = this.tools.recognised?.count ?? 0
    const counts = { inserted: 0, updated: 0, deleted: 0, unchanged: known, existing: known }
    const found = new Found()

    for (const row of stage.rows()) {
      const near = this.table.near(row.key, at)
      const before = this.stateIn(near, at)
      if (this.isJudged(before)) counts.existing += 1
      const next = this.rowAfter(before, row)
      const differs = before.row === null || !sameRow(before.row, next)
      if (differs || this.mayDiffer(near)) found.add({ row, before })
      if (before.row === null) {
        counts.inserted += 1
        onRow?.({ change: 'insert', key: row.key, before: null, after: next })
      } else if (differs) {
        counts.updated += 1
        onRow?.({ change: 'update', key: row.key, before: before.row, after: next })
      } else {
        counts.unchanged += 1
      }
    }
    this.found = found
    this.allDiffer = at === snapshot.version && counts.unchanged === known
    const deleted = ({ key, before }: { key: Key; before: State }) => {
      counts.deleted += 1
      onRow?.({ change: 'delete', key, before: before.row, after: null })
    }
    for (const key of this.missing(at)) {
      const before = this.stateBefore(key, at)
      if (this.isJudged(before)) counts.existing += 1
      if (this.lacking.isPatient || !isWithin(snapshot, before)) continue
      deleted({ key, before })
      found.addMissing(key)
    }
    for (const key of this.lacking.isPatient ? this.lacking.deletedKeys() : []) {
      const before = this.stateBefore(key, at)
      if (facts.kind !== 1 || isWithin(snapshot, before)) deleted({ key, before })
    }
    return counts
  }

  /** Writes the difference; gives how many events it took. */
  apply(commit: Commit): number {
    const { store, facts, snapshot, stage } = this.tools
    const { truncates, others } = this
    const weaver = new KeyWeaver({
      store,
      facts,
      commit,
      meaning: 'ordered',
      truncates,
      snapshots: others,
    })
    const isNewest = others.every((other) => isOlder(other, snapshot))
    let events = 0
    const put = (key: Key, row: SnapshotRow | null, change: KeyChange) => {
      if (isNewest) {
        weaver.weaveRegions(key, [change])
        events += 1
      } else {
        events += weaver.settle(key, [], { snapshot, row })
      }
    }

    const mayUndo = this.lacking.isPatient && !isNewest
    const isAll = mayUndo || snapshot.explicit || this.allDiffer
    const known = isAll ? null : (this.found?.rows ?? null)
    for (const { row, before } of known ?? notLookedAt(stage.rows())) {
      if (isAll || !this.confirms(row, before)) put(row.key, row, upsertOf(snapshot, row))
    }
    for (const key of this.lacking.isPatient ? this.lacking.keys() : []) {
      events += weaver.settle(key, [], { snapshot, row: null })
    }
    // What an SCD type 1 target has now is not what it had at the version.
    const gone = facts.kind === 1 ? null : (this.found?.missing ?? null)
    for (const key of this.lacking.isPatient ? [] : (gone ?? this.missing(snapshot.version))) {
      const before = this.stateBefore(key, snapshot.version)
      if (isWithin(snapshot, before)) put(key, null, deletionOf(snapshot, key))
    }
    return events
  }

  /** The digest of the snapshot's rows as a set. */
  digest(): string {
    const { stage, recognised } = this.tools
    if (recognised === null) return stage.digest()
    return stage.digestInstead(recognised.known.head.digest, this.goneRows(recognised))
  }

  /** Whether no row is staged of a key that was recognised by another record. */
  isSound(): boolean {
    const { stage, recognised } = this.tools
    if (recognised === null) return true
    let unseen = 0
    for (const key of recognised.unseen()) if (stage.has(key)) unseen += 1
    let existing = 0
    for (const key of stage.keys()) if (this.table.exists(key)) existing += 1
    return existing === unseen
  }

  /** The rows as they were of which the snapshot has no record any more, or another one. */
  private *goneRows(recognised: Recognition): Iterable<SnapshotRow> {
    for (const key of recognised.unseen()) {
      const { row } = this.stateBefore(key, this.tools.snapshot.version)
      if (row !== null) yield { key, row, writes: 'all', time: null }
    }
  }

  /** Keys that existed and that the snapshot lacks. */
  private *missing(at: Sequence): Iterable<Key> {
    const { stage, recognised } = this.tools
    const alive = recognised?.unseen() ?? this.table.keysAliveBefore(at)
    for (const key of alive) if (!stage.has(key)) yield key
  }

  /** Whether nothing has ever changed the target, so that nothing is there. */
  private isFirst(): boolean {
    const { store, facts } = this.tools
    return store.target(facts.name) === null || store.version(facts.name) === 0
  }

  /** Whether a row says what was there just before the snapshot, given what the first look found there. */
  private confirms(row: SnapshotRow, found: State | null): boolean {
    const { facts, snapshot } = this.tools
    const isBefore = found !== null && facts.kind !== 1
    const before = isBefore ? found : this.stateBefore(row.key, snapshot.version)
    return before.row !== null && sameRow(before.row, this.rowAfter(before, row))
  }

  /** Whether a row counts for the shares that guards judge by. */
  private isJudged({ row, flow }: State): boolean {
    const { scope, reach, stream } = this.tools.snapshot
    if (row === null || (reach === 'flow' && flow !== stream.flow)) return false
    return scope === null || isInScope(scope, row)
  }

  private rowAfter(before: State, row: SnapshotRow) {
    if (row.writes === 'all') return row.row
    return overwrite(before.row, upsertOf(this.tools.snapshot, row))
  }

  /** The state of a key just before the snapshot's moment, or now. */
  private stateBefore(key: Key, at: Sequence): State {
    return this.stateIn(this.table.near(key, at), at)
  }

  /** Whether a key that is the same now may be another just before the snapshot. */
  private mayDiffer({ before }: Neighbourhood): boolean {
    const { facts, snapshot } = this.tools
    if (facts.kind !== 1) return false
    const { version } = snapshot
    const isBeyond = before !== null && before.change.sequence >= version
    return isBeyond || this.truncates.some(({ sequence }) => sequence >= version)
  }

  private momentAt(at: Sequence): Delete {
    if (this.moment?.at !== at) {
      this.moment = { at, is: momentOf({ ...this.tools.snapshot, version: at }) }
    }
    return this.moment.is
  }

  private stateIn(near: Neighbourhood, at: Sequence): State {
    const moment = this.momentAt(at)
    const { before } = near
    const from = before?.change.sequence ?? ''
    const start: State =
      before === null ? NOTHING : { row: before.row, flow: before.change.stream.flow }
    const cuts = this.truncates.filter(
      (truncate) => truncate.sequence > from && precedes(truncate, moment),
    )
    let state = cuts.length === 0 ? start : after(start, cuts)
    if (near.atEnd) return state
    for (const { entry } of near.after) {
      if (entry.change.sequence !== at) break
      if (precedes(entry.change, moment)) {
        state = { row: entry.row, flow: entry.change.stream.flow }
      }
    }
    return state
  }
}

/** Whether a snapshot is of an earlier moment than another. */
function isOlder(other: Snapshot, snapshot: Snapshot): boolean {
  const isSameMoment = other.version === snapshot.version && other.stream === snapshot.stream
  return !isSameMoment && compareSnapshots(other, snapshot) < 0
}
