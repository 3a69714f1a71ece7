/**
 * Which columns an upsert really writes (semantics 3, `X`), by column ordinal.
 *
 * `all` is the common case and has its own word so that it costs nothing. `except` also
 * covers columns that come to be later; `only` never does. `merge` names the written columns
 * whose object merges leaf by leaf into the object that was there; a value of such a column
 * that is no object replaces.
 */
export type Writes =
  | 'all'
  | {
      readonly mode: 'only' | 'except'
      readonly columns: readonly number[]
      readonly merge: readonly number[]
    }

/** Whether an event writes a column. */
export function isWritten(writes: Writes, column: number): boolean {
  if (writes === 'all') return true
  return writes.columns.includes(column) === (writes.mode === 'only')
}
