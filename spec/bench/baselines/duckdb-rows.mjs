// The columns that all feeds and extracts have, as DuckDB reads them.

const VALUES = {
  name: 'VARCHAR',
  city: 'VARCHAR',
  email: 'VARCHAR',
  amount: 'DOUBLE',
  qty: 'BIGINT',
  active: 'BOOLEAN',
  note: 'VARCHAR',
  rank: 'BIGINT',
}

/** The types of rows that have `more` beside, each by its column. */
export function typesWith(more) {
  return { id: 'BIGINT', ...more, ...VALUES }
}

/** The rows of a file of NDJSON, for FROM. */
export function rowsOf(file, types) {
  const columns = Object.entries(types).map(([name, type]) => `${name}: '${type}'`)
  return `read_json('${file}', format = 'newline_delimited', columns = {${columns.join(', ')}})`
}
