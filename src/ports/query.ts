import type { Value } from '../core/value.ts'

/** One row that a database gives. */
export type QueryRow = {
  /** A value per column; of one that cannot be represented the database's own text. */
  readonly values: readonly Value[]
  /** Which value cannot be represented and why, null if all can. */
  readonly fault: string | null
  /** About as many bytes as it has on its way, for limits. */
  readonly sizeBytes: number
}

/** Some rows of a query, and the names of its columns in order, which may repeat. */
export type QueryRows = {
  readonly columns: readonly string[]
  readonly rows: readonly QueryRow[]
}

/**
 * A connection to a database that reads all that it reads in one transaction: every query sees
 * the data as they were at one moment, and none can change them.
 *
 * The implementer must: give rows in pieces of bounded size and hold no more of them in memory;
 * give every value exactly or as a fault. The caller must: read one query to its end, or leave
 * it, before the next. spec/sources/databases.spec.ts checks this of every database.
 *
 * @throws TidemarkError `SOURCE_UNAVAILABLE` where trying again can help, `SOURCE_REFUSED` where
 *   it cannot, `NOT_FOUND`; no message has a password
 */
export interface QuerySession extends AsyncDisposable {
  rows(sql: string): AsyncIterable<QueryRows>
}
