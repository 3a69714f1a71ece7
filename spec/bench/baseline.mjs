// The loop that people write by hand: parse a line, guarded upsert or delete, transactions of 20,000.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'

const [kind, file, path] = process.argv.slice(2)
const COLUMNS = ['name', 'city', 'email', 'amount', 'qty', 'active', 'note', 'rank']
const TYPES =
  'name TEXT, city TEXT, email TEXT, amount REAL, qty INTEGER, active INTEGER, note TEXT, rank INTEGER'

const started = performance.now()
const db = new Database(path)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = NORMAL')
db.pragma('cache_size = -200000')
db.exec(`CREATE TABLE target (id INTEGER PRIMARY KEY, seq INTEGER, ${TYPES})`)
db.exec(`CREATE TABLE closed (id INTEGER, seq INTEGER, until INTEGER, ${TYPES})`)

const put = db.prepare(`INSERT INTO target VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, ${COLUMNS.map((c) => `${c} = excluded.${c}`).join(', ')}
  WHERE excluded.seq > target.seq`)
const drop = db.prepare('DELETE FROM target WHERE id = ? AND seq < ?')
const close = db.prepare(
  `INSERT INTO closed SELECT id, seq, ?, ${COLUMNS.join(', ')} FROM target WHERE id = ? AND seq < ?`,
)

let count = 0
db.exec('BEGIN')
for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
  const e = JSON.parse(line)
  if (kind === 'scd2') close.run(e.seq, e.id, e.seq)
  if (e.op === 'D') drop.run(e.id, e.seq)
  else
    put.run(e.id, e.seq, e.name, e.city, e.email, e.amount, e.qty, e.active ? 1 : 0, e.note, e.rank)
  count += 1
  if (count % 20000 === 0) db.exec('COMMIT; BEGIN')
}
db.exec('COMMIT')
const seconds = (performance.now() - started) / 1000
const rows = db.prepare('SELECT count(*) AS n, total(qty) AS qty FROM target').get()
const past = db.prepare('SELECT count(*) AS n FROM closed').get()
const peakMb = process.resourceUsage().maxRSS / 1024
process.stderr.write(
  `\n${JSON.stringify({ code: 0, seconds, peakMb, rows: rows.n, qty: rows.qty, past: past.n })}\n`,
)
