import type { Key } from '../../core/key.ts'
import type { Version } from '../../core/scd2.ts'
import type { Sequence } from '../../core/sequence.ts'
import { compareStamps, sameStamp } from '../../core/change.ts'
import { isLive, type Entry } from '../../core/timeline.ts'
import type { Neighbourhood, Placed } from '../../core/neighbourhood.ts'
import type { Edits } from '../../core/edits.ts'
import type { Commit, HistoryTable, KeyHistory, StoredTruncate } from '../../ports/store.ts'
import type { SqlValue } from './connection.ts'
import { historySql, type HistorySql } from './history-sql.ts'
import { keyCell } from './key-cell.ts'
import { KeyCeiling } from './key-ceiling.ts'
import { keyPages } from './key-pages.ts'
import { optionalSequence } from './stamp-codec.ts'
import { pagesOf } from './pages.ts'
import type { StoredTarget } from './target.ts'
import { VersionCodec } from './version-codec.ts'

/** A key of which nothing is kept. */
const NEVER_SEEN: Omit<Neighbourhood, 'truncates'> = {
  before: null,
  version: null,
  atEnd: true,
  after: [],
  versionAt: () => null,
}

/** Versions in three tables (current, closed, no longer believed) and hidden entries in a fourth. */
export class SqliteHistoryTable implements HistoryTable {
  private readonly target: StoredTarget
  private readonly codec: VersionCodec
  private readonly truncates: () => readonly StoredTruncate[]
  private readonly sql: HistorySql
  private readonly ceiling: KeyCeiling

  constructor(target: StoredTarget, truncates: () => readonly StoredTruncate[]) {
    this.target = target
    this.codec = new VersionCodec(target)
    this.truncates = truncates
    this.sql = historySql(target)
    const { currentTable, closedTable, hiddenTable } = this.sql
    this.ceiling = new KeyCeiling(target.connection, [currentTable, closedTable, hiddenTable])
  }

  near(key: Key, first: Sequence): Neighbourhood {
    const k = keyCell(key)
    const truncates = this.truncates().map(({ truncate }) => truncate)
    if (this.ceiling.isAbove(k)) return { ...NEVER_SEEN, truncates }
    const current = this.currentOf(k)
    // The current version shows the newest entry of its key, so nothing lies beyond it.
    if (current !== null && current.entry.change.sequence < first) {
      return {
        before: current.entry,
        version: current,
        atEnd: true,
        after: [],
        truncates,
        versionAt: () => null,
      }
    }
    const newest = current === null ? this.newestPast(k) : null
    if (current === null && newest === null) {
      return { ...NEVER_SEEN, truncates }
    }
    const isPast = newest !== null && newest < first
    return { ...this.nearPast(k, first, current), truncates, atEnd: isPast }
  }

  apply(key: Key, edits: Edits, commit: Commit): void {
    const { connection } = this.target
    const k = keyCell(key)
    const opened = edits.put.some(({ endAt }) => endAt === null)

    for (const { version, until } of this.archived(edits, commit)) {
      connection.run(this.sql.archive, ...this.codec.encodeVersion(key, version, until))
    }
    const ended = this.endedCurrent(edits)
    for (const version of edits.remove) {
      if (version.endAt !== null) connection.run(this.sql.dropClosed, k, version.startAt)
      else if (ended !== null) connection.run(this.sql.closeCurrent, ...ended.bounds, k)
      if (version.endAt === null && !opened) connection.run(this.sql.dropCurrent, k)
    }
    for (const version of edits.put) {
      if (version === ended?.version) continue
      const sql = version.endAt === null ? this.sql.putCurrent : this.sql.addClosed
      connection.runAll(sql, this.codec.encodeVersion(key, version, null))
    }
    if (edits.put.length + edits.hide.length > 0) this.ceiling.met(k)
    for (const entry of edits.unhide) this.dropHidden(k, entry)
    for (const entry of edits.hide) {
      connection.run(this.sql.addHidden, ...this.codec.encodeHidden(key, entry))
    }
  }

  /** The version that is current no more and else as it was, whose row need not be spelled again; null for none. */
  private endedCurrent({ remove, put }: Edits): { version: Version; bounds: SqlValue[] } | null {
    if (this.isBitemporal || this.target.facts.timed) return null
    const was = remove.find(({ endAt }) => endAt === null)
    const version = was === undefined ? undefined : put.find(({ entry }) => entry === was.entry)
    if (was === undefined || version?.endAt === null || version?.startAt !== was.startAt)
      return null
    return { version, bounds: this.codec.encodeEnd(version) }
  }

  exists(key: Key): boolean {
    return this.target.connection.get(this.sql.exists, keyCell(key)) !== undefined
  }

  *keysAliveBefore(sequence: Sequence): Iterable<Key> {
    // Closed ones first: a caller that ends current versions here does not meet them again.
    yield* keyPages(
      this.target,
      `SELECT k FROM ${this.sql.closedTable} WHERE a < ? AND z >= ?`,
      sequence,
      sequence,
    )
    yield* keyPages(this.target, `SELECT k FROM ${this.sql.currentTable} WHERE a < ?`, sequence)
  }

  history(key: Key): KeyHistory {
    const k = keyCell(key)
    const { connection } = this.target
    const current = this.currentOf(k)
    const closed = connection
      .all(this.sql.closedOf, k)
      .map((cells) => this.codec.decodeVersion(cells))
    return {
      versions: current === null ? closed : [...closed, current],
      hidden: connection.all(this.sql.hiddenOf, k).map((cells) => this.codec.decodeHidden(cells)),
      disbelieved: this.isBitemporal
        ? connection
            .all(this.sql.disbelievedOf, k)
            .map((cells) => this.codec.decodeDisbelieved(cells))
        : [],
    }
  }

  newest(key: Key): Entry | null {
    const k = keyCell(key)
    // The current version shows the newest entry of its key.
    const current = this.currentOf(k)
    if (current !== null) return current.entry
    const at = this.newestPast(k)
    let last: Entry | null = null
    if (at === null) return last
    for (const { entry } of this.nearPast(k, at, null).after) last = later(last, entry)
    return last
  }

  replace(key: Key, history: KeyHistory): void {
    const { connection } = this.target
    const k = keyCell(key)
    for (const drop of this.sql.dropAll) connection.run(drop, k)
    this.ceiling.met(k)

    for (const version of history.versions) {
      const sql = version.endAt === null ? this.sql.putCurrent : this.sql.addClosed
      connection.run(sql, ...this.codec.encodeVersion(key, version, null))
    }
    for (const version of history.disbelieved) {
      connection.run(this.sql.archive, ...this.codec.encodeVersion(key, version, version.until))
    }
    for (const entry of history.hidden) {
      connection.run(this.sql.addHidden, ...this.codec.encodeHidden(key, entry))
    }
  }

  *keys(): Iterable<Key> {
    const { currentTable, closedTable, hiddenTable } = this.sql
    yield* keyPages(
      this.target,
      `SELECT k FROM ${currentTable} UNION SELECT k FROM ${closedTable} UNION SELECT k FROM ${hiddenTable}`,
    )
  }

  private get isBitemporal(): boolean {
    return this.target.facts.kind === 'bitemporal'
  }

  private currentOf(k: SqlValue): Version | null {
    const cells = this.target.connection.get(this.sql.currentOf, k)
    return cells === undefined ? null : this.codec.decodeVersion(cells)
  }

  private nearPast(
    k: SqlValue,
    first: Sequence,
    current: Version | null,
  ): Omit<Neighbourhood, 'truncates' | 'atEnd'> {
    const floor = this.versionBelow(k, first, current)
    const shown = floor !== null && floor.entry.change.sequence < first ? floor.entry : null
    const before = later(shown, this.hiddenBelow(k, first))
    const version = before !== null && isLive(before) ? floor : null
    return {
      before,
      version,
      after: this.after(k, first, floor, current),
      versionAt: (sequence) => this.versionCovering(k, sequence, current),
    }
  }

  /** The newest sequence kept of a key that has no current version; null if nothing is kept. */
  private newestPast(k: SqlValue): Sequence | null {
    const { connection } = this.target
    const closed = optionalSequence(connection.get(this.sql.newestClosed, k)?.[0])
    const hidden = optionalSequence(connection.get(this.sql.newestHidden, k)?.[0])
    if (closed === null || hidden === null) return closed ?? hidden
    return closed < hidden ? hidden : closed
  }

  /** The version with the greatest start below a sequence. */
  private versionBelow(k: SqlValue, first: Sequence, current: Version | null): Version | null {
    if (current !== null && current.startAt < first) return current
    const cells = this.target.connection.get(this.sql.closedBelow, k, first)
    return cells === undefined ? null : this.codec.decodeVersion(cells)
  }

  private versionCovering(k: SqlValue, at: Sequence, current: Version | null): Version | null {
    if (current !== null && current.startAt <= at) return current
    const cells = this.target.connection.get(this.sql.closedAt, k, at)
    return cells === undefined ? null : this.codec.decodeVersion(cells)
  }

  /** The last of the hidden entries at the greatest sequence below `first`. */
  private hiddenBelow(k: SqlValue, first: Sequence): Entry | null {
    let last: Entry | null = null
    for (const cells of this.target.connection.all(this.sql.hiddenBelow, k, k, first)) {
      last = later(last, this.codec.decodeHidden(cells))
    }
    return last
  }

  /** Shown and hidden entries from `first` on, merged by sequence. */
  private *after(
    k: SqlValue,
    first: Sequence,
    floor: Version | null,
    current: Version | null,
  ): Iterable<Placed> {
    const hidden = this.hiddenFrom(k, first)[Symbol.iterator]()
    let waiting = hidden.next()

    for (const version of this.versionsFrom(k, first, floor, current)) {
      const { entry } = version
      if (entry.change.sequence < first) continue
      while (waiting.done !== true && waiting.value.change.sequence <= entry.change.sequence) {
        yield { entry: waiting.value, version: null }
        waiting = hidden.next()
      }
      yield { entry, version }
    }
    for (; waiting.done !== true; waiting = hidden.next()) {
      yield { entry: waiting.value, version: null }
    }
  }

  private *versionsFrom(
    k: SqlValue,
    first: Sequence,
    floor: Version | null,
    current: Version | null,
  ): Iterable<Version> {
    if (floor !== null) yield floor
    if (floor !== null && floor === current) return
    const pages = { sql: this.sql.closedFrom, k, first, orderAt: 1 }
    for (const cells of pagesOf(this.target.connection, pages)) {
      yield this.codec.decodeVersion(cells)
    }
    if (current !== null) yield current
  }

  private *hiddenFrom(k: SqlValue, first: Sequence): Iterable<Entry> {
    const pages = { sql: this.sql.hiddenFrom, k, first, orderAt: 2 }
    for (const cells of pagesOf(this.target.connection, pages)) yield this.codec.decodeHidden(cells)
  }

  /** Believed until this commit; what the commit itself brought leaves no trace. */
  private *archived(edits: Edits, commit: Commit) {
    if (!this.isBitemporal) return
    for (const version of edits.disbelieved) {
      if (version.since !== null && version.since < commit.now) {
        yield { version, until: commit.now }
      }
    }
  }

  private dropHidden(k: SqlValue, { change }: Entry): void {
    const { stream, number, part, sequence } = change
    this.target.connection.run(this.sql.dropHidden, k, sequence, stream.id, number, part)
  }
}

function later(a: Entry | null, b: Entry | null): Entry | null {
  if (a === null || b === null) return a ?? b
  if (sameStamp(a.change, b.change)) return a
  return compareStamps(a.change, b.change) < 0 ? b : a
}
