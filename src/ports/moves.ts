import type { Stamp } from '../core/change.ts'
import type { ColumnSet } from '../core/column-set.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import type { Row, Value } from '../core/value.ts'

/**
 * A change of keys that is not settled: one half of it has not come, or both have and the old key
 * itself still waits for what it was to get by an earlier change of keys.
 */
export type UnsettledMove = DepartedRow | ArrivedRow

/** The row that the old key left behind, null where nothing was known of it. The new key's has not come. */
export type DepartedRow = {
  readonly half: 'left'
  readonly row: Row | null
  /** The columns that the old key still waits for. */
  readonly owed: ColumnSet
}

/** What the row under the new key lacks: `arrived` where the old key's half has not come, `met` where it has. */
export type ArrivedRow = {
  readonly half: 'arrived' | 'met'
  /** Where what is lacking belongs: behind the event that made the row. */
  readonly stamp: Stamp
  /** How many changes the record of that event made: values that come in turn are that far from each other. */
  readonly parts: number
  readonly time: Value
  readonly lacking: ColumnSet
  /** Where the row has gone on to without the values that it lacks. */
  readonly heirs: readonly Heir[]
}

/** A later change of keys that waits for some columns of an earlier one. */
export type Heir = {
  readonly to: Key
  readonly sequence: Sequence
  readonly columns: ColumnSet
}
