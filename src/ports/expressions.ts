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
 */
export interface CompiledExpressions {
  readonly columns: readonly string[]
  evaluate(values: readonly Value[]): readonly Value[]
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
