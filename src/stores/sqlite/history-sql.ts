import { hiddenColumns, versionColumns } from './history-columns.ts'
import { placeholders, quote } from './names.ts'
import type { StoredTarget } from './target.ts'

/** The statements of a table of versions, by what they do. */
export type HistorySql = ReturnType<typeof historySql>

/** Spells them out for one target. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the names say it once; a type would say it twice
export function historySql({ facts, tables }: StoredTarget) {
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
    exists: `SELECT 1 FROM ${currentTable} WHERE k = ?`,
    closedOf: `${select(closedTable)} WHERE k = ? ORDER BY a`,
    disbelievedOf: `${select(disbelievedTable)} WHERE k = ? ORDER BY since, a`,
    hiddenOf: `${selectHidden} WHERE k = ? ORDER BY s`,
    closedBelow: `${select(closedTable)} WHERE k = ? AND a < ? ORDER BY a DESC LIMIT 1`,
    closedAt: `${select(closedTable)} WHERE k = ? AND a <= ? ORDER BY a DESC LIMIT 1`,
    closedFrom: `${select(closedTable)} WHERE k = ? AND a >= ? ORDER BY a LIMIT ? OFFSET ?`,
    hiddenFrom: `${selectHidden} WHERE k = ? AND s >= ? ORDER BY s, src, n, p LIMIT ? OFFSET ?`,
    // The last closed version shows the last entry of its key that any closed one shows.
    newestClosed: `SELECT ifnull(s, a) FROM ${closedTable} WHERE k = ? ORDER BY a DESC LIMIT 1`,
    newestHidden: `SELECT s FROM ${hiddenTable} WHERE k = ? ORDER BY s DESC LIMIT 1`,
    hiddenBelow: `${selectHidden} WHERE k = ? AND s = (SELECT max(s) FROM ${hiddenTable} WHERE k = ? AND s < ?)`,
    putCurrent: `${insert(currentTable, version)} ON CONFLICT (k) DO UPDATE SET ${updates.join(', ')}`,
    // Bounds are columns 4 and 5, see history-columns.ts.
    closeCurrent: `INSERT INTO ${closedTable} (${version.join(', ')}) SELECT ${[...version.slice(0, 3), '?', '?', ...version.slice(5)].join(', ')} FROM ${currentTable} WHERE k = ?`,
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
