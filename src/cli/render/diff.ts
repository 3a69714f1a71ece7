import { jsonText } from '../../index.ts'
import type { FileChange, FileDiffSummary, FilesDiff, Value } from '../../index.ts'
import { alignedLines, figures, terms, words } from './columns.ts'
import { rowWriter } from './json.ts'
import { grouped } from './summary.ts'
import { visible } from './text.ts'

/** What differs, in figures: a line each, and below, if asked for, a line per column. */
export function diffText(summary: FileDiffSummary, withColumns: boolean, width: number): string {
  const { rows, repeated, inserted, changed, deleted, unchanged } = summary
  const figuresOf: readonly (readonly [string, number])[] = [
    ['old', rows.old],
    ['new', rows.new],
    ['inserted', inserted],
    ['changed', changed],
    ['deleted', deleted],
    ['unchanged', unchanged],
  ]
  const table = alignedLines(
    [terms(''), figures('rows')],
    figuresOf.map(([name, count]) => [name, grouped(count)]),
    width,
  )
  return `${[...table, ...repetitions(repeated), ...(withColumns ? ['', ...columnLines(summary, width)] : [])].join('\n')}\n`
}

/** The same as one JSON object on one line. */
export function diffJson(summary: FileDiffSummary, withColumns: boolean): string {
  const { columns, ...rest } = summary
  return `${JSON.stringify(withColumns ? { ...rest, columns } : rest)}\n`
}

/** Members that every line of a change feed has besides its row, and the name of its operation. */
export type FeedExtras = {
  readonly op: string
  readonly members: readonly (readonly [name: string, value: Value])[]
}

/** Spells changes as lines of a change feed: the new row, or the key of one that is gone, and what was done. */
export function feedWriter(
  { keys, columns }: Pick<FilesDiff, 'keys' | 'columns'>,
  { op, members }: FeedExtras,
): (change: FileChange) => string {
  const row = rowWriter([...keys, ...columns])
  const key = rowWriter(keys)
  const more = members.map(([name, value]) => `,${JSON.stringify(name)}:${jsonText(value)}`)
  return ({ op: done, key: parts, after }) => {
    const text = after === null ? key(parts) : row([...parts, ...after])
    const word = JSON.stringify(done.toUpperCase())
    return `${text.slice(0, -1)},${JSON.stringify(op)}:${word}${more.join('')}}\n`
  }
}

function repetitions({ old, new: other }: FileDiffSummary['repeated']): string[] {
  if (old + other === 0) return []
  return [`repeated rows, counted once: ${grouped(old)} old, ${grouped(other)} new`]
}

function columnLines({ columns }: FileDiffSummary, width: number): string[] {
  const heads = [words('column'), terms('in'), figures('changed')]
  const lines = columns.map(({ name, within, changed }) => [
    visible(name),
    within,
    grouped(changed),
  ])
  return alignedLines(heads, lines, width)
}
