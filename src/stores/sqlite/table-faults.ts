import { systemColumns, visibleColumns } from '../../core/target.ts'
import type { TableFault } from '../../ports/store.ts'
import { hiddenColumns, versionColumns } from './history-columns.ts'
import { keyOfCell } from './key-cell.ts'
import { columnNames, PREFIX, quote } from './names.ts'
import { Speller } from './speller.ts'
import { STAMP_COLUMNS } from './stamp-codec.ts'
import { stampFaults } from './stamp-faults.ts'
import type { StoredTarget } from './target.ts'
import { shownTables } from './view.ts'

/** What is wrong with the form of a target's tables, see the port. Reads every row once. */
export function* tableFaults(target: StoredTarget): Iterable<TableFault> {
  const tables = expectedTables(target)
  const lacking = [...tables].flatMap(([table, columns]) => lackingOf(target, table, columns))
  yield* lacking.map((message) => ({ key: null, message }))
  if (lacking.length > 0) return

  yield* viewFaults(target).map((message) => ({ key: null, message }))
  yield* truncateFaults(target).map((message) => ({ key: null, message }))
  for (const [table, columns] of tables) {
    yield* strayFaults(target, table)
    yield* cellFaults(target, table, columns)
  }
}

/** The tables behind a target with their columns. */
function expectedTables(target: StoredTarget): ReadonlyMap<string, readonly string[]> {
  const { facts, tables } = target
  if (target.versionTables().length === 0) {
    const head = ['k', ...STAMP_COLUMNS, 'cm', 'versions']
    return new Map([
      [tables.rows, [...head, 'tags', ...columnNames(facts.columns.length)]],
      [tables.dead, head],
    ])
  }
  return new Map([
    ...target.versionTables().map((table) => [table, versionColumns(facts)] as const),
    [tables.hidden, hiddenColumns(facts)],
  ])
}

function lackingOf(target: StoredTarget, table: string, columns: readonly string[]): string[] {
  const found = columnsOf(target, table)
  if (found.length === 0) return [`the table ${table} is missing`]
  return columns
    .filter((column) => !found.includes(column))
    .map((column) => `the table ${table} has no column ${column}`)
}

/** The view that readers see has the right columns, and shows every row. */
function viewFaults(target: StoredTarget): string[] {
  const { facts, connection } = target
  const view = `the view ${quote(facts.name)}`
  try {
    const found = columnsOf(target, facts.name)
    const expected = [...visibleColumns(facts), ...systemColumns(facts)]
    if (found.length === 0) return visibleColumns(facts).length === 0 ? [] : [`${view} is missing`]
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      return [`${view} has the columns ${found.join(', ')} instead of ${expected.join(', ')}`]
    }
    const count = (table: string) => `(SELECT count(*) FROM ${quote(table)})`
    const kept = shownTables(target).map(count).join(' + ')
    const counts = connection.get(`SELECT ${count(facts.name)}, ${kept}`)
    const [shown, all] = counts ?? []
    return shown === all ? [] : [`${view} shows ${String(shown)} of ${String(all)} rows`]
  } catch (error) {
    // SQLite compiles a view only when it is read: one that does not compile is a finding.
    return [`${view} cannot be read: ${error instanceof Error ? error.message : String(error)}`]
  }
}

function truncateFaults(target: StoredTarget): string[] {
  const columns = [...STAMP_COLUMNS, 'reach', 'tm', 'cm']
  return target.connection
    .all(`SELECT ${columns.join(', ')} FROM ${PREFIX}truncates WHERE target = ?`, target.id)
    .flatMap((cells) => stampFaults(target, columns, cells))
    .concat(
      target.connection
        .all(`SELECT cm FROM ${PREFIX}truncates WHERE target = ? AND ${STRAY}`, target.id)
        .map(([commit]) => `there is no commit ${String(commit)}`),
    )
    .map((message) => `a truncate: ${message}`)
}

/** Every change came with a commit. */
function strayFaults({ connection, facts }: StoredTarget, table: string): TableFault[] {
  return connection.all(`SELECT k, cm FROM ${quote(table)} WHERE ${STRAY}`).map(([k, commit]) => ({
    key: keyOfCell(k ?? null, facts.keys.length),
    message: `there is no commit ${String(commit)}`,
  }))
}

const STRAY = `typeof(cm) = 'integer' AND cm NOT IN (SELECT id FROM ${PREFIX}commits)`

function* cellFaults(
  target: StoredTarget,
  table: string,
  columns: readonly string[],
): Iterable<TableFault> {
  const { connection, facts } = target
  const speller = new Speller(target, columns)
  const statement = connection.prepare(`SELECT ${columns.join(', ')} FROM ${quote(table)}`)
  for (const cells of statement.iterate()) {
    const key = keyOfCell(cells[0] ?? null, facts.keys.length)
    for (const message of speller.faults(cells)) yield { key, message }
  }
}

function columnsOf({ connection }: StoredTarget, table: string): string[] {
  return connection
    .all('SELECT name FROM pragma_table_info(?)', table)
    .map(([name]) => String(name))
}
