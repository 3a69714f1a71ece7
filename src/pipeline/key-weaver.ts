import type { Change, KeyChange, Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { entriesOf } from '../core/key-history.ts'
import { freshOf, retold } from '../core/retold.ts'
import { settle, type Settling } from '../core/settle.ts'
import { compareSnapshots, isLack, momentOf, precedes, type Snapshot } from '../core/snapshot.ts'
import { timelineOf, type SequenceMeaning } from '../core/timeline.ts'
import { weave } from '../core/weave.ts'
import type { Edits, WeaveRules } from '../core/edits.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Commit, HistoryTable, Store } from '../ports/store.ts'
import { lateOf, tiesOf } from './arrivals.ts'

/** What changes are woven into. */
export type Weaving = {
  readonly store: Store
  readonly facts: TargetFacts
  readonly commit: Commit
  readonly meaning: SequenceMeaning
  /** Stored truncates, those of the batch left out. */
  readonly truncates: readonly Truncate[]
  /** Snapshots that were applied before. */
  readonly snapshots: readonly Snapshot[]
}

/**
 * Puts changes of keys where they belong in history: region by region (weave.ts), or, where a
 * snapshot lies beyond them, by telling the key's history again with what the snapshot said.
 */
export class KeyWeaver {
  readonly late = new Set<Change>()
  ties = 0
  private readonly table: HistoryTable
  private readonly weaving: Weaving
  private readonly rules: WeaveRules
  private readonly newest: Snapshot | null

  constructor(weaving: Weaving) {
    const { store, facts, commit, meaning, snapshots } = weaving
    this.weaving = weaving
    this.table = store.historyTable(facts.name)
    this.newest = snapshots.toSorted(compareSnapshots).at(-1) ?? null
    this.rules = {
      tracking: facts.tracking,
      meaning,
      commit: commit.id,
      now: facts.kind === 'bitemporal' ? commit.now : null,
    }
  }

  /** Notes the changes of a key that came after a later one of the same batch. */
  arrived(changes: readonly KeyChange[]): void {
    for (const change of lateOf(changes, null)) this.late.add(change)
  }

  /** Weaves changes of a key, and new truncates, in order. */
  weave(key: Key, changes: readonly Change[]): void {
    const moment = this.newest === null ? null : momentOf(this.newest)
    if (moment !== null && changes.some((change) => precedes(change, moment))) {
      this.settle(key, changes, null)
      return
    }
    this.weaveRegions(key, changes)
  }

  /** Weaves a change that no snapshot lies beyond, each region on top of what the last one stored. */
  weaveRegions(key: Key, changes: readonly Change[]): void {
    const { commit, truncates } = this.weaving
    let rest = changes
    for (let first = rest[0]; first !== undefined; first = rest[0]) {
      const near = this.table.near(key, first.sequence)
      const edits = weave({ ...near, truncates }, rest, this.rules)
      this.table.apply(key, edits, commit)
      for (const change of edits.late) this.late.add(change)
      this.ties += edits.ties
      rest = edits.rest
    }
  }

  /**
   * Tells the history of a key again with changes below a snapshot; gives how many events that adds,
   * and one where it only takes away what a snapshot that is now known to have the key deleted.
   */
  settle(key: Key, fresh: readonly Change[], arrived: Settling['arrived']): number {
    const { truncates, snapshots, meaning, commit } = this.weaving
    const before = this.table.history(key)
    const known = entriesOf(before).map(({ change }) => change)
    this.count(known, fresh)
    const timeline = settle({
      key,
      known: timelineOf([...known, ...truncates], meaning),
      fresh,
      snapshots,
      arrived,
      meaning,
    })
    const edits = retold(before, timeline, this.rules)
    this.table.apply(key, edits, commit)
    const added = freshOf(
      before,
      timeline.filter((change) => !isLack(change)),
    )
    return Math.max(added, showsOtherwise(edits) ? 1 : 0)
  }

  private count(known: readonly KeyChange[], fresh: readonly Change[]): void {
    const own = fresh.filter((change) => change.op !== 'truncate')
    const sequences = known.map(({ sequence }) => sequence)
    const newest = sequences.toSorted().at(-1) ?? null
    for (const change of lateOf(own, newest)) this.late.add(change)
    this.ties += tiesOf(own, known)
  }
}

/** Whether edits change any version as readers see it. */
function showsOtherwise({ put, remove, disbelieved }: Edits): boolean {
  return disbelieved.length > 0 || put.length > remove.length - disbelieved.length
}
