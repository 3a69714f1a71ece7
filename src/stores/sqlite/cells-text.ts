import { storedJson } from '../../core/stored-json.ts'
import type { Row } from '../../core/value.ts'
import { ofTypedText, typedText } from './stamp-codec.ts'

/** The cells of a row as JSON text. Equal rows have equal text: null cells at the end are left out. */
export function spellCells(row: Row): string {
  return JSON.stringify(typedCells(row))
}

/** Takes a row back from {@link spellCells}. */
export function readCells(text: string): Row {
  return ofTypedCells(storedJson<TypedCells>(text))
}

/** Cells with their types as text, null for null. */
export type TypedCells = readonly (string | null)[]

/** The cells of a row up to the last one that is not null. */
export function typedCells(row: Row): TypedCells {
  let width = row.length
  while (width > 0 && (row[width - 1] ?? null) === null) width -= 1
  return row.slice(0, width).map(typedText)
}

/** Takes cells back from {@link typedCells}. */
export function ofTypedCells(cells: TypedCells): Row {
  return cells.map((each) => ofTypedText(each ?? undefined))
}
