import { existsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { TidemarkError } from '../../core/errors.ts'
import { numberFrom, numberFromDouble } from '../../core/number.ts'
import type { Value } from '../../core/value.ts'
import type { QueryRow, QueryRows, QuerySession } from '../../ports/query.ts'

/** Which file to read, for which flow. */
export type SqliteOptions = { readonly path: string; readonly flow: string }

/** How much is given at once. */
const MOST_ROWS = 1_000
const MOST_BYTES = 4 * 1024 * 1024

/**
 * A session on an SQLite file that cannot write. Values are as SQLite stores them: what its columns
 * are declared as binds it to nothing, so that dates are text unless the flow says otherwise.
 */
export function openSqlite(options: SqliteOptions): QuerySession {
  const { path, flow } = options
  if (!existsSync(path)) {
    throw new TidemarkError('NOT_FOUND', `flow "${flow}": there is no file ${path}`, { path })
  }
  return guarded(options, () => {
    const db = new Database(path, { readonly: true, fileMustExist: true })
    db.exec('BEGIN')
    return new SqliteSession(db, options)
  })
}

class SqliteSession implements QuerySession {
  readonly #db: Database.Database
  readonly #options: SqliteOptions

  constructor(db: Database.Database, options: SqliteOptions) {
    this.#db = db
    this.#options = options
  }

  async *rows(sql: string): AsyncGenerator<QueryRows> {
    const { columns, all } = guarded(this.#options, () => this.#prepare(sql))
    try {
      for (;;) {
        const rows = guarded(this.#options, () => take(all))
        if (rows.length === 0) return
        yield { columns, rows }
        // SQLite reads without waiting for anything; others shall have their turn.
        await setImmediate()
      }
    } finally {
      all.return?.()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#db.close()
    return Promise.resolve()
  }

  #prepare(sql: string): { columns: readonly string[]; all: Iterator<unknown[]> } {
    const statement = this.#db.prepare<[], unknown[]>(sql)
    if (!statement.reader) throw new Error('it gives no rows')
    const columns = statement.columns().map(({ name }) => name)
    return { columns, all: statement.raw().safeIntegers().iterate() }
  }
}

function take(all: Iterator<unknown[]>): QueryRow[] {
  const rows: QueryRow[] = []
  let bytes = 0
  while (rows.length < MOST_ROWS && bytes < MOST_BYTES) {
    const next: IteratorResult<unknown[], unknown> = all.next()
    if (next.done === true) break
    const row = rowOf(next.value)
    bytes += row.sizeBytes
    rows.push(row)
  }
  return rows
}

function rowOf(cells: readonly unknown[]): QueryRow {
  let sizeBytes = 0
  const values = cells.map((cell): Value => {
    sizeBytes += typeof cell === 'string' || Buffer.isBuffer(cell) ? cell.length : 8
    return valueOf(cell)
  })
  return { values, fault: null, sizeBytes }
}

/** Every value that SQLite has can be represented. */
function valueOf(cell: unknown): Value {
  if (typeof cell === 'bigint') return numberFrom(cell.toString())
  if (typeof cell === 'number') return numberFromDouble(cell)
  if (Buffer.isBuffer(cell)) return { type: 'bytes', text: cell.toString('hex') }
  return typeof cell === 'string' ? cell : null
}

function guarded<T>({ path, flow }: SqliteOptions, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = error instanceof Database.SqliteError ? error.code : ''
    const isBusy = /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|PROTOCOL)/.test(code)
    const what = isBusy ? 'cannot be read now' : 'does not accept the query'
    const reason = error instanceof Error ? error.message : String(error)
    throw new TidemarkError(
      isBusy ? 'SOURCE_UNAVAILABLE' : 'SOURCE_REFUSED',
      `flow "${flow}": SQLite file ${path} ${what}: ${reason}`,
      { flow, path },
      error,
    )
  }
}
