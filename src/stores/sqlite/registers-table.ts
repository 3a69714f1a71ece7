import type { Key } from '../../core/key.ts'
import { pack, unpack, type PackedVersions } from '../../core/packed-registers.ts'
import { isEmpty, rowOf, type KeptAs, type Registers } from '../../core/registers.ts'
import type { Sequence } from '../../core/sequence.ts'
import { storedJson } from '../../core/stored-json.ts'
import type { Stamp } from '../../core/change.ts'
import type { Commit, RegistersTable } from '../../ports/store.ts'
import type { SqlValue } from './connection.ts'
import { currentSql } from './current-sql.ts'
import { keyCell } from './key-cell.ts'
import { keyPages } from './key-pages.ts'
import { commitOf } from './latest-table.ts'
import { columnNames } from './names.ts'
import { TopKey } from './top-key.ts'
import { decodeStamp, encodeStamp, STAMP_COLUMNS } from './stamp-codec.ts'
import type { StoredTarget } from './target.ts'

/** SCD type 1 rows whose columns have writers of their own: who wrote what stands packed beside the row. */
export class SqliteRegistersTable implements RegistersTable {
  private readonly target: StoredTarget
  private readonly sql: ReturnType<typeof statementsOf>
  private readonly top: TopKey

  constructor(target: StoredTarget) {
    this.target = target
    this.sql = statementsOf(target)
    this.top = new TopKey(target)
  }

  registers(key: Key): Registers | null {
    const { connection, codec } = this.target
    const k = keyCell(key)
    if (this.top.isBelow(k)) return null
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
    const { connection, codec } = this.target
    const k = keyCell(key)
    const isLive = registers.written !== null
    if (kept === 'row' && !isLive) connection.run(this.sql.remove, k)
    const isBuried = !isLive && !isEmpty(registers)
    if (kept === 'tombstone' && !isBuried) connection.run(this.sql.unbury, k)
    if (isEmpty(registers)) return

    const { latest, versions } = pack(registers)
    const cells: SqlValue[] = [k]
    encodeStamp(latest, cells)
    cells.push(commit.id, versions === null ? null : spell(versions))
    this.top.raise(k)
    if (!isLive) {
      connection.runAll(this.sql.bury, cells)
      return
    }
    codec.encode(rowOf(registers) ?? [], cells)
    connection.runAll(kept === 'row' ? this.sql.put : this.sql.add, cells)
  }

  keys(): Iterable<Key> {
    return keyPages(this.target, this.sql.keys)
  }

  private packed(cells: readonly SqlValue[]) {
    const latest = decodeStamp(cells, 0, this.target.streamOf)
    const text = cells[STAMP_COLUMNS.length]
    const versions = typeof text === 'string' ? this.read(text) : null
    return { latest, versions }
  }

  private read(text: string): PackedVersions {
    const stored = storedJson<StoredVersions>(text)
    return { ...stored, stamps: stored.stamps.map((cells) => this.stamp(cells)) }
  }

  private stamp([sequence, rank, system, stream, number, part]: StoredStamp): Stamp {
    return { sequence, rank, system, stream: this.target.streamOf(stream), number, part }
  }
}

/** Packed versions as JSON, stamps as arrays with their stream by number. */
function spell({ stamps, ...rest }: PackedVersions): string {
  const stored: StoredVersions = {
    ...rest,
    stamps: stamps.map(({ sequence, rank, system, stream, number, part }) => [
      sequence,
      rank,
      system,
      stream.id,
      number,
      part,
    ]),
  }
  return JSON.stringify(stored)
}

type StoredStamp = readonly [
  sequence: Sequence,
  rank: number,
  system: Sequence | null,
  stream: number,
  number: number,
  part: number,
]

type StoredVersions = Omit<PackedVersions, 'stamps'> & { readonly stamps: readonly StoredStamp[] }

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
