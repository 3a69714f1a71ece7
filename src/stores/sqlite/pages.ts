import type { Sequence } from '../../core/sequence.ts'
import type { Connection, SqlValue } from './connection.ts'

/** The first page is small: a late change rarely needs more than the next few rows. */
const FIRST_PAGE = 4
const LAST_PAGE = 1024

/** Rows of one key by sequence; `sql` takes key, first sequence, limit and offset. */
export type Pages = {
  readonly sql: string
  readonly k: SqlValue
  readonly first: Sequence
  /** Which cell of a row is the sequence that rows are ordered by. */
  readonly orderAt: number
}

/** Gives rows in growing pages, each from where the last one ended, so that a reader who stops early has read little. */
export function* pagesOf(
  connection: Connection,
  { sql, k, first, orderAt }: Pages,
): Iterable<SqlValue[]> {
  let from: SqlValue = first
  let skip = 0
  for (let size = FIRST_PAGE; ; size = Math.min(size * 4, LAST_PAGE)) {
    const rows: SqlValue[][] = connection.all(sql, k, from, size, skip)
    yield* rows
    if (rows.length < size) return
    const end: SqlValue = rows.at(-1)?.[orderAt] ?? null
    const tied = rows.filter((cells) => cells[orderAt] === end).length
    skip = end === from ? skip + rows.length : tied
    from = end
  }
}
