import type { Sequence } from '../../core/sequence.ts'
import type { AsOf, StoredRow } from '../../ports/store.ts'
import type { SqlValue } from './connection.ts'
import { versionColumns } from './history-columns.ts'
import { columnNames, quote } from './names.ts'
import type { StoredTarget } from './target.ts'
import { VersionCodec } from './version-codec.ts'

/** Reads the rows of a target in key order, one at a time. */
export function* readRows(target: StoredTarget, asOf: AsOf, k: SqlValue): Iterable<StoredRow> {
  const { kind, layout } = target.facts
  if (kind === 1) {
    const table = layout === 'timeline' ? target.tables.current : target.tables.rows
    yield* readPlain(target, table, k)
    return
  }
  yield* readVersions(target, asOf, k)
}

function* readPlain(target: StoredTarget, table: string, k: SqlValue): Iterable<StoredRow> {
  const columns = ['tags', ...columnNames(target.facts.columns.length)].join(', ')
  const statement = target.connection.prepare(
    `SELECT ${columns} FROM ${quote(table)} WHERE (?1 IS NULL OR k = ?1) ORDER BY k`,
  )
  for (const cells of statement.iterate(k)) {
    yield {
      row: target.codec.decode(cells, 0),
      startAt: null,
      endAt: null,
      startTime: null,
      endTime: null,
      systemStartAt: null,
      systemEndAt: null,
    }
  }
}

function* readVersions(target: StoredTarget, asOf: AsOf, k: SqlValue): Iterable<StoredRow> {
  const codec = new VersionCodec(target)
  const statement = target.connection.prepare(versionsSql(target))
  for (const cells of statement.iterate(k, asOf.valid, asOf.system)) {
    const { entry, startAt, endAt, startTime, endTime, since } = codec.decodeVersion(cells)
    yield {
      row: entry.row,
      startAt,
      endAt,
      startTime,
      endTime,
      systemStartAt: since,
      systemEndAt: target.facts.kind === 'bitemporal' ? untilOf(cells) : null,
    }
  }
}

function untilOf(cells: readonly SqlValue[]): Sequence | null {
  const until = cells[7]
  return typeof until === 'string' ? (until as Sequence) : null
}

function versionsSql(target: StoredTarget): string {
  const columns = versionColumns(target.facts)
  const bitemporal = target.facts.kind === 'bitemporal'
  const where = [
    '(?1 IS NULL OR k = ?1)',
    '(?2 IS NULL OR (a <= ?2 AND (z IS NULL OR z > ?2)))',
    bitemporal ? '(?3 IS NULL OR (since <= ?3 AND (until IS NULL OR until > ?3)))' : '?3 IS NULL',
  ].join(' AND ')
  const selects = target
    .versionTables()
    .map((table) => `SELECT ${columns.join(', ')} FROM ${quote(table)} WHERE ${where}`)
  return `${selects.join(' UNION ALL ')} ORDER BY k, a${bitemporal ? ', since' : ''}`
}
