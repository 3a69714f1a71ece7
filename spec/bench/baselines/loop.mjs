// What the loops have in common: the table, the lines, transactions of 20,000.
import { createReadStream } from 'node:fs'
import Database from 'better-sqlite3'

const TYPES =
  'name TEXT, city TEXT, email TEXT, amount REAL, qty INTEGER, active INTEGER, note TEXT, rank INTEGER'

/** The columns that both loops write, beside the key and the sequence. */
export const COLUMNS = TYPES.split(', ').map((column) => column.split(' ')[0])

/** Puts an event in its place unless a later one of its key is there. */
export const UPSERT = `INSERT INTO target VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, ${COLUMNS.map((c) => `${c} = excluded.${c}`).join(', ')}
  WHERE excluded.seq > target.seq`

/** Opens a store with the table of current rows, and one of closed rows if `history`; a new one unless it is there. */
export function open(path, history, pageSize) {
  const db = new Database(path)
  if (pageSize !== undefined) db.pragma(`page_size = ${Number(pageSize)}`)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma('cache_size = -200000')
  db.exec(`CREATE TABLE IF NOT EXISTS target (id INTEGER PRIMARY KEY, seq INTEGER, ${TYPES})`)
  if (history)
    db.exec(`CREATE TABLE IF NOT EXISTS closed (id INTEGER, seq INTEGER, until INTEGER, ${TYPES})`)
  return db
}

/** Calls `apply` with each event of the file, commits every 20,000, and closes the store. */
export async function each(db, file, apply) {
  let count = 0
  let rest = ''
  db.exec('BEGIN')
  // Faster than node:readline, and no longer.
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      apply(JSON.parse(line))
      count += 1
      if (count % 20000 === 0) db.exec('COMMIT; BEGIN')
    }
  }
  db.exec('COMMIT')
  db.close()
}
