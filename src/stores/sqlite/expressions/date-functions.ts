import type { Database, Statement } from 'better-sqlite3'
import type { SqlToken } from '../../../core/sql-tokens.ts'
import { asciiLowerCase } from '../../../core/sql-tokens.ts'

/** SQLite's functions that read the clock or the time zone of the machine when asked to. */
const DATE_FUNCTIONS = [
  'date',
  'time',
  'datetime',
  'julianday',
  'unixepoch',
  'strftime',
  'timediff',
] as const

/** Arguments that ask for the clock or the time zone. */
const IMPURE_ARGUMENT = /^(?:now|localtime|utc)$/i

/**
 * Replaces the date functions of a connection by ones that refuse `now`, `localtime` and `utc`
 * even where a record brings those words.
 *
 * SQLite itself is the judge: within a generated column it lets a date function do only what
 * gives the same answer for ever. So each call is a computation of such a column on the other
 * connection, in a table of one row (about two microseconds a call).
 *
 * @param judge a connection of its own, with SQLite's own functions
 */
export function replaceDateFunctions(connection: Database, judge: Database): void {
  for (const name of DATE_FUNCTIONS) {
    const statements = new Map<number, Statement>()
    const call = (...values: unknown[]): unknown => {
      const statement = statements.get(values.length) ?? pureCall(judge, name, values.length)
      statements.set(values.length, statement)
      return statement.get(values)
    }
    connection.function(name, { varargs: true, deterministic: true, safeIntegers: true }, call)
  }
}

/** Why the date functions that an expression calls are refused for what is written in it; null if they are not. */
export function dateFault(tokens: readonly SqlToken[]): string | null {
  for (const [at, token] of tokens.entries()) {
    const name = asciiLowerCase(token.text)
    if (token.kind !== 'word' || !isDateFunction(name) || tokens[at + 1]?.text !== '(') continue
    if (isImpureCall(name, tokens.slice(at + 2))) return `non-deterministic use of ${name}()`
  }
  return null
}

function isDateFunction(name: string): boolean {
  return DATE_FUNCTIONS.some((known) => known === name)
}

/** Whether a call, from behind its opening parenthesis, lacks the time or has one of the words as an argument. */
function isImpureCall(name: string, tokens: readonly SqlToken[]): boolean {
  let depth = 0
  let hasComma = false
  for (const [at, token] of tokens.entries()) {
    const isSymbol = token.kind === 'symbol'
    if (isSymbol && token.text === ')' && depth === 0) {
      return at === 0 || (name === 'strftime' && !hasComma)
    }
    if (isSymbol && token.text === '(') depth += 1
    if (isSymbol && token.text === ')') depth -= 1
    if (depth > 0) continue
    if (isSymbol && token.text === ',') hasComma = true
    if (token.kind === 'string' && IMPURE_ARGUMENT.test(token.text)) return true
  }
  return false
}

function pureCall(judge: Database, name: string, count: number): Statement {
  const table = `${name}_${String(count)}`
  const columns = Array.from({ length: count }, (_, n) => `a${String(n)}`)
  judge.exec(
    `CREATE TABLE ${table}(${[...columns, 'filler', `result AS (${name}(${columns.join(', ')}))`].join(', ')})`,
  )
  judge.exec(`INSERT INTO ${table} DEFAULT VALUES`)
  const assignments = [...columns.map((column) => `${column} = ?`), 'filler = NULL'].join(', ')
  return judge.prepare(`UPDATE ${table} SET ${assignments} RETURNING result`).pluck().safeIntegers()
}
