// SCD 1 by hand: a guarded upsert, or a guarded delete.
import { each, open, UPSERT } from './loop.mjs'

const [file, path, pageSize] = process.argv.slice(2)
const db = open(path, false, pageSize)
const put = db.prepare(UPSERT)
const drop = db.prepare('DELETE FROM target WHERE id = ? AND seq < ?')

await each(db, file, (e) => {
  if (e.op === 'D') drop.run(e.id, e.seq)
  else {
    const active = e.active === null ? null : +e.active
    put.run(e.id, e.seq, e.name, e.city, e.email, e.amount, e.qty, active, e.note, e.rank)
  }
})
