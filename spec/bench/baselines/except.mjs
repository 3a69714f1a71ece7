// The difference by SQL: both extracts loaded into SQLite, and EXCEPT both ways.
import { writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { rowsOf } from './rows-of.mjs'

const [before, after, result] = process.argv.slice(2)
const COLUMNS = ['id', 'name', 'city', 'email', 'amount', 'qty', 'active', 'note', 'rank', 'day']
const db = new Database(`${result}.db`)
db.pragma('journal_mode = OFF')
db.pragma('synchronous = OFF')
db.pragma('cache_size = -200000')
for (const [table, file] of Object.entries({ old: before, new: after })) {
  db.exec(`CREATE TABLE ${table} (${COLUMNS.join(', ')}); BEGIN`)
  const add = db.prepare(`INSERT INTO ${table} VALUES (${COLUMNS.map(() => '?').join(', ')})`)
  for await (const row of rowsOf(file)) {
    const active = +row.active
    add.run(
      row.id,
      row.name,
      row.city,
      row.email,
      row.amount,
      row.qty,
      active,
      row.note,
      row.rank,
      row.day,
    )
  }
  db.exec('COMMIT')
}
const differ = (a, b) =>
  db.prepare(`SELECT id FROM (SELECT * FROM ${a} EXCEPT SELECT * FROM ${b})`).pluck().all()
const gone = new Set(differ('old', 'new'))
const come = new Set(differ('new', 'old'))
const updated = [...gone].filter((id) => come.has(id)).length
const counts = { inserted: come.size - updated, updated, deleted: gone.size - updated }
writeFileSync(result, JSON.stringify(counts))
