import type { Client, FieldDef } from 'pg'
import type Cursor from 'pg-cursor'
import type { QueryRow, QueryRows, QuerySession } from '../../ports/query.ts'
import { postgresFault } from './postgres-fault.ts'
import { PostgresTypes, type Decode } from './postgres-types.ts'

/** Which server and database, as a URL with user and password, for which flow. */
export type PostgresOptions = { readonly url: string; readonly flow: string }

/** Rows asked for at first; later ones by how large the first were. */
const FIRST_ROWS = 200
const MOST_ROWS = 5_000
const MOST_BYTES = 4 * 1024 * 1024
const CONNECT_MS = 15_000

/** What text a value is given as must not depend on how the server is set up. */
const BEGIN = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  `SET LOCAL DateStyle = 'ISO, YMD'`,
  `SET LOCAL IntervalStyle = 'iso_8601'`,
  `SET LOCAL TimeZone = 'UTC'`,
  'SET LOCAL extra_float_digits = 3',
  `SET LOCAL bytea_output = 'hex'`,
  `SET LOCAL lc_monetary = 'C'`,
  'SET LOCAL idle_in_transaction_session_timeout = 0',
].join('; ')

/** Array types and what they are arrays of, domains taken for what they are based on. */
const ARRAYS = `WITH RECURSIVE element(id, base) AS (
    SELECT oid, oid FROM pg_type WHERE typarray <> 0 AND typtype <> 'c'
    UNION ALL
    SELECT id, typbasetype FROM element JOIN pg_type ON oid = base WHERE typtype = 'd'
  )
  SELECT array_of.typarray::text, base::text, array_of.typdelim
  FROM element JOIN pg_type array_of ON array_of.oid = id JOIN pg_type final ON final.oid = base
  WHERE final.typtype <> 'd'`

/** The text of every value, as the server wrote it. */
const AS_TEXT = { getTypeParser: () => (text: string) => text }

/** A session on a PostgreSQL database, in the time zone UTC. Rows come through a cursor. */
export async function openPostgres(options: PostgresOptions): Promise<QuerySession> {
  const [pg, cursor] = await Promise.all([import('pg'), import('pg-cursor')])
  let client: Client
  try {
    client = new pg.default.Client({
      connectionString: options.url,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'tidemark',
      keepAlive: true,
    })
  } catch (error) {
    throw postgresFault(error, options)
  }
  // What breaks the connection is told by the query that runs meanwhile.
  client.on('error', () => undefined)
  const gone = new Promise<void>((resolve) => {
    client.once('end', resolve)
  })
  try {
    await client.connect()
    await client.query(BEGIN)
    const { rows } = await client.query<string[]>({ text: ARRAYS, rowMode: 'array' })
    return new PostgresSession(client, cursor.default, {
      options,
      gone,
      types: new PostgresTypes(rows),
    })
  } catch (error) {
    await end(client)
    throw postgresFault(error, options)
  }
}

type Tools = {
  readonly options: PostgresOptions
  readonly types: PostgresTypes
  /** Resolves once the connection is no more. */
  readonly gone: Promise<void>
}

class PostgresSession implements QuerySession {
  readonly #client: Client
  readonly #cursor: typeof Cursor
  readonly #tools: Tools

  constructor(client: Client, cursor: typeof Cursor, tools: Tools) {
    this.#client = client
    this.#cursor = cursor
    this.#tools = tools
  }

  async *rows(sql: string): AsyncGenerator<QueryRows> {
    const { options, types, gone } = this.#tools
    const cursor = this.#client.query(
      new this.#cursor<Cells>(sql, [], { rowMode: 'array', types: AS_TEXT }),
    )
    let size = FIRST_ROWS
    let decode: readonly Decode[] | null = null
    let isFailed = false
    try {
      for (;;) {
        const piece = await read(cursor, size)
        if (piece.cells.length === 0) return
        const columns = piece.fields.map(({ name }) => name)
        const decoders = (decode ??= piece.fields.map(({ dataTypeID }) =>
          types.decoder(dataTypeID),
        ))
        const rows = piece.cells.map((cells) => rowOf(cells, columns, decoders))
        yield { columns, rows }
        const bytes = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        size = Math.max(1, Math.min(MOST_ROWS, Math.floor((MOST_BYTES * rows.length) / bytes)))
      }
    } catch (error) {
      isFailed = true
      throw postgresFault(error, options)
    } finally {
      // One that failed is closed, and closing waits for an answer that a lost connection never gives.
      if (!isFailed) await Promise.race([cursor.close(), gone])
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.#client)
  }
}

type Cells = readonly (string | null)[]
type Piece = { readonly cells: readonly Cells[]; readonly fields: readonly FieldDef[] }

function read(cursor: Cursor<Cells>, size: number): Promise<Piece> {
  return new Promise((resolve, reject) => {
    // Without an error the first argument is null, whatever the types say.
    cursor.read(size, (error: Error | null | undefined, cells, result) => {
      if (error === null || error === undefined) {
        resolve({ cells, fields: cells.length === 0 ? [] : result.fields })
      } else reject(error)
    })
  })
}

function rowOf(cells: Cells, columns: readonly string[], decoders: readonly Decode[]): QueryRow {
  let fault: string | null = null
  let sizeBytes = 0
  const values = cells.map((text, i) => {
    sizeBytes += text === null ? 4 : text.length + 4
    if (text === null) return null
    const value = decoders[i]?.(text)
    if (value !== undefined) return value
    fault ??= `column "${columns[i] ?? ''}" has ${JSON.stringify(text.slice(0, 60).toWellFormed())}, which no value of Tidemark's can hold; cast it to text in the query`
    return text
  })
  return { values, fault, sizeBytes }
}

async function end(client: Client): Promise<void> {
  await client.end().catch(() => undefined)
}
