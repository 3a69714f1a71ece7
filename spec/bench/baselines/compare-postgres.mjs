// SCD 1 by PostgreSQL: 20,000 events a statement, folded, deleted and upserted by the server.
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'

const [port, file, result] = process.argv.slice(2)
const VALUES =
  'name text, city text, email text, amount float8, qty bigint, active boolean, note text, rank bigint'
const names = VALUES.split(', ').map((column) => column.split(' ')[0])
const APPLY = `WITH e AS MATERIALIZED (
    SELECT DISTINCT ON (id) * FROM json_to_recordset($1) AS e (id bigint, seq bigint, op text, ${VALUES})
    ORDER BY id, seq DESC
  ), gone AS (
    DELETE FROM target USING e WHERE op = 'D' AND target.id = e.id AND target.seq < e.seq
  )
  INSERT INTO target SELECT id, seq, ${names.join(', ')} FROM e WHERE op <> 'D'
  ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, ${names.map((c) => `${c} = excluded.${c}`).join(', ')}
  WHERE excluded.seq > target.seq`

const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user: 'postgres' })
await client.connect()
await client.query(`CREATE TABLE target (id bigint PRIMARY KEY, seq bigint, ${VALUES})`)
let lines = []
let rest = ''
const apply = async () => {
  await client.query({ name: 'apply', text: APPLY, values: [`[${lines.join(',')}]`] })
  lines = []
}
for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
  const more = (rest + chunk).split('\n')
  rest = more.pop()
  for (const line of more) {
    lines.push(line)
    if (lines.length === 20000) await apply()
  }
}
if (lines.length > 0) await apply()

// What the process of the server that did it took, as Linux tells: ticks are hundredths of a second.
const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
const stat = readFileSync(`/proc/${rows[0].pid}/stat`, 'utf8').split(') ')[1].split(' ')
const status = readFileSync(`/proc/${rows[0].pid}/status`, 'utf8')
const peakMb = Number(/VmHWM:\s+(\d+)/.exec(status)[1]) / 1024
writeFileSync(result, JSON.stringify({ peakMb, cpu: (Number(stat[11]) + Number(stat[12])) / 100 }))
await client.end()
