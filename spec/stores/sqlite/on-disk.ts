import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** A directory for one test, gone after it. */
export class Place implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'tidemark-store-'))

  /** Path of the store's file. */
  get file(): string {
    return join(this.path, 'store.db')
  }

  /** What any SQLite tool gets for a query, integers exact. */
  query(sql: string): unknown[] {
    using reader = new Reader(this.file)
    return reader.all(sql)
  }

  /** What anybody can do to the file, damage included. */
  exec(sql: string): void {
    const db = new Database(this.file)
    db.unsafeMode()
    db.exec(sql)
    db.close()
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true })
  }
}

/** A connection of somebody else's, for reading. */
export class Reader implements Disposable {
  private readonly db: Database.Database

  constructor(path: string) {
    this.db = new Database(path, { readonly: true })
  }

  all(sql: string): unknown[] {
    return this.db.prepare(sql).safeIntegers(true).all()
  }

  [Symbol.dispose](): void {
    this.db.close()
  }
}
