import type { SqlValue } from './connection.ts'

/** Tells of keys above all that a table has, so that new ones need not be looked for. */
export class KeyCeiling {
  private readonly ask: () => SqlValue
  /** No key is above it; null while there is none, undefined before anyone asked. */
  private top: SqlValue | undefined = undefined

  /** @param ask the greatest key, as SQLite compares them; null where there is none */
  constructor(ask: () => SqlValue) {
    this.ask = ask
  }

  /** Whether a key is above all others, so that nothing is kept of it. */
  isAbove(k: SqlValue): boolean {
    if (this.top === undefined) this.top = this.ask()
    const { top } = this
    return top === null || (typeof k === 'bigint' && typeof top === 'bigint' && k > top)
  }

  /** The table has this key from now on. */
  met(k: SqlValue): void {
    const { top } = this
    if (top === undefined || (typeof top === 'bigint' && typeof k === 'bigint' && k <= top)) return
    // SQLite puts text above numbers: where there is any, no number is above all.
    if (top === null || typeof top === 'bigint') this.top = k
  }
}
