import type { Sequence } from '../../core/sequence.ts'
import type { AsOf, StoredRow } from '../../ports/store.ts'
import type { SqlValue } from './connection.ts'
import { versionColumns } from './history-columns.ts'
import { columnNames, quote } from './names.ts'
import { numberOf, optionalSequence } from './stamp-codec.ts'
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

/** How many rows hold now. */
export function countCurrent({ connection, facts, tables }: StoredTarget): number {
  const isPlain = facts.kind === 1 && facts.layout !== 'timeline'
  const table = isPlain ? tables.rows : tables.current
  return numberOf(connection.get(`SELECT count(*) FROM ${quote(table)}`)?.[0])
}

function* readPlain(target: StoredTarget, table: string, k: SqlValue): Iterable<StoredRow> {
  const columns = ['tags', ...columnNames(target.facts.columns.length)].join(', ')
  const statement = target.connection.prepare(
    `SELECT ${columns} FROM ${quote(table)} ${k === null ? '' : 'WHERE k = ?'} ORDER BY k`,
  )
  for (const cells of statement.iterate(...given([k]))) {
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
  const tables = target.versionTables()
  const filter = given([k, asOf.valid, asOf.valid, asOf.system, asOf.system])
  const statement = target.connection.prepare(versionsSql(target, tables, asOf, k))
  for (const cells of statement.iterate(...tables.flatMap(() => filter))) {
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
  return optionalSequence(cells[7])
}

function versionsSql(
  target: StoredTarget,
  tables: readonly string[],
  asOf: AsOf,
  k: SqlValue,
): string {
  const columns = versionColumns(target.facts)
  const where = [
    ...(k === null ? [] : ['k = ?']),
    ...(asOf.valid === null ? [] : ['a <= ?', '(z IS NULL OR z > ?)']),
    ...(asOf.system === null ? [] : ['since <= ?', '(until IS NULL OR until > ?)']),
  ]
  const filter = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
  const selects = tables.map(
    (table) => `SELECT ${columns.join(', ')} FROM ${quote(table)}${filter}`,
  )
  const order = target.facts.kind === 'bitemporal' ? 'k, a, since' : 'k, a'
  return `${selects.join(' UNION ALL ')} ORDER BY ${order}`
}

/** Only what restricts the rows is bound. */
function given(params: readonly SqlValue[]): SqlValue[] {
  return params.filter((param) => param !== null)
}
