import Database from 'better-sqlite3'
import { TidemarkError } from '../../../core/errors.ts'
import { asciiLowerCase, quotedName, sqlTokens } from '../../../core/sql-tokens.ts'
import type { SqlToken } from '../../../core/sql-tokens.ts'
import type { ExpressionSpec } from '../../../ports/expressions.ts'
import { dateFault } from './date-functions.ts'
import { selectOf } from './expression-select.ts'
import { reasonOf } from './sqlite-reason.ts'

type Connection = Database.Database

/** Words that cannot stand bare in an expression without bringing in what is refused. */
const REFUSED_WORDS: ReadonlyMap<string, string> = new Map([
  ['select', 'subqueries prohibited'],
  ['values', 'subqueries prohibited'],
  ['raise', 'RAISE() prohibited'],
  ['load_extension', 'load_extension() prohibited'],
])

/**
 * Finds the columns that an expression refers to, in order of appearance to SQLite, and makes
 * sure that it is one expression, closed in itself, whose answer depends on nothing else.
 *
 * Three judges: the tokens (nothing may leave the parentheses that we put around it), a SELECT
 * that is given one more column each time SQLite misses one, and a generated column, in which
 * SQLite itself refuses subqueries, aggregates, parameters, clock and chance.
 *
 * @param connection where the expression will be evaluated
 * @param judge a connection with SQLite's own functions, for the generated column
 * @throws TidemarkError `EXPRESSION_INVALID`
 */
export function checkedColumns(
  spec: ExpressionSpec,
  connection: Connection,
  judge: Connection,
): readonly string[] {
  const tokens = sqlTokens(spec.sql)
  if (typeof tokens === 'string') throw invalid(spec, tokens)
  const fault = tokensFault(tokens) ?? dateFault(tokens)
  if (fault !== null) throw invalid(spec, fault)

  const columns = referredColumns(spec, connection, tokens.length)
  checkPurity(spec, columns, judge)
  return columns
}

function tokensFault(tokens: readonly SqlToken[]): string | null {
  if (tokens.length === 0) return 'it is empty'
  let depth = 0
  for (const { kind, text } of tokens) {
    if (kind === 'parameter') return `parameters prohibited: ${text}`
    const refused = kind === 'word' ? REFUSED_WORDS.get(asciiLowerCase(text)) : undefined
    if (refused !== undefined) return refused
    if (kind !== 'symbol') continue
    if (text === ';') return 'near ";": syntax error'
    if (text === '(') depth += 1
    if (text === ')') depth -= 1
    if (depth < 0) return 'unbalanced parentheses'
  }
  return depth === 0 ? null : 'unbalanced parentheses'
}

/** Each round finds one more column; no expression has more columns than tokens. */
function referredColumns(
  spec: ExpressionSpec,
  connection: Connection,
  limit: number,
): readonly string[] {
  const columns: string[] = []
  const known = new Set<string>()

  for (let round = 0; round <= limit; round += 1) {
    const reason = faultOf(() => connection.prepare(selectOf([spec], columns)))
    if (reason === null) return columns
    const name = missingColumn(reason)
    if (name === null) throw invalid(spec, reason)
    if (known.has(asciiLowerCase(name))) throw invalid(spec, withHint(reason, name))
    known.add(asciiLowerCase(name))
    columns.push(name)
  }

  throw invalid(spec, 'its columns cannot be found')
}

/** The name in SQLite's complaint about a column; where it was in double quotes, a hint follows it. */
function missingColumn(reason: string): string | null {
  const quoted = /^no such column: "([^]*)" - should this be a string literal in single-quotes\?$/
  const match = quoted.exec(reason) ?? /^no such column: ([^]*)$/.exec(reason)
  return match?.[1] ?? null
}

/** `a.b` asks for column b of a table a, which there never is. */
function withHint(reason: string, name: string): string {
  return name.includes('.')
    ? `${reason} (a name with dots needs quotes: ${quotedName(name)})`
    : reason
}

function checkPurity(spec: ExpressionSpec, columns: readonly string[], judge: Connection): void {
  const taken = new Set(columns.map(asciiLowerCase))
  const [result, filler] = [freeName('result', taken), freeName('filler', taken)]
  const definitions = [...columns, filler].map(quotedName)

  const reason = faultOf(() => {
    judge.exec(
      `CREATE TABLE checked(${definitions.join(', ')}, ${quotedName(result)} AS (\n${spec.sql}\n))`,
    )
  })
  if (reason !== null) throw invalid(spec, reason)

  try {
    // Some functions show their colours only when called, so call them once, with nulls. Other
    // faults say nothing yet: the values of a record may well be to the expression's liking.
    const atRun = faultOf(() => {
      judge.exec('INSERT INTO checked DEFAULT VALUES')
      judge.prepare(`SELECT ${quotedName(result)} FROM checked`).get()
    })
    if (atRun?.startsWith('non-deterministic') === true) throw invalid(spec, atRun)
  } finally {
    judge.exec('DROP TABLE checked')
  }
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${name}_`, taken) : name
}

/** What SQLite objects to; null if it does not. */
function faultOf(attempt: () => unknown): string | null {
  try {
    attempt()
    return null
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
    return reasonOf(error)
  }
}

function invalid(spec: ExpressionSpec, reason: string): TidemarkError {
  const what = spec.kind === 'condition' ? 'condition' : 'expression'
  return new TidemarkError(
    'EXPRESSION_INVALID',
    `${what} "${spec.name}" is not valid: ${reason} in ${spec.sql}`,
    { name: spec.name, sql: spec.sql, reason },
  )
}
