import { asciiLowerCase, sqlTokens } from './sql-tokens.ts'
import type { SqlToken } from './sql-tokens.ts'
import {
  andOf,
  ASK,
  equalsOf,
  isOf,
  isTruthOf,
  notOf,
  orOf,
  scalarOf,
  truthOf,
} from './three-valued.ts'
import type { Scalar, Term } from './three-valued.ts'
import type { Value } from './value.ts'

/**
 * A condition of a common shape, judged without SQLite but exactly as SQLite would.
 *
 * `columns` are the columns whose values `test` takes, in order. `test` says whether the
 * condition is true (null is not true), or null where only SQLite can tell: text judged for
 * truth, bytes, integers beyond 64 bits.
 */
export type Condition = {
  readonly columns: readonly string[]
  readonly test: (values: readonly Value[]) => boolean | null
}

/** A term, and what the parser must know of it. */
type Parsed = { readonly term: Term; readonly kind: 'column' | 'boolean' | 'other' }

/** Deeper conditions are left to SQLite rather than to our stack. */
const MAX_DEPTH = 100
/** Words that are no column where they stand bare. TRUE, FALSE and NULL are literals. */
const KEYWORDS = new Set(
  'and or not is in isnull notnull null true false current_date current_time current_timestamp'.split(
    ' ',
  ),
)

/**
 * Compiles a condition of a common shape; null for every other, which is then SQLite's to judge.
 *
 *     operand   column, "column", 'text', 12, -12, NULL, TRUE, FALSE, ( condition )
 *     test      operand [ = == <> != IS, IS NOT ] operand, [NOT] IN ( operand, … ),
 *               IS [NOT] NULL, ISNULL, NOTNULL, NOT NULL
 *     condition test with NOT, AND, OR
 *
 * Takes for granted that SQLite accepts the text. Values compare without affinity, as bound
 * ones do: `1 = '1'` is false. Columns are told apart as SQLite tells them apart, ignoring the
 * case of A to Z.
 *
 * @param known columns that come first in `columns`, whether the condition has them or not
 */
export function compileCondition(sql: string, known: readonly string[] = []): Condition | null {
  const tokens = sqlTokens(sql)
  if (typeof tokens === 'string' || tokens.some(isTrap)) return null

  const parser = new Parser(tokens, known)
  const parsed = parser.or()
  if (parsed === null || !parser.atEnd()) return null

  const { term } = parsed
  return {
    columns: parser.columns,
    test: (values) => {
      const truth = truthOf(term(values))
      return truth === ASK ? null : truth === 1
    },
  }
}

/** The column that an expression is, with nothing done to it; null if it is anything else. */
export function plainColumn(sql: string): string | null {
  const tokens = sqlTokens(sql)
  if (typeof tokens === 'string') return null
  let depth = 0
  while (isSymbol(tokens[depth], '(') && isSymbol(tokens.at(-1 - depth), ')')) depth += 1
  const token = tokens[depth]
  if (token === undefined || tokens.length !== 2 * depth + 1) return null
  return isColumn(token) ? token.text : null
}

/** Text that changes on its way into SQLite, where lone surrogates become U+FFFD. */
function isTrap({ kind, text }: SqlToken): boolean {
  return kind === 'string' && /[\ud800-\udfff\ufffd]/.test(text)
}

function isTruthWord(text: string): boolean {
  return text === 'true' || text === 'false'
}

function isColumn({ kind, text }: SqlToken): boolean {
  return kind === 'name' || (kind === 'word' && !KEYWORDS.has(asciiLowerCase(text)))
}

function isSymbol(token: SqlToken | undefined, text: string): boolean {
  return token?.kind === 'symbol' && token.text === text
}

/** Recursive descent by SQLite's precedence: OR, AND, NOT, then the tests, which associate to the left. */
class Parser {
  readonly columns: string[]
  readonly #tokens: readonly SqlToken[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly SqlToken[], known: readonly string[]) {
    this.#tokens = tokens
    this.columns = [...known]
  }

  atEnd(): boolean {
    return this.#at === this.#tokens.length
  }

  or(): Parsed | null {
    return this.#joined('or', () => this.#and(), orOf)
  }

  #and(): Parsed | null {
    return this.#joined('and', () => this.#not(), andOf)
  }

  #joined(
    word: string,
    part: () => Parsed | null,
    join: (left: Term, right: Term) => Term,
  ): Parsed | null {
    let left = part()
    while (left !== null && this.#take(word)) {
      const right = part()
      left = right && other(join(left.term, right.term))
    }
    return left
  }

  #not(): Parsed | null {
    let nots = 0
    while (this.#take('not')) nots += 1
    const tested = this.#tests()
    if (tested === null) return null

    let { term } = tested
    for (let n = 0; n < nots; n += 1) term = notOf(term)
    return nots === 0 ? tested : other(term)
  }

  #tests(): Parsed | null {
    let left = this.#operand()
    let next = left && this.#test(left)
    while (next !== null && next !== left) {
      left = next
      next = this.#test(left)
    }
    return next
  }

  /** The test that follows an operand, or the operand itself where none does. */
  #test(left: Parsed): Parsed | null {
    if (this.#take('=') || this.#take('==')) return this.#compared(left, equalsOf)
    if (this.#take('<>') || this.#take('!=')) {
      return this.#compared(left, (a, b) => notOf(equalsOf(a, b)))
    }
    if (this.#take('isnull')) return other(isOf(left.term, () => null))
    if (this.#take('notnull')) return other(notOf(isOf(left.term, () => null)))
    if (this.#take('in')) return this.#list(left.term)
    if (this.#take('is')) {
      const isNot = this.#take('not')
      return this.#compared(left, (a, b, right) => {
        const is = right.kind === 'boolean' ? isTruthOf(a, b) : isOf(a, b)
        return isNot ? notOf(is) : is
      })
    }
    if (!this.#take('not')) return left

    if (this.#take('null')) return other(notOf(isOf(left.term, () => null)))
    const listed = this.#take('in') ? this.#list(left.term) : null
    return listed && other(notOf(listed.term))
  }

  #compared(left: Parsed, compare: (a: Term, b: Term, right: Parsed) => Term): Parsed | null {
    const right = this.#operand()
    // Two columns may differ in JavaScript and be equal in SQLite: lone surrogates.
    if (right === null || (left.kind === 'column' && right.kind === 'column')) return null
    return other(compare(left.term, right.term, right))
  }

  #list(left: Term): Parsed | null {
    if (!this.#take('(')) return null
    const items: Term[] = []
    do {
      const item = this.#operand()
      if (item === null || item.kind === 'column') return null
      items.push(equalsOf(left, item.term))
    } while (this.#take(','))
    return this.#take(')') ? other(items.reduce(orOf)) : null
  }

  #operand(): Parsed | null {
    if (this.#take('(')) return this.#parenthesised()
    const isNegative = this.#take('-')
    const token = this.#tokens[this.#at]
    if (token === undefined) return null
    this.#at += 1

    if (token.kind === 'number') return integerLiteral(token.text, isNegative)
    if (isNegative) return null
    if (token.kind === 'string') return literal(token.text)
    if (isColumn(token)) return this.#column(token.text)
    if (token.kind !== 'word') return null

    const word = asciiLowerCase(token.text)
    if (word === 'null') return literal(null)
    return isTruthWord(word) ? { ...literal(word === 'true' ? 1 : 0), kind: 'boolean' } : null
  }

  #parenthesised(): Parsed | null {
    this.#depth += 1
    const inner = this.#depth > MAX_DEPTH ? null : this.or()
    this.#depth -= 1
    return this.#take(')') ? inner : null
  }

  #column(name: string): Parsed {
    const folded = asciiLowerCase(name)
    const known = this.columns.findIndex((column) => asciiLowerCase(column) === folded)
    const index = known < 0 ? this.columns.push(name) - 1 : known
    return { term: (values) => scalarOf(values[index] ?? null), kind: 'column' }
  }

  /** Steps over the next token if it is this keyword (in small letters) or symbol. */
  #take(text: string): boolean {
    const token = this.#tokens[this.#at]
    if (token === undefined || (token.kind !== 'word' && token.kind !== 'symbol')) return false
    if (asciiLowerCase(token.text) !== text) return false
    this.#at += 1
    return true
  }
}

function other(term: Term): Parsed {
  return { term, kind: 'other' }
}

function literal(value: Scalar): Parsed {
  return other(() => value)
}

function integerLiteral(digits: string, isNegative: boolean): Parsed | null {
  if (!/^\d{1,18}$/.test(digits)) return null
  const n = isNegative ? -BigInt(digits) : BigInt(digits)
  const short = Number(n)
  return literal(Number.isSafeInteger(short) ? short : n)
}
