// SCD 1 by DuckDB: events folded to the last of each key and merged, so many at a time; then, untimed, the rows as NDJSON.
import { DuckDBInstance } from '@duckdb/node-api'
import { rowsOf, typesWith } from './duckdb-rows.mjs'

const [what, path, file, events, size] = process.argv.slice(2)
const TYPES = typesWith({ seq: 'BIGINT', op: 'VARCHAR' })
const kept = Object.keys(TYPES).filter((name) => name !== 'op')
const instance = await DuckDBInstance.create(path)
const connection = await instance.connect()
// Or every few batches are followed by one, which doubles the time.
await connection.run("SET checkpoint_threshold = '1GB'")

if (what === 'rows') {
  const columns = kept
    .filter((name) => name !== 'seq')
    .map((c) => (c === 'active' ? 'active::INT AS active' : c))
  await connection.run(`COPY (SELECT ${columns.join(', ')} FROM target) TO '${file}' (FORMAT json)`)
} else {
  const read = rowsOf(file, TYPES)
  await connection.run(`CREATE TABLE target (${kept.map((c) => `${c} ${TYPES[c]}`).join(', ')})`)
  // Read once: a file cannot be read from its middle, and sequences here are places in it.
  if (Number(size) < Number(events)) await connection.run(`CREATE TEMP TABLE feed AS FROM ${read}`)
  for (let from = 0; from < Number(events); from += Number(size)) {
    const some = `(FROM feed WHERE seq > ${from} AND seq <= ${from + Number(size)})`
    await connection.run(`MERGE INTO target USING (
        SELECT unnest(last) FROM (SELECT arg_max(e, seq) AS last FROM ${Number(size) < Number(events) ? some : read} e GROUP BY id)
      ) new ON target.id = new.id
      WHEN MATCHED AND new.seq > target.seq AND new.op = 'D' THEN DELETE
      WHEN MATCHED AND new.seq > target.seq THEN UPDATE SET ${kept
        .slice(1)
        .map((c) => `${c} = new.${c}`)
        .join(', ')}
      WHEN NOT MATCHED AND new.op <> 'D' THEN INSERT (${kept.join(', ')}) VALUES (${kept.map((c) => `new.${c}`).join(', ')})`)
  }
}
connection.closeSync()
instance.closeSync()
