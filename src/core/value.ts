/**
 * What a column can hold. Every value has exactly one representation, so that equality
 * by type and content (semantics 1, "Values") is a comparison of representations.
 *
 * | value | representation |
 * | --- | --- |
 * | null, boolean, text | themselves |
 * | integer within ±(2^53 − 1) | `number` |
 * | any longer integer | `bigint` |
 * | other number whose shortest spelling as a double is the number | `number` |
 * | any other number | `Tagged` `decimal` |
 * | NaN, Infinity, -Infinity | `Tagged` `double` |
 * | bytes | `Tagged` `bytes`, lower-case hex |
 * | date, time, timestamps | `Tagged`, canonical ISO text (see {@link TaggedType}) |
 * | object or array | `Tagged` `json`, canonical JSON text |
 *
 * Numbers, temporal values and JSON are made by number.ts, temporal.ts and json.ts; nobody
 * else spells a `Tagged` of those types.
 */
export type Value = null | boolean | number | bigint | string | Tagged

/** A value that JavaScript has no type for: what it is, and its one canonical spelling. */
export type Tagged = { readonly type: TaggedType; readonly text: string }

/**
 * - `timestamp`: an instant, `2026-01-02T03:04:05.678Z`, always UTC, no trailing zeros in the fraction.
 * - `local_timestamp`: a timestamp without zone, the same without `Z`.
 * - `date`: `2026-01-02`. Dates and timestamps may be `infinity` and `-infinity`, as PostgreSQL has them.
 * - `time`: `03:04:05.678`, no trailing zeros; MySQL's may be negative or have up to 999 hours.
 * - `decimal`: plain or scientific digits as number.ts spells them.
 * - `double`: only `NaN`, `Infinity`, `-Infinity`.
 * - `bytes`: lower-case hex. `json`: canonical JSON text of an object or array.
 */
export type TaggedType =
  'decimal' | 'double' | 'bytes' | 'date' | 'time' | 'timestamp' | 'local_timestamp' | 'json'

/** The values of a row by column ordinal of its target. Cells past the end are null: columns only ever get added. */
export type Row = readonly Value[]

/** The value in a column, null where the row is older than the column. */
export function cell(row: Row, column: number): Value {
  return row[column] ?? null
}

/** Whether a value is one that JavaScript has no type for. */
export function isTagged(value: Value): value is Tagged {
  return typeof value === 'object' && value !== null
}

/** Equality by type and content: null equals null, `1` is not `'1'`, and `1.0` is `1` since both are spelled `1`. */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true
  return isTagged(a) && isTagged(b) && a.type === b.type && a.text === b.text
}

/** Whether two rows agree on all columns, absent cells being null. */
export function sameRow(a: Row, b: Row): boolean {
  if (a === b) return true
  const width = Math.max(a.length, b.length)
  for (let column = 0; column < width; column += 1) {
    if (!sameValue(cell(a, column), cell(b, column))) return false
  }
  return true
}
