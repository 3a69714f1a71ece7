import type { Value } from '../core/value.ts'

/** Named SQL expressions of a flow, compiled together. `role` only serves messages. */
export type ExpressionSpec = {
  readonly name: string
  readonly sql: string
  /** A condition is judged for truth, null being not true; a computed expression gives a value. */
  readonly kind: 'condition' | 'value'
}

/**
 * Compiled expressions over the columns of a record.
 *
 * `columns` are the names that the expressions refer to, found by compiling them; the caller
 * hands over their values in that order, null for a column that the record lacks, and gets
 * one result per expression in the order of the specs: a boolean for a condition, a value
 * else. Not reentrant.
 *
 * Names that differ only in the case of A to Z are one column, in the spelling found first; the
 * caller resolves them likewise. An expression that is a column and nothing else gives the
 * column's value as it is; any other gives what SQLite knows: a number, text, bytes or null.
 *
 * @throws ExpressionError if the expressions cannot be evaluated for these values
 */
export interface CompiledExpressions {
  readonly columns: readonly string[]
  readonly evaluate: (values: readonly Value[]) => readonly Value[]
}

/**
 * Compiles SQL expressions in SQLite's dialect and meaning.
 *
 * The implementer must refuse subqueries, bind parameters, aggregates, and functions that
 * give another answer tomorrow.
 *
 * @throws TidemarkError `EXPRESSION_INVALID` naming the expression and SQLite's reason
 */
export interface Expressions extends Disposable {
  compile(specs: readonly ExpressionSpec[]): CompiledExpressions
}

/**
 * An expression cannot be evaluated for the values at hand: broken JSON in `json_extract`, an
 * integer overflow. A fault of the record, for the caller to make a refusal of.
 */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  /** The name of the expression at fault. */
  readonly expression: string

  constructor(expression: string, reason: string, cause?: unknown) {
    super(`"${expression}" cannot be evaluated: ${reason}`, cause === undefined ? {} : { cause })
    this.expression = expression
  }
}
