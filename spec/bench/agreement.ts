import Database from 'better-sqlite3'

const COLUMNS = 'id, name, city, email, amount, qty, active, note, rank'

/** Which rows of a store are compared: what we show, or what a loop holds. */
export const ROWS = {
  latest: `SELECT ${COLUMNS} FROM %.target`,
  history: `SELECT ${COLUMNS}, __START_AT, __END_AT FROM %.target`,
  believed: `SELECT ${COLUMNS}, __START_AT, __END_AT FROM %.target WHERE __SYSTEM_END_AT IS NULL`,
  loopLatest: `SELECT ${COLUMNS} FROM %.target`,
  loopHistory: `SELECT ${COLUMNS}, seq, NULL FROM %.target
    UNION ALL SELECT ${COLUMNS}, seq, until FROM %.closed`,
} as const

/** A store and the rows of it that are compared. */
export type Side = { readonly store: string; readonly rows: keyof typeof ROWS }

/**
 * Compares two tables cell by cell. Gives the number of rows of ours.
 *
 * @throws Error if a row of one is not in the other
 */
export function agree(name: string, mine: Side, other: Side): number {
  const db = new Database(':memory:')
  try {
    db.prepare('ATTACH ? AS mine').run(mine.store)
    db.prepare('ATTACH ? AS other').run(other.store)
    const left = ROWS[mine.rows].replaceAll('%', 'mine')
    const right = ROWS[other.rows].replaceAll('%', 'other')
    const count = (sql: string) =>
      db.prepare<[], number>(`SELECT count(*) FROM (${sql})`).pluck().get() ?? 0

    const rows = count(left)
    const others = count(right)
    const extra = count(`SELECT * FROM (${left}) EXCEPT SELECT * FROM (${right})`)
    const missing = count(`SELECT * FROM (${right}) EXCEPT SELECT * FROM (${left})`)
    if (rows === others && extra === 0 && missing === 0) return rows
    throw new Error(
      `${name}: ${rows} rows of ours, ${others} expected; ${extra} of ours are wrong, ${missing} are missing`,
    )
  } finally {
    db.close()
  }
}

/** How many rows a target has, and how many of its changes came late. */
export function told(store: string): { rows: number; late: number } {
  const db = new Database(store, { readonly: true })
  try {
    const rows = db.prepare<[], number>('SELECT count(*) FROM target').pluck().get() ?? 0
    const record = db.prepare<[], string>('SELECT record FROM __tidemark_flows').pluck().get()
    const { counts } = JSON.parse(record ?? '{}') as { counts: { late: number } }
    return { rows, late: counts.late }
  } finally {
    db.close()
  }
}

/** How many rows of our tables differ between two copies of a store: written, or gone. */
export function rowsChanged(before: string, after: string): number {
  const db = new Database(':memory:')
  try {
    db.prepare('ATTACH ? AS old').run(before)
    db.prepare('ATTACH ? AS new').run(after)
    const tables = db
      .prepare<[], string>(
        `SELECT name FROM new.sqlite_schema WHERE type = 'table' AND name GLOB '__tidemark_t[0-9]*'
          AND sql NOT LIKE '%WITHOUT ROWID%'`,
      )
      .pluck()
      .all()
    const count = (sql: string) => db.prepare<[], number>(sql).pluck().get() ?? 0
    let rows = 0
    for (const table of tables) {
      const [was, is] = [`old."${table}"`, `new."${table}"`]
      rows += count(
        `SELECT count(*) FROM (SELECT rowid, * FROM ${is} EXCEPT SELECT rowid, * FROM ${was})`,
      )
      rows += count(`SELECT count(*) FROM ${was} WHERE rowid NOT IN (SELECT rowid FROM ${is})`)
    }
    return rows
  } finally {
    db.close()
  }
}
