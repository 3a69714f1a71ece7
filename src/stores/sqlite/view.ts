import { systemColumns, visibleColumns } from '../../core/target.ts'
import type { Connection } from './connection.ts'
import { columnName, quote } from './names.ts'
import type { StoredTarget } from './target.ts'

/** Natural values of the system columns in the tables of versions, in the order of `systemColumns`. */
export const SYSTEM_CELLS: Readonly<Record<string, string>> = {
  __START_AT: 'an',
  __END_AT: 'zn',
  __START_TIME: 'w0',
  __END_TIME: 'w1',
  __SYSTEM_START_AT: 'sincen',
  __SYSTEM_END_AT: 'untiln',
}

/** Shows a target under its own name, with its own columns: what any SQLite tool reads. */
export function createView(connection: Connection, target: StoredTarget): void {
  const { facts } = target
  const own = visibleColumns(facts).map(
    (name) => `${columnName(facts.columns.indexOf(name))} AS ${quote(name)}`,
  )
  const system = systemColumns(facts).map(
    (name) => `${SYSTEM_CELLS[name] ?? 'NULL'} AS ${quote(name)}`,
  )
  connection.run(`DROP VIEW IF EXISTS ${quote(facts.name)}`)
  // A truncate may come before any record that tells what the columns are.
  if (own.length === 0) return
  const selects = shownTables(target).map(
    (table) => `SELECT ${[...own, ...system].join(', ')} FROM ${quote(table)}`,
  )
  connection.run(`CREATE VIEW ${quote(facts.name)} AS ${selects.join(' UNION ALL ')}`)
}

/** The tables whose rows the view shows. */
export function shownTables(target: StoredTarget): string[] {
  const { facts, tables } = target
  if (facts.kind !== 1) return target.versionTables()
  return [facts.layout === 'timeline' ? tables.current : tables.rows]
}
