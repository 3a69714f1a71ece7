import { quotedName } from '../../../core/sql-tokens.ts'
import type { ExpressionSpec } from '../../../ports/expressions.ts'

/**
 * The statement that evaluates expressions over columns, each column a parameter, in order.
 *
 * A bound value has no affinity, and neither has a column of such a subquery, so that
 * comparisons convert nothing. A condition gives 1 or 0, its truth being judged by SQLite.
 */
export function selectOf(specs: readonly ExpressionSpec[], columns: readonly string[]): string {
  const select = `SELECT ${specs.map(resultColumn).join(', ')}`
  const from = columns.map((name) => `? AS ${quotedName(name)}`)
  return from.length === 0 ? select : `${select} FROM (SELECT ${from.join(', ')})`
}

/** The line breaks end a comment with which an expression may end. */
function resultColumn({ sql, kind }: ExpressionSpec): string {
  return kind === 'condition' ? `CASE WHEN (\n${sql}\n) THEN 1 ELSE 0 END` : `(\n${sql}\n)`
}
