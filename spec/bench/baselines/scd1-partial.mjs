// SCD 1 by hand where nulls leave a column as it is. Right while events come in order.
import { COLUMNS, each, open } from './loop.mjs'

const [file, path] = process.argv.slice(2)
const db = open(path, false)
const kept = COLUMNS.map((c) => `${c} = coalesce(excluded.${c}, ${c})`)
const put = db.prepare(`INSERT INTO target VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, ${kept.join(', ')}
  WHERE excluded.seq > target.seq`)
const drop = db.prepare('DELETE FROM target WHERE id = ? AND seq < ?')

await each(db, file, (e) => {
  if (e.op === 'D') drop.run(e.id, e.seq)
  else {
    const active = e.active === null ? null : +e.active
    put.run(e.id, e.seq, e.name, e.city, e.email, e.amount, e.qty, active, e.note, e.rank)
  }
})
