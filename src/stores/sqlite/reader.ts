import type { TargetFacts } from '../../core/target.ts'
import type { AsOf, StoredRow } from '../../ports/store.ts'
import type { SqlValue } from './connection.ts'
import { columnNames, quote } from './names.ts'
import { numberOf, optionalSequence, sequenceOf } from './stamp-codec.ts'
import type { StoredTarget } from './target.ts'

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
  const { facts, connection, codec, times } = target
  const tables = target.versionTables()
  const filter = given([k, asOf.valid, asOf.valid, asOf.system, asOf.system])
  const statement = connection.prepare(versionsSql(target, tables, asOf, k))
  const isBitemporal = facts.kind === 'bitemporal'
  const timesAt = isBitemporal ? 5 : 3
  const rowAt = timesAt + (facts.timed ? 3 : 0)
  for (const cells of statement.iterate(...tables.flatMap(() => filter))) {
    const [startTime = null, endTime = null] = facts.timed ? times.decode(cells, timesAt) : []
    yield {
      row: codec.decode(cells, rowAt),
      startAt: sequenceOf(cells[1]),
      endAt: optionalSequence(cells[2]),
      startTime,
      endTime,
      systemStartAt: isBitemporal ? optionalSequence(cells[3]) : null,
      systemEndAt: isBitemporal ? optionalSequence(cells[4]) : null,
    }
  }
}

/** Of a version only what a reader sees, and the key to sort by. */
function shownColumns({ kind, timed, columns }: TargetFacts): readonly string[] {
  return [
    'k',
    'a',
    'z',
    ...(kind === 'bitemporal' ? ['since', 'until'] : []),
    ...(timed ? ['wtags', 'w0', 'w1'] : []),
    'tags',
    ...columnNames(columns.length),
  ]
}

function versionsSql(
  target: StoredTarget,
  tables: readonly string[],
  asOf: AsOf,
  k: SqlValue,
): string {
  const columns = shownColumns(target.facts)
  const where = [
    ...(k === null ? [] : ['k = ?']),
    ...(asOf.valid === null ? [] : ['a <= ?', '(z IS NULL OR z > ?)']),
    ...(asOf.system === null ? [] : ['since <= ?', '(until IS NULL OR until > ?)']),
  ]
  const filter = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`
  const selects = tables.map(
    (table) => `SELECT ${columns.join(', ')} FROM ${quote(table)}${filter}`,
  )
  const order = target.facts.kind === 'bitemporal' ? ['k', 'a', 'since'] : ['k', 'a']
  const all = selects.join(' UNION ALL ')
  if (k !== null || (asOf.valid === null && asOf.system === null)) {
    return `${all} ORDER BY ${order.join(', ')}`
  }
  // Few rows of many held then: to sort those takes less than to look all up in the order of an index.
  return `SELECT * FROM (${all}) ORDER BY ${order.map((column) => `+${column}`).join(', ')}`
}

/** Only what restricts the rows is bound. */
function given(params: readonly SqlValue[]): SqlValue[] {
  return params.filter((param) => param !== null)
}
