import type { RunSummary } from '../../index.ts'
import { alignedLines, figures, terms } from './columns.ts'
import type { TextColumn } from './columns.ts'
import { snapshotPhrase } from './snapshots.ts'
import { displayWidth, visible } from './text.ts'

const COUNTS = [
  'read',
  'accepted',
  'ignored',
  'dropped',
  'quarantined',
  'changes',
  'late',
  'ties',
  'batches',
] as const

/**
 * What became of the records, a line per flow, and below it what a reader should not miss.
 * Where the line does not fit `width`, a line per figure instead. `file` is the flow file, for commands to go on with.
 */
export function summaryText(summaries: readonly RunSummary[], width: number, file: string): string {
  const rows = summaries.map((summary) => [
    visible(summary.flow),
    ...COUNTS.map((name) => String(summary[name])),
    seconds(summary.seconds),
  ])
  const across = alignedLines(HEADINGS, rows, Infinity)
  const fits = across.every((line) => displayWidth(line) <= width)
  const lines = fits ? across : rows.flatMap(downwards)
  return `${[...lines, ...summaries.flatMap((summary) => remarks(summary, file))].join('\n')}\n`
}

/** The summary as one JSON object on one line. */
export function summaryJson(summary: RunSummary): string {
  return `${JSON.stringify(summary)}\n`
}

/** A count in running text, its digits in groups: `1,234,567`. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',')
}

const HEADINGS: readonly TextColumn[] = [terms('flow'), ...COUNTS.map(figures), figures('seconds')]

function downwards(row: readonly string[]): string[] {
  const label = Math.max(...HEADINGS.map(({ heading }) => heading.length))
  return HEADINGS.map(({ heading }, i) => `${heading.padEnd(label)}  ${row[i] ?? ''}`)
}

function remarks(summary: RunSummary, file: string): string[] {
  const flow = visible(summary.flow)
  const violations = Object.entries(summary.violations)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${flow}: expectation ${visible(name)} violated by ${records(count)}`)
  const passedBy = summary.done ? [`${flow}: passed by, a once flow that is done`] : []
  const snapshots = (summary.snapshots ?? []).map((each) => `${flow}: ${snapshotPhrase(each)}`)
  return [...snapshots, ...violations, ...unknown(summary), ...aside(summary, file), ...passedBy]
}

function unknown({ flow, unknown_values: count = 0 }: RunSummary): string[] {
  if (count === 0) return []
  const what = count === 1 ? '1 value' : `${grouped(count)} values`
  return [`${visible(flow)}: ${what} left out by the feed that nothing before supplies, null now`]
}

/** Dropped records are set aside as well. */
function aside({ flow, quarantined, dropped }: RunSummary, file: string): string[] {
  const count = quarantined + dropped
  if (count === 0) return []
  const look = `tidemark quarantine list ${word(file)} --flow ${word(flow)}`
  return [`${visible(flow)}: ${records(count)} set aside; see ${look}`]
}

/** A word of a command as a shell reads it. */
function word(text: string): string {
  const safe = visible(text)
  return /^[\w./@%+,:=-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`
}

function records(count: number): string {
  return count === 1 ? '1 record' : `${grouped(count)} records`
}

function seconds(value: number): string {
  return value.toFixed(value < 10 ? 2 : 1)
}
