import type { Key } from '../../core/key.ts'
import { packedRow, unpack, type PackedRow } from '../../core/packed-registers.ts'
import { isEmpty, type KeptAs, type Registers } from '../../core/registers.ts'
import type { Commit, RegistersTable } from '../../ports/store.ts'
import type { SqlValue } from './connection.ts'
import { currentSql } from './current-sql.ts'
import { KeyCeiling } from './key-ceiling.ts'
import { keyCell } from './key-cell.ts'
import { keyPages } from './key-pages.ts'
import { commitOf } from './latest-table.ts'
import { columnNames } from './names.ts'
import { decodeStamp, encodeStamp, STAMP_COLUMNS } from './stamp-codec.ts'
import type { StoredTarget } from './target.ts'
import { readWriters, spellWriters } from './writers-codec.ts'

/** SCD type 1 rows whose columns have writers of their own: who wrote what stands packed beside the row. */
export class SqliteRegistersTable implements RegistersTable {
  private readonly target: StoredTarget
  private readonly sql: ReturnType<typeof statementsOf>
  private readonly ceiling: KeyCeiling

  constructor(target: StoredTarget) {
    this.target = target
    this.sql = statementsOf(target)
    this.ceiling = new KeyCeiling(target.connection, [this.sql.rows, this.sql.dead])
  }

  registers(key: Key): Registers | null {
    const { connection, codec } = this.target
    const k = keyCell(key)
    if (this.ceiling.isAbove(k)) return null
    const row = connection.get(this.sql.rowOf, k)
    if (row !== undefined) {
      return unpack(this.packed(row), codec.decode(row, STAMP_COLUMNS.length + 1))
    }
    const dead = connection.get(this.sql.deadOf, k)
    return dead === undefined ? null : unpack(this.packed(dead), null)
  }

  commitOf(key: Key): number {
    return commitOf(this.target, key)
  }

  put(key: Key, registers: Registers, commit: Commit, kept: KeptAs): void {
    if (isEmpty(registers)) this.remove(keyCell(key), kept)
    else this.putPacked(key, packedRow(registers), commit, kept)
  }

  putPacked(key: Key, { latest, versions, row }: PackedRow, commit: Commit, kept: KeptAs): void {
    const { connection, codec } = this.target
    const k = keyCell(key)
    if (kept === (row === null ? 'row' : 'tombstone')) this.remove(k, kept)
    this.ceiling.met(k)
    const cells: SqlValue[] = [k]
    encodeStamp(latest, cells)
    cells.push(commit.id, versions === null ? null : spellWriters(versions))
    if (row === null) {
      connection.runAll(this.sql.bury, cells)
      return
    }
    codec.encode(row, cells)
    connection.runAll(kept === 'row' ? this.sql.put : this.sql.add, cells)
  }

  private remove(k: SqlValue, kept: KeptAs): void {
    const { connection } = this.target
    if (kept === 'row') connection.run(this.sql.remove, k)
    if (kept === 'tombstone') connection.run(this.sql.unbury, k)
  }

  keys(): Iterable<Key> {
    return keyPages(this.target, this.sql.keys)
  }

  private packed(cells: readonly SqlValue[]) {
    const latest = decodeStamp(cells, 0, this.target.streamOf)
    const text = cells[STAMP_COLUMNS.length]
    const versions = typeof text === 'string' ? readWriters(text, this.target.streamOf) : null
    return { latest, versions }
  }
}

function statementsOf(target: StoredTarget) {
  const writing = currentSql(target)
  const { rows, dead } = writing
  const own = columnNames(target.facts.columns.length)
  const head = [...STAMP_COLUMNS, 'versions', 'tags', ...own].join(', ')
  return {
    ...writing,
    rowOf: `SELECT ${head} FROM ${rows} WHERE k = ?`,
    deadOf: `SELECT ${STAMP_COLUMNS.join(', ')}, versions FROM ${dead} WHERE k = ?`,
    keys: `SELECT k FROM ${rows} UNION ALL SELECT k FROM ${dead}`,
  }
}
