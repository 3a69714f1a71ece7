import { jsonText } from '../../index.ts'
import type { LifeVersion, TargetInfo, Value } from '../../index.ts'
import { inlineText } from './cell.ts'
import { cut, displayWidth, padRight, visible } from './text.ts'

/** A version to be told in full: its label, its intervals, and the one before it, to mark what changed. */
export type ToldVersion = {
  readonly label: string
  /** Its intervals, on one line if they fit. */
  readonly spans: readonly string[]
  readonly version: LifeVersion
  readonly before: LifeVersion | null
}

/**
 * The rows of a life, a block each: every column, its value, and where that value came from.
 * `▸` marks what differs from the version before.
 *
 *     1  [1, 2)
 *          name  Isabel     feed/a.ndjson:1
 *     2  [2, ∞)
 *        ▸ name  Isabella   feed/a.ndjson:4
 *
 * Values are cut until a line fits `width`.
 */
export function versionLines(
  told: readonly ToldVersion[],
  target: TargetInfo,
  width: number,
): readonly string[] {
  const columns = target.columns.filter((name) => !target.keys.includes(name))
  const names = columns.map(visible)
  const blocks = told.map((each) => ({ ...each, cells: cellsOf(each, columns) }))
  const label = widest(told.map((each) => each.label))
  const name = widest(names)
  const origin = widest(blocks.flatMap(({ cells }) => cells.map((cell) => cell.origin)))
  const room = Math.max(NARROWEST, width - label - name - origin - MARGINS)
  const value = Math.min(room, widest(blocks.flatMap(({ cells }) => cells.map((c) => c.text))))

  return blocks.flatMap(({ label: own, spans, cells }) => [
    ...spanLines(spans, width - label - 2).map((span, i) =>
      `${padRight(i === 0 ? own : '', label)}  ${span}`.trimEnd(),
    ),
    ...cells.map(({ text, origin: from, isChanged }, i) => {
      const mark = isChanged ? '▸' : ' '
      const middle = `${padRight(names[i] ?? '', name)}  ${padRight(cut(text, value), value)}`
      return `${' '.repeat(label + 2)}${mark} ${middle}  ${from}`.trimEnd()
    }),
  ])
}

/** A half-open interval, `[1, 2)`, open ends as ∞. */
export function intervalText(from: Value, to: Value): string {
  return `[${inlineText(from)}, ${to === null ? '∞' : inlineText(to)})`
}

type Cell = { readonly text: string; readonly origin: string; readonly isChanged: boolean }

/** Spaces and the mark on a line of {@link versionLines}. */
const MARGINS = 8
const NARROWEST = 10

function cellsOf({ version, before }: ToldVersion, columns: readonly string[]): readonly Cell[] {
  const writers = new Map(Object.entries(version.writers))
  return columns.map((column) => {
    const value = valueOf(version, column)
    const isChanged = before !== null && jsonText(value) !== jsonText(valueOf(before, column))
    return { text: inlineText(value), origin: visible(writers.get(column) ?? ''), isChanged }
  })
}

function spanLines(spans: readonly string[], width: number): readonly string[] {
  const together = spans.join('  ')
  return displayWidth(together) <= width ? [together] : spans
}

function valueOf({ row }: LifeVersion, column: string): Value {
  return row.values[row.names.indexOf(column)] ?? null
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, displayWidth(text)), 0)
}
