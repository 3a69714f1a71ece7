import type { FlowStatus } from '../../index.ts'
import { alignedLines, figures, words } from './columns.ts'
import { snapshotPhrase } from './snapshots.ts'
import { grouped } from './summary.ts'
import { visible } from './text.ts'

/** Where every flow stands: a block each, its streams below. */
export function statusText(statuses: readonly FlowStatus[], width: number): string {
  return `${statuses.map((each) => block(each, width).join('\n')).join('\n\n')}\n`
}

/** The status as one JSON object on one line, names in snake_case. */
export function statusJson(status: FlowStatus): string {
  const { lastRunAt, lastSystemTime, lastFault, ...rest } = status
  return `${JSON.stringify({
    ...rest,
    last_run_at: lastRunAt,
    last_system_time: lastSystemTime,
    last_fault: lastFault,
  })}\n`
}

/** A glob may match thousands of files; the last ones are those that still grow. */
const MOST_STREAMS = 20

function block(status: FlowStatus, width: number): string[] {
  const { flow, target, counts, tables } = status
  const version = tables.version === null ? '' : `, version ${grouped(tables.version)}`
  const facts: (readonly [string, string])[] = [
    ['target', `${visible(target)}, ${plural(tables.rows, 'row')}${version}`],
    ['last run', lastRun(status)],
    ['system time', status.lastSystemTime ?? 'no commit yet'],
    [
      'records',
      `${grouped(counts.read)} read = ${grouped(counts.accepted)} accepted + ` +
        `${grouped(counts.ignored)} ignored + ${grouped(counts.dropped)} dropped + ` +
        `${grouped(counts.quarantined)} quarantined`,
    ],
    [
      'changes',
      `${grouped(counts.changes)} in ${plural(counts.batches, 'batch', 'batches')}, ` +
        `${grouped(counts.late)} late, ${plural(counts.ties, 'tie')}`,
    ],
    ...(counts.unknown_values === undefined
      ? []
      : [['unknown', `${plural(counts.unknown_values, 'value')} left out by the feed`] as const]),
    ...(status.snapshot === undefined
      ? []
      : [['last one', snapshotPhrase(status.snapshot)] as const]),
    ['horizon', status.horizon ?? 'all history is kept'],
  ]
  return [
    visible(flow),
    ...facts.map(([label, text]) => `  ${label.padEnd(LABEL)}  ${text}`),
    ...(status.unreachable === undefined
      ? []
      : [`  ${'lag'.padEnd(LABEL)}  unknown: ${visible(status.unreachable)}`]),
    ...streams(status, width),
  ]
}

const LABEL = 'system time'.length

function lastRun({ lastRunAt, lastFault, done }: FlowStatus): string {
  if (lastRunAt === null) return 'never'
  if (lastFault === null) return `${lastRunAt}, still going on or killed`
  if (lastFault !== '') return `${lastRunAt}, ended with ${visible(lastFault)}`
  return `${lastRunAt}, well${done ? ', and done (once)' : ''}`
}

function streams({ checkpoints }: FlowStatus, width: number): string[] {
  if (checkpoints.length === 0) return ['  nothing read yet']
  const shown = checkpoints.slice(-MOST_STREAMS)
  const lines = alignedLines(
    [words('stream'), figures('next'), figures('behind')],
    shown.map(({ stream, next, start, behind, unit }) => [
      visible(stream),
      next === null ? `not read yet${start === undefined ? '' : `, from ${start}`}` : String(next),
      behind === null ? 'unknown' : `${grouped(behind)} ${unit}`,
    ]),
    width - 2,
  )
  const rest = checkpoints.length - shown.length
  const more = rest > 0 ? [`… ${grouped(rest)} earlier streams, all with --json`] : []
  return [...lines, ...more].map((line) => `  ${line}`)
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}
