import { compareStamps, sameStamp, type Truncate } from '../../core/change.ts'
import type { Key } from '../../core/key.ts'
import { entriesOf, type KeyHistory } from '../../core/key-history.ts'
import type { Neighbourhood } from '../../core/neighbourhood.ts'
import type { Version } from '../../core/scd2.ts'
import type { Sequence } from '../../core/sequence.ts'
import type { Entry } from '../../core/timeline.ts'
import type { BitemporalVersion } from '../../core/bitemporal.ts'
import type { Edits } from '../../core/edits.ts'
import type { Commit, HistoryTable } from '../../ports/store.ts'
import type { JournaledMap } from './journal.ts'
import { nearIn } from './near.ts'

const NOTHING_KEPT: KeyHistory = { versions: [], hidden: [], disbelieved: [] }

/** Versions and hidden entries as arrays, one history per key. */
export class MemoryHistoryTable implements HistoryTable {
  private readonly histories: JournaledMap<Key, KeyHistory>
  private readonly truncates: () => readonly Truncate[]
  private readonly archives: boolean

  /** `archives`: a bitemporal table, which keeps what it no longer believes. */
  constructor(
    histories: JournaledMap<Key, KeyHistory>,
    truncates: () => readonly Truncate[],
    archives: boolean,
  ) {
    this.histories = histories
    this.truncates = truncates
    this.archives = archives
  }

  near(key: Key, first: Sequence): Neighbourhood {
    return nearIn(this.history(key), first, this.truncates())
  }

  apply(key: Key, edits: Edits, commit: Commit): void {
    const { versions, hidden, disbelieved } = this.history(key)
    const removed = new Set(edits.remove.map(({ startAt }) => startAt))
    const kept = versions.filter(({ startAt }) => !removed.has(startAt))
    const stillHidden = hidden.filter(
      (entry) => !edits.unhide.some((other) => isSame(entry, other)),
    )
    this.replace(key, {
      versions: [...kept, ...edits.put].toSorted(byStart),
      hidden: [...stillHidden, ...edits.hide].toSorted(bySequence),
      disbelieved: this.archives ? [...disbelieved, ...archived(edits, commit)] : [],
    })
  }

  exists(key: Key): boolean {
    return this.history(key).versions.some(({ endAt }) => endAt === null)
  }

  *keysAliveBefore(sequence: Sequence): Iterable<Key> {
    for (const key of this.histories.keys()) {
      const { versions } = this.history(key)
      const alive = versions.some(
        ({ startAt, endAt }) => startAt < sequence && (endAt === null || endAt >= sequence),
      )
      if (alive) yield key
    }
  }

  history(key: Key): KeyHistory {
    return this.histories.get(key) ?? NOTHING_KEPT
  }

  newest(key: Key): Entry | null {
    const entries = entriesOf(this.history(key))
    return entries.toSorted((a, b) => compareStamps(a.change, b.change)).at(-1) ?? null
  }

  replace(key: Key, history: KeyHistory): void {
    const { versions, hidden, disbelieved } = history
    if (versions.length + hidden.length + disbelieved.length === 0) this.histories.delete(key)
    else this.histories.set(key, history)
  }

  keys(): Iterable<Key> {
    return this.histories.keys()
  }
}

/** Believed until this commit; what the commit itself brought leaves no trace. */
function archived({ disbelieved }: Edits, { now }: Commit): BitemporalVersion[] {
  return disbelieved.flatMap((version) => {
    const { since } = version
    return since !== null && since < now ? [{ ...version, since, until: now }] : []
  })
}

function isSame(a: Entry, b: Entry): boolean {
  return sameStamp(a.change, b.change)
}

function byStart(a: Version, b: Version): number {
  return a.startAt < b.startAt ? -1 : 1
}

function bySequence(a: Entry, b: Entry): number {
  if (a.change.sequence === b.change.sequence) return 0
  return a.change.sequence < b.change.sequence ? -1 : 1
}
