import { realpathSync, existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import Database from 'better-sqlite3'

import { TidemarkError } from '../../core/errors.ts'

/** A value as SQLite holds it. */
export type SqlValue = null | number | bigint | string | Buffer

/** Rows as arrays of cells: the store reads by position. */
export type Statement = Database.Statement<SqlValue[], SqlValue[]>

/** How much the page cache may hold, in KiB. */
const CACHE_KIB = 65_536

/**
 * A connection to the file of a store.
 *
 * A writer holds an exclusive lock on a second, empty database beside the store for as long as
 * it is open. The lock is the operating system's, so it goes when the process dies, however it
 * dies; readers of the store itself are never in its way.
 */
export class Connection implements Disposable {
  readonly path: string
  readonly db: Database.Database
  private readonly lock: Database.Database | null
  private readonly statements = new Map<string, Statement>()

  constructor(path: string, mode: 'write' | 'read') {
    this.path = path
    this.lock = mode === 'write' && path !== ':memory:' ? holdLock(path) : null
    try {
      this.db = openStore(path, mode)
    } catch (error) {
      this.lock?.close()
      throw asFault(error, path)
    }
  }

  /** A prepared statement whose rows are arrays and whose integers are exact; prepared once. */
  prepare(sql: string): Statement {
    const known = this.statements.get(sql)
    if (known !== undefined) return known
    const statement = this.told(() => this.db.prepare<SqlValue[], SqlValue[]>(sql))
    const ready = statement.reader ? statement.raw(true).safeIntegers(true) : statement
    this.statements.set(sql, ready)
    return ready
  }

  // Called for every row: no closure is made.
  run(sql: string, ...params: SqlValue[]): void {
    this.runAll(sql, params)
  }

  /** The same with the parameters as an array. */
  runAll(sql: string, params: SqlValue[]): void {
    const statement = this.prepare(sql)
    try {
      statement.run(...params)
    } catch (error) {
      throw asFault(error, this.path)
    }
  }

  get(sql: string, ...params: SqlValue[]): SqlValue[] | undefined {
    const statement = this.prepare(sql)
    try {
      return statement.get(...params)
    } catch (error) {
      throw asFault(error, this.path)
    }
  }

  all(sql: string, ...params: SqlValue[]): SqlValue[][] {
    const statement = this.prepare(sql)
    return this.told(() => statement.all(...params))
  }

  /** Runs `work` in one transaction that takes the write lock at its start. */
  transact<T>(work: () => T): T {
    return this.told(() => this.db.transaction(work).immediate())
  }

  /** Forgets prepared statements, which would otherwise see a table as it was. */
  schemaChanged(): void {
    this.statements.clear()
  }

  /** Says what SQLite throws in our words. */
  private told<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw asFault(error, this.path)
    }
  }

  [Symbol.dispose](): void {
    this.statements.clear()
    this.db.close()
    this.lock?.close()
  }
}

/** What SQLite says in our words; anything unexpected stays as it is. */
function asFault(error: unknown, path: string): unknown {
  const code = sqliteCode(error)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return busy(path, error)
  if (code.startsWith('SQLITE_FULL') || code.startsWith('SQLITE_IOERR')) {
    return new TidemarkError(
      'STORE_FULL',
      `the store ${path} cannot be written (${code}); make room on its disk and run again`,
      { path },
      error,
    )
  }
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
    return new TidemarkError('STORE_UNKNOWN', `${path} is not an SQLite database`, { path }, error)
  }
  const isNowhere = error instanceof TypeError && error.message.includes('directory does not exist')
  if (isNowhere || code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY')) {
    return new TidemarkError(
      'NOT_FOUND',
      `the store ${path} cannot be opened; is its folder there and writable?`,
      { path },
      error,
    )
  }
  return error
}

function openStore(path: string, mode: 'write' | 'read'): Database.Database {
  const db = new Database(path, { readonly: mode === 'read', fileMustExist: mode === 'read' })
  db.pragma('busy_timeout = 10000')
  if (mode === 'read') return db
  // Larger pages speed up appends and slow down scattered updates; see spec/bench.
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.pragma('temp_store = MEMORY')
  // A checkpoint per commit would write every page twice; the log is bounded by this and a batch.
  db.pragma('wal_autocheckpoint = 16384')
  return db
}

function holdLock(path: string): Database.Database {
  const place = existsSync(path) ? realpathSync(path) : path
  const lockPath = join(dirname(place), `.${basename(place)}-writer`)
  let lock: Database.Database | null = null
  try {
    lock = new Database(lockPath)
    lock.pragma('busy_timeout = 0')
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    throw asFault(error, path)
  }
}

function busy(path: string, cause: unknown): TidemarkError {
  return new TidemarkError(
    'STORE_BUSY',
    `another process is writing to the store ${path}; wait for it to end, or stop it`,
    { path },
    cause,
  )
}

function sqliteCode(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : ''
}
