import type { OutputRow, TargetInfo, Value } from '../../index.ts'
import { cellText, isNumber } from './cell.ts'
import { fit } from './columns.ts'
import { cut, displayWidth, padLeft, padRight, visible } from './text.ts'

/** How a table is to look: cut to a width or not, nulls dimmed or not. */
export type TableLook = { readonly width: number; readonly dim: boolean }

/** Columns of a target as its rows show them: its own, then those of the system. */
export function columnsOf(target: TargetInfo): readonly string[] {
  return [...target.columns, ...target.systemColumns]
}

/**
 * Rows as a ruled table: numbers to the right, nulls as ∅, dimmed where the look says so; on a
 * terminal the widest cells are cut with … until the table fits. Linear in the cells.
 */
export function rowsTable(
  names: readonly string[],
  rows: readonly OutputRow[],
  look: TableLook,
): string {
  const headings = names.map(visible)
  const cells = rows.map(({ values }) => names.map((_, i) => cellText(values[i] ?? null)))
  const natural = headings.map((heading, i) =>
    cells.reduce((most, row) => Math.max(most, displayWidth(row[i] ?? '')), displayWidth(heading)),
  )
  const everywhere = names.map(() => true)
  const widths = fit(natural, everywhere, look.width - names.length * FRAME - 1)

  const head = headings.map((heading, i) => place(heading, widths[i] ?? 0, '', look))
  const body = cells.map((row, at) => {
    const values = rows[at]?.values ?? []
    return line(row.map((text, i) => place(text, widths[i] ?? 0, values[i] ?? null, look)))
  })
  return `${[
    rule('┌', '┬', '┐', widths),
    line(head),
    ...(body.length === 0 ? [] : [rule('├', '┼', '┤', widths)]),
    ...body,
    rule('└', '┴', '┘', widths),
  ].join('\n')}\n`
}

/** A border and a space to each side of a cell. */
const FRAME = 3

function rule(left: string, middle: string, right: string, widths: readonly number[]): string {
  return left + widths.map((width) => '─'.repeat(width + 2)).join(middle) + right
}

function line(cells: readonly string[]): string {
  return `│ ${cells.join(' │ ')} │`
}

function place(text: string, width: number, value: Value, look: TableLook): string {
  const short = cut(text, width)
  if (isNumber(value)) return padLeft(short, width)
  const padded = padRight(short, width)
  return value === null && look.dim
    ? `\u001b[2m${short}\u001b[22m${padded.slice(short.length)}`
    : padded
}
