import Database from 'better-sqlite3'
import { compileCondition, plainColumn } from '../../../core/condition.ts'
import { BugError } from '../../../core/errors.ts'
import { asciiLowerCase } from '../../../core/sql-tokens.ts'
import type { Value } from '../../../core/value.ts'
import { ExpressionError } from '../../../ports/expressions.ts'
import type {
  CompiledExpressions,
  Expressions,
  ExpressionSpec,
} from '../../../ports/expressions.ts'
import { boundValue, valueOfResult } from './bound-value.ts'
import { replaceDateFunctions } from './date-functions.ts'
import { checkedColumns } from './expression-check.ts'
import { selectOf } from './expression-select.ts'
import { reasonOf } from './sqlite-reason.ts'

/** An expression that SQLite has found valid; `columns` are the places of its columns among all. */
type Checked = { readonly spec: ExpressionSpec; readonly columns: readonly number[] }

/** Evaluates one expression from the values of all columns. */
type Evaluate = (values: readonly Value[]) => Value

/** Evaluates several, in their order. */
type EvaluateAll = (values: readonly Value[]) => readonly Value[]

/**
 * Expressions evaluated by SQLite itself, on connections in memory without the tables of any store.
 *
 * SQLite judges whether an expression is valid, always. A condition of a common shape is then
 * tested without it ({@link compileCondition}), and a column with nothing done to it is handed
 * through as it is; all that remains is one prepared statement.
 */
export class SqliteExpressions implements Expressions {
  readonly #connection = new Database(':memory:')
  readonly #judge = new Database(':memory:')

  constructor() {
    replaceDateFunctions(this.#connection, this.#judge)
  }

  compile(specs: readonly ExpressionSpec[]): CompiledExpressions {
    const { checked, columns } = this.#check(specs)
    const quick = checked.map((expression) => this.#quick(expression, columns))
    const slow = checked.filter((_, place) => quick[place] === null)
    const slowPlaces = [...quick.keys()].filter((place) => quick[place] === null)
    const evaluateSlow = slow.length === 0 ? null : this.#all(slow, columns)

    return {
      columns,
      evaluate: (values) => {
        const results = quick.map((evaluate) => (evaluate === null ? null : evaluate(values)))
        if (evaluateSlow === null) return results

        const slowResults = evaluateSlow(values)
        for (const [n, place] of slowPlaces.entries()) results[place] = slowResults[n] ?? null
        return results
      },
    }
  }

  [Symbol.dispose](): void {
    this.#connection.close()
    this.#judge.close()
  }

  /** Checks all expressions and gives their columns places, one for names that SQLite does not tell apart. */
  #check(specs: readonly ExpressionSpec[]): {
    readonly checked: readonly Checked[]
    readonly columns: readonly string[]
  } {
    const columns: string[] = []
    const places = new Map<string, number>()

    const placeOf = (name: string): number => {
      const folded = asciiLowerCase(name)
      const place = places.get(folded) ?? columns.push(name) - 1
      places.set(folded, place)
      return place
    }
    const checked = specs.map((spec) => ({
      spec,
      columns: checkedColumns(spec, this.#connection, this.#judge).map(placeOf),
    }))

    return { checked, columns }
  }

  /** How to evaluate an expression without SQLite where its values allow that; null if none do. */
  #quick(checked: Checked, columns: readonly string[]): Evaluate | null {
    const { spec } = checked
    if (spec.kind === 'value') {
      const [place] = checked.columns
      if (place === undefined || plainColumn(spec.sql) === null) return null
      return (values) => values[place] ?? null
    }

    const condition = compileCondition(spec.sql, columns)
    // More columns than SQLite found: a name that it spells otherwise than we do.
    if (condition === null || condition.columns.length > columns.length) return null
    const askSqlite = this.#one(checked, columns)
    return (values) => condition.test(values) ?? askSqlite(values)
  }

  /** Evaluates expressions in one statement, and one by one only where that is needed. */
  #all(checked: readonly Checked[], columns: readonly string[]): EvaluateAll {
    const single = checked.map((expression) => this.#one(expression, columns))
    const evaluateSingly: EvaluateAll = (values) => single.map((evaluate) => evaluate(values))
    if (single.length === 1) return evaluateSingly

    const evaluateTogether = this.#statement(checked, columns)
    return (values) => {
      try {
        return evaluateTogether(values)
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error
        // SQLite does not say which of them it was.
        return evaluateSingly(values)
      }
    }
  }

  /** Evaluates one expression; its statement is prepared when first needed. */
  #one(checked: Checked, columns: readonly string[]): Evaluate {
    let statement: EvaluateAll | null = null
    return (values) => {
      statement ??= this.#statement([checked], columns)
      try {
        return statement(values)[0] ?? null
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error
        throw new ExpressionError(checked.spec.name, reasonOf(error), error)
      }
    }
  }

  #statement(checked: readonly Checked[], names: readonly string[]): EvaluateAll {
    const places = [...new Set(checked.flatMap(({ columns }) => columns))]
    const specs = checked.map(({ spec }) => spec)
    const sql = selectOf(
      specs,
      places.map((place) => names[place] ?? ''),
    )
    const statement = this.#connection.prepare(sql).raw().safeIntegers()

    return (values) => {
      const row = statement.get(places.map((place) => boundValue(values[place] ?? null)))
      if (!Array.isArray(row)) throw new BugError('a SELECT without rows')
      return specs.map(({ kind }, n) =>
        kind === 'condition' ? row[n] === 1n : valueOfResult(row[n]),
      )
    }
  }
}
