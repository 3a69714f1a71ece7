import { currentSql } from './current-sql.ts'
import type { SqlValue } from './connection.ts'
import type { StoredTarget } from './target.ts'

/** The highest key of an SCD type 1 table: above it, nothing need be looked up. */
export class TopKey {
  private readonly target: StoredTarget
  /** No key is above it; null while there is none, undefined before anyone asked. */
  private top: SqlValue | undefined = undefined

  constructor(target: StoredTarget) {
    this.target = target
  }

  /** Whether a key is above all others, so that nothing is kept of it. */
  isBelow(k: SqlValue): boolean {
    if (this.top === undefined) this.top = this.read()
    const { top } = this
    return top === null || (typeof k === 'bigint' && typeof top === 'bigint' && k > top)
  }

  /** Takes note of a key that is written. */
  raise(k: SqlValue): void {
    const { top } = this
    if (top === undefined || (typeof top === 'bigint' && typeof k === 'bigint' && k <= top)) return
    // SQLite puts text above numbers: where there is any, no number is above all.
    if (top === null || typeof top === 'bigint') this.top = k
  }

  private read(): SqlValue {
    const { rows, dead } = currentSql(this.target)
    const of = (table: string) => `SELECT max(k) AS k FROM ${table}`
    const sql = `SELECT max(k) FROM (${of(rows)} UNION ALL ${of(dead)})`
    return this.target.connection.get(sql)?.[0] ?? null
  }
}
