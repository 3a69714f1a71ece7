// The difference by DuckDB: a full outer join of both extracts, read from their files.
import { writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'

const [before, after, result] = process.argv.slice(2)
const TYPES = {
  id: 'BIGINT',
  name: 'VARCHAR',
  city: 'VARCHAR',
  email: 'VARCHAR',
  amount: 'DOUBLE',
  qty: 'BIGINT',
  active: 'BOOLEAN',
  note: 'VARCHAR',
  rank: 'BIGINT',
  day: 'VARCHAR',
}
const columns = Object.entries(TYPES).map(([name, type]) => `${name}: '${type}'`)
const rows = (file) =>
  `read_json('${file}', format = 'newline_delimited', columns = {${columns.join(', ')}})`
const changed = Object.keys(TYPES).map((name) => `b.${name} IS DISTINCT FROM a.${name}`)
const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
const reader = await connection.runAndReadAll(
  `SELECT count(*) FILTER (b.id IS NULL)::INTEGER AS inserted,
    count(*) FILTER (b.id IS NOT NULL AND a.id IS NOT NULL AND (${changed.join(' OR ')}))::INTEGER AS updated,
    count(*) FILTER (a.id IS NULL)::INTEGER AS deleted
  FROM ${rows(before)} b FULL OUTER JOIN ${rows(after)} a ON a.id = b.id`,
)
writeFileSync(result, JSON.stringify(reader.getRowObjects()[0]))
