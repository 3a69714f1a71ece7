/** Columns by ordinal: the listed ones, or all but those, columns that come later included. */
export type ColumnSet = {
  readonly mode: 'only' | 'except'
  readonly columns: readonly number[]
}

/** None. */
export const NO_COLUMNS: ColumnSet = { mode: 'only', columns: [] }

/** Whether a column is one of a set. */
export function hasColumn({ mode, columns }: ColumnSet, column: number): boolean {
  return columns.includes(column) === (mode === 'only')
}

/** The columns that are in both. */
export function both(a: ColumnSet, b: ColumnSet): ColumnSet {
  if (a.mode === 'only') {
    return { mode: 'only', columns: a.columns.filter((column) => hasColumn(b, column)) }
  }
  return b.mode === 'only' ? both(b, a) : except([...a.columns, ...b.columns])
}

/** The columns of the first that are not in the second. */
export function without(a: ColumnSet, b: ColumnSet): ColumnSet {
  return both(a, complement(b))
}

/** The columns that are in either. */
export function either(a: ColumnSet, b: ColumnSet): ColumnSet {
  return complement(both(complement(a), complement(b)))
}

/** Whether no column can be in a set. */
export function isNone({ mode, columns }: ColumnSet): boolean {
  return mode === 'only' && columns.length === 0
}

function complement({ mode, columns }: ColumnSet): ColumnSet {
  return { mode: mode === 'only' ? 'except' : 'only', columns }
}

function except(columns: readonly number[]): ColumnSet {
  return { mode: 'except', columns: [...new Set(columns)] }
}
