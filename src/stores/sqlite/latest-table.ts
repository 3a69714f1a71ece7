import type { Delete, Stamp, Truncate, Upsert } from '../../core/change.ts'
import type { Key } from '../../core/key.ts'
import type { Kept, Latest } from '../../core/scd1.ts'
import type { Commit, LatestTable } from '../../ports/store.ts'
import type { SqlValue } from './connection.ts'
import { keyCell } from './key-cell.ts'
import { KeyCeiling } from './key-ceiling.ts'
import { currentSql } from './current-sql.ts'
import { quote } from './names.ts'
import { decodeStamp, encodeStamp, numberOf, STAMP_COLUMNS } from './stamp-codec.ts'
import type { StoredTarget } from './target.ts'

/** SCD type 1 rows with the stamp of their latest change, and tombstones in a table of their own. */
export class SqliteLatestTable implements LatestTable {
  private readonly target: StoredTarget
  private readonly sql: ReturnType<typeof statementsOf>
  private readonly keys: KeyCeiling

  constructor(target: StoredTarget) {
    this.target = target
    this.sql = statementsOf(target)
    this.keys = new KeyCeiling(target.connection, [this.sql.rows, this.sql.dead])
  }

  latest(key: Key): Latest | null {
    const k = keyCell(key)
    if (this.keys.isAbove(k)) return null
    const cells = this.target.connection.get(this.sql.latestOf, k, k)
    if (cells === undefined) return null
    return { stamp: this.stamp(cells), exists: cells[STAMP_COLUMNS.length] === null }
  }

  commitOf(key: Key): number {
    return commitOf(this.target, key)
  }

  isBuriedAlive(key: Key): boolean {
    const { connection } = this.target
    const k = keyCell(key)
    return (
      connection.get(this.sql.rowOf, k) !== undefined &&
      connection.get(this.sql.deadOf, k) !== undefined
    )
  }

  put(upsert: Upsert, commit: Commit, kept: Kept | null): void {
    const k = keyCell(upsert.key)
    const cells: SqlValue[] = [k]
    encodeStamp(upsert, cells)
    cells.push(commit.id, null)
    this.target.codec.encode(upsert.row, cells)
    this.keys.met(k)
    this.target.connection.runAll(kept === null ? this.sql.add : this.sql.put, cells)
    if (kept?.exists === false) this.target.connection.run(this.sql.unbury, k)
  }

  bury(change: Delete, commit: Commit, kept: Kept | null): void {
    const k = keyCell(change.key)
    const cells: SqlValue[] = [k]
    encodeStamp(change, cells)
    cells.push(commit.id, null)
    this.keys.met(k)
    if (kept?.exists === true) this.target.connection.run(this.sql.remove, k)
    this.target.connection.runAll(this.sql.bury, cells)
  }

  truncate({ sequence }: Truncate): void {
    // At one sequence a truncate comes first, so what has its sequence stays.
    this.target.connection.run(this.sql.truncateRows, sequence)
    this.target.connection.run(this.sql.truncateDead, sequence)
  }

  private stamp(cells: readonly SqlValue[]): Stamp {
    return decodeStamp(cells, 0, this.target.streamOf)
  }
}

/** The commit that brought what is kept of a key, row or tombstone. */
export function commitOf({ connection, tables }: StoredTarget, key: Key): number {
  const k = keyCell(key)
  const select = (table: string) => `SELECT cm FROM ${quote(table)} WHERE k = ?`
  const found = connection.get(select(tables.rows), k) ?? connection.get(select(tables.dead), k)
  return numberOf(found?.[0])
}

function statementsOf(target: StoredTarget) {
  const writing = currentSql(target)
  const { rows, dead } = writing
  const stamp = STAMP_COLUMNS.join(', ')
  return {
    ...writing,
    // A row first, for nearly every key has one.
    latestOf: `SELECT ${stamp}, NULL FROM ${rows} WHERE k = ? UNION ALL SELECT ${stamp}, 1 FROM ${dead} WHERE k = ? LIMIT 1`,
    rowOf: `SELECT ${stamp} FROM ${rows} WHERE k = ?`,
    deadOf: `SELECT ${stamp} FROM ${dead} WHERE k = ?`,
    truncateRows: `DELETE FROM ${rows} WHERE s < ?`,
    truncateDead: `DELETE FROM ${dead} WHERE s < ?`,
  }
}
