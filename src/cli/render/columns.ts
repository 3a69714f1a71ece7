import { cut, displayWidth, padLeft, padRight } from './text.ts'

/** A column of aligned text: its heading, where its cells stand, and whether they may be cut to save width. */
export type TextColumn = {
  readonly heading: string
  readonly align: 'left' | 'right'
  readonly isCut: boolean
}

/** A column of words, cut where width is short. */
export function words(heading: string): TextColumn {
  return { heading, align: 'left', isCut: true }
}

/** A column of words that are never cut. */
export function terms(heading: string): TextColumn {
  return { heading, align: 'left', isCut: false }
}

/** A column of figures, their ends under each other. */
export function figures(heading: string): TextColumn {
  return { heading, align: 'right', isCut: false }
}

/**
 * Lines of aligned text, two spaces between columns, nothing but spaces as ruling.
 *
 *     flow       read  accepted
 *     customers    10         9
 *
 * Columns of words are cut, the widest first, until a line fits `width`; Infinity cuts nothing.
 */
export function alignedLines(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const table = [columns.map(({ heading }) => heading), ...rows]
  const natural = columns.map((_, i) =>
    table.reduce((most, row) => Math.max(most, displayWidth(row[i] ?? '')), 0),
  )
  const shrinkable = columns.map(({ isCut }) => isCut)
  const widths = fit(natural, shrinkable, width - GAP * (columns.length - 1))
  return table.map((row) =>
    columns
      .map(({ align }, i) => place(row[i] ?? '', widths[i] ?? 0, align))
      .join(' '.repeat(GAP))
      .trimEnd(),
  )
}

/** Widths whose sum is at most `total`, taken from the widest shrinkable ones first; none below six. */
export function fit(
  natural: readonly number[],
  shrinkable: readonly boolean[],
  total: number,
): readonly number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, each) => sum + each, 0) - total
  while (excess > 0) {
    const widest = widestOf(widths, shrinkable)
    if (widest === -1) break
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
  return widths
}

const GAP = 2
const NARROWEST = 6

function widestOf(widths: readonly number[], shrinkable: readonly boolean[]): number {
  let best = -1
  for (const [i, each] of widths.entries()) {
    if (shrinkable[i] === true && each > (best === -1 ? NARROWEST : (widths[best] ?? 0))) best = i
  }
  return best
}

function place(text: string, width: number, align: TextColumn['align']): string {
  const short = cut(text, width)
  return align === 'right' ? padLeft(short, width) : padRight(short, width)
}
