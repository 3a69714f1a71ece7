// The difference by DuckDB: a full outer join of both extracts, read from their files.
import { writeFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import { rowsOf, typesWith } from './duckdb-rows.mjs'

const [before, after, result] = process.argv.slice(2)
const TYPES = typesWith({ day: 'VARCHAR' })
const rows = (file) => rowsOf(file, TYPES)
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
