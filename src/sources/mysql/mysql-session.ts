import type { Readable } from 'node:stream'
import type { Connection, FieldPacket } from 'mysql2'
import type { QueryRow, QueryRows, QuerySession } from '../../ports/query.ts'
import { mysqlFault } from './mysql-fault.ts'
import { decoderOf, type Decode } from './mysql-types.ts'

/** Which server and database, as a URL with user and password, for which flow. */
export type MysqlOptions = { readonly url: string; readonly flow: string }

const MOST_ROWS = 1_000
const MOST_BYTES = 4 * 1024 * 1024
/** Rows that the driver holds before it stops the server. */
const WAITING_ROWS = 64
const CONNECT_MS = 15_000

/** The server's time zone does not matter, and it waits for a reader that has other things to do. */
const BEGIN = [
  `SET SESSION time_zone = '+00:00', net_write_timeout = 3600`,
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
  'START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY',
]

/** Numbers, dates and JSON as text, since JavaScript's own cannot hold them all. */
const EXACT = {
  supportBigNumbers: true,
  bigNumberStrings: true,
  dateStrings: true,
  jsonStrings: true,
  timezone: 'Z',
} as const

/**
 * A session on a MySQL or MariaDB database, in the time zone UTC. Rows come in the binary protocol,
 * as the server finds them, for its text protocol rounds floats. Tables of engines without transactions
 * are read as they are at the time.
 */
export async function openMysql(options: MysqlOptions): Promise<QuerySession> {
  const { createConnection } = (await import('mysql2')).default
  let connection: Connection
  try {
    connection = createConnection({
      uri: options.url,
      charset: 'utf8mb4',
      connectTimeout: CONNECT_MS,
      ...EXACT,
    })
  } catch (error) {
    throw mysqlFault(error, options)
  }
  const session = new MysqlSession(connection, options)
  try {
    for (const sql of BEGIN) await run(connection, sql)
  } catch (error) {
    connection.destroy()
    throw mysqlFault(error, options)
  }
  return session
}

class MysqlSession implements QuerySession {
  readonly #connection: Connection
  readonly #options: MysqlOptions
  /** What broke the connection. */
  #broken: Error | null = null
  #reading: Readable | null = null

  constructor(connection: Connection, options: MysqlOptions) {
    this.#connection = connection
    this.#options = options
    // The driver tells nobody else of it, neither the query that runs nor those to come.
    connection.on('error', (error: Error) => {
      this.#broken = error
      this.#reading?.destroy(error)
    })
  }

  async *rows(sql: string): AsyncGenerator<QueryRows> {
    if (this.#broken !== null) throw mysqlFault(this.#broken, this.#options)
    const execution = this.#connection.execute({ sql, rowsAsArray: true })
    const plan = new Plan()
    execution.on('fields', (fields: readonly FieldPacket[] | undefined) => {
      plan.read(fields ?? [])
    })
    let rows: QueryRow[] = []
    let bytes = 0
    const stream = execution.stream({ highWaterMark: WAITING_ROWS })
    this.#reading = stream
    try {
      for await (const cells of stream) {
        const { columns, decoders } = plan
        if (!isRow(cells) || columns.length === 0) throw new Error('the query gives no rows')
        const row = rowOf(cells, columns, decoders)
        rows.push(row)
        bytes += row.sizeBytes
        if (rows.length < MOST_ROWS && bytes < MOST_BYTES) continue
        yield { columns, rows }
        rows = []
        bytes = 0
      }
    } catch (error) {
      throw mysqlFault(error, this.#options)
    }
    if (rows.length > 0) yield { columns: plan.columns, rows }
  }

  [Symbol.asyncDispose](): Promise<void> {
    // It may still be sending rows that nobody wants; the server ends the transaction by itself.
    this.#connection.destroy()
    return Promise.resolve()
  }
}

/** The columns of a query, which the server names before its rows. */
class Plan {
  columns: readonly string[] = []
  decoders: readonly Decode[] = []

  read(fields: readonly FieldPacket[]): void {
    this.columns = fields.map(({ name }) => name)
    this.decoders = fields.map(decoderOf)
  }
}

function rowOf(
  cells: readonly unknown[],
  columns: readonly string[],
  decoders: readonly Decode[],
): QueryRow {
  let fault: string | null = null
  let sizeBytes = 0
  const values = cells.map((cell, i) => {
    sizeBytes += typeof cell === 'string' || Buffer.isBuffer(cell) ? cell.length + 4 : 8
    if (cell === null) return null
    const value = decoders[i]?.(cell)
    if (value !== undefined) return value
    const text = shownOf(cell)
    fault ??= `column "${columns[i] ?? ''}" has ${text}, which no value of Tidemark's can hold; convert it in the query`
    return text
  })
  return { values, fault, sizeBytes }
}

function shownOf(cell: unknown): string {
  if (typeof cell === 'string') return JSON.stringify(cell.slice(0, 60).toWellFormed())
  return typeof cell === 'number' ? String(cell) : 'a geometry'
}

function isRow(row: unknown): row is readonly unknown[] {
  return Array.isArray(row)
}

function run(connection: Connection, sql: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error) => {
      if (error === null) resolve()
      else reject(error)
    })
  })
}
