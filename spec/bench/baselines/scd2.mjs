// SCD 2 by hand: the open row is moved to the closed ones, and the new one put in its place.
import { COLUMNS, each, open, UPSERT } from './loop.mjs'

const [file, path] = process.argv.slice(2)
const db = open(path, true)
const close = db.prepare(
  `INSERT INTO closed SELECT id, seq, ?, ${COLUMNS.join(', ')} FROM target WHERE id = ? AND seq < ?`,
)
const put = db.prepare(UPSERT)
const drop = db.prepare('DELETE FROM target WHERE id = ? AND seq < ?')

await each(db, file, (e) => {
  close.run(e.seq, e.id, e.seq)
  if (e.op === 'D') drop.run(e.id, e.seq)
  else {
    const active = e.active === null ? null : +e.active
    put.run(e.id, e.seq, e.name, e.city, e.email, e.amount, e.qty, active, e.note, e.rank)
  }
})
