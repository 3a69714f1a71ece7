import { TidemarkError } from '../../../src/core/errors.ts'
import type { Value } from '../../../src/core/value.ts'
import type { QueryRow, QuerySession } from '../../../src/ports/query.ts'

/** All rows that a query gives. */
export async function readAll(session: QuerySession, sql: string): Promise<readonly QueryRow[]> {
  const all: QueryRow[] = []
  for await (const { rows } of session.rows(sql)) all.push(...rows)
  return all
}

/** The values of the only row of a query by column, or why one of them is none. */
export async function readOne(
  session: QuerySession,
  sql: string,
): Promise<Readonly<Record<string, Value>> | string> {
  for await (const { columns, rows } of session.rows(sql)) {
    const [row] = rows
    if (row === undefined) break
    return row.fault ?? Object.fromEntries(columns.map((name, i) => [name, row.values[i] ?? null]))
  }
  return 'no row'
}

/** The message of the fault that work ends with. */
export async function faultOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    if (error instanceof TidemarkError) return error.message
    throw error
  }
  return 'no fault'
}
