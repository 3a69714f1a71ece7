import type { Upsert } from '../core/change.ts'
import { either, hasColumn, isNone, NO_COLUMNS, type ColumnSet } from '../core/column-set.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import { cell, type Row, type Tagged } from '../core/value.ts'
import type { ArrivedRow, UnsettledMove } from '../ports/moves.ts'
import type { KeyPast } from './key-past.ts'

/** A row that leaves its key, as far as it is known. */
type DepartingRow = {
  readonly row: Row | null
  /** The columns whose values an earlier change of keys is still to bring. */
  readonly owed: ColumnSet
  /** The earlier changes of keys that are to, each with those columns. */
  readonly lenders: readonly { readonly half: ArrivedRow; readonly columns: ColumnSet }[]
}

/**
 * The row that a key has just before a sequence, with what is still to come for it. Which columns
 * that concerns is seen from the row as it would be if a mark had come for each of them: where an
 * event has written the column since, or ended the row, the mark does not show.
 *
 * `overtaken` where what came since has been written over the row.
 */
export function departing(
  unsettled: readonly UnsettledMove[],
  { key, sequence, width }: { key: Key; sequence: Sequence; width: number },
  past: KeyPast,
): DepartingRow | 'overtaken' {
  const row = past.rowBefore(key, sequence, [])
  const awaited = unsettled
    .filter((half) => half.half !== 'left')
    .filter(({ stamp, lacking }) => stamp.sequence < sequence && !isNone(lacking))
    .map((half) => ({ half, mark: newMark() }))
  if (row === 'overtaken') return row
  if (awaited.length === 0) return { row, owed: NO_COLUMNS, lenders: [] }

  const marks = awaited.map(({ half, mark }) => supposed(key, half, { mark, width }))
  const marked = past.rowBefore(key, sequence, marks)
  const lenders = awaited
    .map(({ half, mark }) => ({ half, columns: showing(marked, mark, width) }))
    .filter(({ columns }) => !isNone(columns))
  const owed = lenders.reduce((sum, { columns }) => either(sum, columns), NO_COLUMNS)
  return { row, owed, lenders }
}

/** Told apart by identity. */
function newMark(): Tagged {
  return { type: 'decimal', text: 'awaited' }
}

/** What would bring a mark for each column that is lacking, one behind the last of them standing for those that come later. */
function supposed(
  key: Key,
  { stamp, time, lacking }: ArrivedRow,
  { mark, width }: { mark: Tagged; width: number },
): Upsert {
  const row = Array.from({ length: width + 1 }, (_, column) =>
    hasColumn(lacking, column) ? mark : null,
  )
  return { ...stamp, op: 'upsert', key, row, writes: { ...lacking, merge: [] }, time }
}

function showing(row: Row | null | 'overtaken', mark: Tagged, width: number): ColumnSet {
  if (row === null || row === 'overtaken') return NO_COLUMNS
  const ordinals = Array.from({ length: width }, (_, column) => column)
  return cell(row, width) === mark
    ? { mode: 'except', columns: ordinals.filter((column) => cell(row, column) !== mark) }
    : { mode: 'only', columns: ordinals.filter((column) => cell(row, column) === mark) }
}
