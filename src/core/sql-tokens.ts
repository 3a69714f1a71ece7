/** A token of SQLite's dialect. `text` is what is meant: quotes taken off and doubled quotes made one. */
export type SqlToken = { readonly kind: SqlTokenKind; readonly text: string }

/**
 * - `word`: a bare identifier, keyword or function name, as written.
 * - `name`: an identifier in double quotes, backticks or brackets; `string`: text in single quotes.
 * - `parameter`: `?`, `?1`, `:a`, `@a`, `$a`, `#a`; `blob`: the digits of `x'00ff'`.
 * - `symbol`: an operator or punctuation, or a character that SQLite does not know.
 */
export type SqlTokenKind = 'word' | 'name' | 'string' | 'blob' | 'number' | 'parameter' | 'symbol'

/** Why a text does not fall into tokens; told apart from tokens by being a string. */
export type SqlTokenFault = string

/** White space as SQLite skips it, a byte order mark included, and comments. */
const SPACE = /(?:[ \t\n\f\r\ufeff]+|--[^\n]*|\/\*[^]*?\*\/)+/y

const RULES: readonly (readonly [SqlTokenKind, RegExp])[] = [
  ['string', /'(?:[^']|'')*'/y],
  ['name', /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y],
  ['blob', /[xX]'[^']*'/y],
  ['word', /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y],
  ['number', /(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[\w$\u0080-\uffff]*/y],
  ['parameter', /[?:@$#][\w$\u0080-\uffff]*/y],
  ['symbol', /->>|->|\|\||<<|>>|<=|>=|<>|==|!=|[^'"`[]/y],
]

/**
 * Takes SQL apart as SQLite's own tokenizer does, comments and white space left out.
 *
 * Stricter in one point: a comment must end. A comment to the end of the line may be the last
 * thing, so whoever wraps the text has to add a line break.
 */
export function sqlTokens(sql: string): readonly SqlToken[] | SqlTokenFault {
  if (sql.includes('\0')) return 'it contains a NUL character'
  const tokens: SqlToken[] = []
  let at = skipSpace(sql, 0)

  while (at < sql.length) {
    if (sql.startsWith('/*', at)) return 'a comment does not end'
    const token = tokenAt(sql, at)
    if (token === null) return 'a quote is not closed'
    tokens.push({ kind: token.kind, text: unquoted(token.kind, token.spelling) })
    at = skipSpace(sql, at + token.spelling.length)
  }

  return tokens
}

/** A name or text with the letters A to Z made small: as far as SQLite ignores the case of a name. */
export function asciiLowerCase(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** A name in double quotes, any character in it being part of the name. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function skipSpace(sql: string, at: number): number {
  SPACE.lastIndex = at
  return SPACE.test(sql) ? SPACE.lastIndex : at
}

function tokenAt(sql: string, at: number): { kind: SqlTokenKind; spelling: string } | null {
  for (const [kind, pattern] of RULES) {
    pattern.lastIndex = at
    const match = pattern.exec(sql)
    if (match !== null) return { kind, spelling: match[0] }
  }
  return null
}

function unquoted(kind: SqlTokenKind, spelling: string): string {
  if (kind === 'blob') return spelling.slice(2, -1)
  if (kind !== 'string' && kind !== 'name') return spelling

  const quote = spelling.charAt(0)
  const inner = spelling.slice(1, -1)
  return quote === '[' ? inner : inner.replaceAll(quote + quote, quote)
}
