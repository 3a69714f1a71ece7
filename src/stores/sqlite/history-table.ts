import type { Key } from '../../core/key.ts'
import type { Version } from '../../core/scd2.ts'
import type { Sequence } from '../../core/sequence.ts'
import { compareStamps, sameStamp } from '../../core/change.ts'
import { isLive, type Entry } from '../../core/timeline.ts'
import type { Edits, Neighbourhood, Placed } from '../../core/weave.ts'
import type { Commit, HistoryTable, KeyHistory, StoredTruncate } from '../../ports/store.ts'
import type { SqlValue } from './connection.ts'
import { hiddenColumns, versionColumns } from './history-columns.ts'
import { keyCell, keyOfCell } from './key-cell.ts'
import { placeholders, quote } from './names.ts'
import type { StoredTarget } from './target.ts'
import { VersionCodec } from './version-codec.ts'

/** How many rows a page of history has: a late change rarely needs more than the first few. */
const FIRST_PAGE = 4
const LAST_PAGE = 1024

/** Keys per page while all of them are walked. */
const KEY_PAGE = 10_000

/** Versions in three tables (current, closed, no longer believed) and hidden entries in a fourth. */
export class SqliteHistoryTable implements HistoryTable {
  private readonly target: StoredTarget
  private readonly codec: VersionCodec
  private readonly truncates: () => readonly StoredTruncate[]
  private readonly sql: ReturnType<typeof statementsOf>

  constructor(target: StoredTarget, truncates: () => readonly StoredTruncate[]) {
    this.target = target
    this.codec = new VersionCodec(target)
    this.truncates = truncates
    this.sql = statementsOf(target)
  }

  near(key: Key, first: Sequence): Neighbourhood {
    const k = keyCell(key)
    const truncates = this.truncates().map(({ truncate }) => truncate)
    const current = this.currentOf(k)
    // The current version shows the newest entry of its key, so nothing lies beyond it.
    if (current !== null && current.entry.change.sequence < first) {
      return {
        before: current.entry,
        version: current,
        after: [],
        truncates,
        versionAt: () => null,
      }
    }
    return this.nearPast(k, first, current, truncates)
  }

  apply(key: Key, edits: Edits, commit: Commit): void {
    const { connection } = this.target
    const k = keyCell(key)
    const opened = edits.put.some(({ endAt }) => endAt === null)

    for (const { version, until } of this.archived(edits, commit)) {
      connection.run(this.sql.archive, ...this.codec.encodeVersion(key, version, until))
    }
    for (const version of edits.remove) {
      if (version.endAt !== null) connection.run(this.sql.dropClosed, k, version.startAt)
      else if (!opened) connection.run(this.sql.dropCurrent, k)
    }
    for (const version of edits.put) {
      const sql = version.endAt === null ? this.sql.putCurrent : this.sql.addClosed
      connection.run(sql, ...this.codec.encodeVersion(key, version, null))
    }
    for (const entry of edits.unhide) this.dropHidden(k, entry)
    for (const entry of edits.hide) {
      connection.run(this.sql.addHidden, ...this.codec.encodeHidden(key, entry))
    }
  }

  *keysAliveBefore(sequence: Sequence): Iterable<Key> {
    // Closed ones first: a caller that ends current versions here does not meet them again.
    yield* this.keysOf(
      `SELECT k FROM ${this.sql.closedTable} WHERE a < ? AND z >= ?`,
      sequence,
      sequence,
    )
    yield* this.keysOf(`SELECT k FROM ${this.sql.currentTable} WHERE a < ?`, sequence)
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

  replace(key: Key, history: KeyHistory): void {
    const { connection } = this.target
    const k = keyCell(key)
    for (const drop of this.sql.dropAll) connection.run(drop, k)

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
    yield* this.keysOf(
      `SELECT k FROM ${currentTable} UNION SELECT k FROM ${closedTable} UNION SELECT k FROM ${hiddenTable}`,
    )
  }

  private get isBitemporal(): boolean {
    return this.target.facts.kind === 'bitemporal'
  }

  /** A page at a time, so that the caller may write to the tables between two pages. */
  private *keysOf(select: string, ...params: SqlValue[]): Iterable<Key> {
    const { connection, facts } = this.target
    const page = `SELECT DISTINCT k FROM (${select}) WHERE k > ? ORDER BY k LIMIT ${KEY_PAGE}`
    // Nothing sorts below the smallest integer: SQLite puts numbers before text before blobs.
    let last: SqlValue = Number.NEGATIVE_INFINITY
    for (;;) {
      const rows: SqlValue[][] = connection.all(page, ...params, last)
      for (const [k] of rows) yield keyOfCell(k ?? null, facts.keys.length)
      const end = rows.at(-1)?.[0]
      if (end === undefined || rows.length < KEY_PAGE) return
      last = end
    }
  }

  private currentOf(k: SqlValue): Version | null {
    const cells = this.target.connection.get(this.sql.currentOf, k)
    return cells === undefined ? null : this.codec.decodeVersion(cells)
  }

  private nearPast(
    k: SqlValue,
    first: Sequence,
    current: Version | null,
    truncates: Neighbourhood['truncates'],
  ): Neighbourhood {
    const floor = this.versionBelow(k, first, current)
    const shown = floor !== null && floor.entry.change.sequence < first ? floor.entry : null
    const before = later(shown, this.hiddenBelow(k, first))
    const version = before !== null && isLive(before) ? floor : null
    return {
      before,
      version,
      after: this.after(k, first, floor, current),
      truncates,
      versionAt: (sequence) => this.versionCovering(k, sequence, current),
    }
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
    yield* this.pages(this.sql.closedFrom, k, first, 1, (cells) => this.codec.decodeVersion(cells))
    if (current !== null) yield current
  }

  private *hiddenFrom(k: SqlValue, first: Sequence): Iterable<Entry> {
    yield* this.pages(this.sql.hiddenFrom, k, first, 2, (cells) => this.codec.decodeHidden(cells))
  }

  /** Growing pages, each from where the last one ended, whole groups of one sequence at a time. */
  private *pages<T>(
    sql: string,
    k: SqlValue,
    first: Sequence,
    orderAt: number,
    decode: (cells: SqlValue[]) => T,
  ): Iterable<T> {
    let from: SqlValue = first
    let skip = 0
    for (let size = FIRST_PAGE; ; size = Math.min(size * 4, LAST_PAGE)) {
      const rows: SqlValue[][] = this.target.connection.all(sql, k, from, size, skip)
      for (const cells of rows) yield decode(cells)
      if (rows.length < size) return
      const end: SqlValue = rows.at(-1)?.[orderAt] ?? null
      const tied = rows.filter((cells) => cells[orderAt] === end).length
      skip = end === from ? skip + rows.length : tied
      from = end
    }
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

function statementsOf({ facts, tables }: StoredTarget) {
  const version = versionColumns(facts)
  const hidden = hiddenColumns(facts)
  const currentTable = quote(tables.current)
  const closedTable = quote(tables.closed)
  const hiddenTable = quote(tables.hidden)
  const disbelievedTable = quote(tables.disbelieved)
  const select = (table: string) => `SELECT ${version.join(', ')} FROM ${table}`
  const selectHidden = `SELECT ${hidden.join(', ')} FROM ${hiddenTable}`
  const insert = (table: string, columns: readonly string[]) =>
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders(columns.length)})`
  const updates = version.slice(1).map((column) => `${column} = excluded.${column}`)

  return {
    currentTable,
    closedTable,
    hiddenTable,
    currentOf: `${select(currentTable)} WHERE k = ?`,
    closedOf: `${select(closedTable)} WHERE k = ? ORDER BY a`,
    disbelievedOf: `${select(disbelievedTable)} WHERE k = ? ORDER BY since, a`,
    hiddenOf: `${selectHidden} WHERE k = ? ORDER BY s`,
    closedBelow: `${select(closedTable)} WHERE k = ? AND a < ? ORDER BY a DESC LIMIT 1`,
    closedAt: `${select(closedTable)} WHERE k = ? AND a <= ? ORDER BY a DESC LIMIT 1`,
    closedFrom: `${select(closedTable)} WHERE k = ? AND a >= ? ORDER BY a LIMIT ? OFFSET ?`,
    hiddenFrom: `${selectHidden} WHERE k = ? AND s >= ? ORDER BY s, src, n, p LIMIT ? OFFSET ?`,
    hiddenBelow: `${selectHidden} WHERE k = ? AND s = (SELECT max(s) FROM ${hiddenTable} WHERE k = ? AND s < ?)`,
    putCurrent: `${insert(currentTable, version)} ON CONFLICT (k) DO UPDATE SET ${updates.join(', ')}`,
    addClosed: insert(closedTable, version),
    archive: insert(disbelievedTable, version),
    addHidden: insert(hiddenTable, hidden),
    dropCurrent: `DELETE FROM ${currentTable} WHERE k = ?`,
    dropClosed: `DELETE FROM ${closedTable} WHERE k = ? AND a = ?`,
    dropHidden: `DELETE FROM ${hiddenTable} WHERE k = ? AND s = ? AND src = ? AND n = ? AND ifnull(p, 0) = ?`,
    dropAll: [
      currentTable,
      closedTable,
      hiddenTable,
      ...(facts.kind === 'bitemporal' ? [disbelievedTable] : []),
    ].map((table) => `DELETE FROM ${table} WHERE k = ?`),
  }
}
