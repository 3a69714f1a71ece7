import type { Connection, SqlValue } from './connection.ts'

/** Tells of keys above all that some tables have, so that new ones need not be looked for. */
export class KeyCeiling {
  private readonly connection: Connection
  private readonly sql: string
  /** No key is above it; null while there is none, undefined before anyone asked. */
  private top: SqlValue | undefined = undefined

  /** @param tables quoted, each with an index that begins with `k` */
  constructor(connection: Connection, tables: readonly string[]) {
    this.connection = connection
    const each = tables.map((table) => `SELECT max(k) AS k FROM ${table}`)
    this.sql = `SELECT max(k) FROM (${each.join(' UNION ALL ')})`
  }

  /** Whether a key is above all others, so that nothing is kept of it. */
  isAbove(k: SqlValue): boolean {
    if (this.top === undefined) this.top = this.connection.get(this.sql)?.[0] ?? null
    const { top } = this
    return top === null || (typeof k === 'bigint' && typeof top === 'bigint' && k > top)
  }

  /** One of the tables has this key from now on. */
  met(k: SqlValue): void {
    const { top } = this
    if (top === undefined || (typeof top === 'bigint' && typeof k === 'bigint' && k <= top)) return
    // SQLite puts text above numbers: where there is any, no number is above all.
    if (top === null || typeof top === 'bigint') this.top = k
  }
}
