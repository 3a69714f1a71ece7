import type { Key } from '../../core/key.ts'
import type { SqlValue } from './connection.ts'
import { keyOfCell } from './key-cell.ts'
import type { StoredTarget } from './target.ts'

const PAGE = 10_000

/**
 * Every key that a query finds, each once, in order: a page at a time, so that the caller may
 * write to the tables between two keys.
 *
 * @param select gives a column `k`
 */
export function* keyPages(
  { connection, facts }: StoredTarget,
  select: string,
  ...params: readonly SqlValue[]
): Iterable<Key> {
  const page = `SELECT DISTINCT k FROM (${select}) WHERE k > ? ORDER BY k LIMIT ${PAGE}`
  // Nothing sorts below the smallest number: SQLite puts numbers before text before blobs.
  let last: SqlValue = Number.NEGATIVE_INFINITY
  for (;;) {
    const rows: SqlValue[][] = connection.all(page, ...params, last)
    for (const [k] of rows) yield keyOfCell(k ?? null, facts.keys.length)
    const end = rows.at(-1)?.[0]
    if (end === undefined || rows.length < PAGE) return
    last = end
  }
}
