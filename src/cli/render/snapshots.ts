import { jsonText } from '../../index.ts'
import type { PlannedRow, SnapshotPlan, SnapshotRecord } from '../../index.ts'
import { inlineText } from './cell.ts'
import { arrayText, objectText } from './json.ts'
import { visible } from './text.ts'

/** What became of a snapshot, as part of a line. */
export function snapshotPhrase(record: SnapshotRecord): string {
  const version = `snapshot ${visible(record.version ?? 'without version')}`
  switch (record.outcome) {
    case 'applied':
      return `${version}${record.late ? ' (late)' : ''}: ${counts(record)}`
    case 'replayed':
      return `${version}: applied before`
    case 'skipped':
    case 'refused':
      return `${version}: ${record.outcome}, ${visible(record.code ?? '')}: ${visible(record.message ?? '')}`
  }
}

/** A snapshot of the record as a line: when, flow, and what became of it. */
export function snapshotLine(record: SnapshotRecord): string {
  return `${record.at}  ${visible(record.flow)}  ${snapshotPhrase(record)}\n`
}

/** A snapshot of the record as one JSON object on one line; its version as JSON has it. */
export function snapshotJson(record: SnapshotRecord): string {
  return `${snapshotObject(record)}\n`
}

/** What a snapshot would do: counts, verdicts, columns by how often they change, some of the rows. */
export function planText({ record, columns, samples }: SnapshotPlan): string {
  const verdicts = Object.entries(record.guards).map(
    ([guard, verdict]) => `  ${verdict.padEnd(10)}  ${guard}`,
  )
  const changed = columns.map(
    ({ name, changed: times }) => `  ${visible(name)} would change in ${rowsOf(times)}`,
  )
  const isRefused = record.outcome === 'refused' && Object.keys(record.guards).length > 1
  const otherwise = isRefused ? [`  without that: ${counts(record)}`] : []
  const lines = [
    `${visible(record.flow)}: ${snapshotPhrase(record)}`,
    ...otherwise,
    ...verdicts,
    ...changed,
    ...samples.map(sampleLine),
  ]
  return `${lines.join('\n')}\n`
}

/** The same as one JSON object on one line. */
export function planJson({ record, columns, samples }: SnapshotPlan): string {
  const rows = samples.map(({ change, key, values }) =>
    objectText({
      change: JSON.stringify(change),
      key: arrayText(key.map(jsonText)),
      values: arrayText(
        values.map(({ column, before, after }) =>
          objectText({
            column: JSON.stringify(column),
            before: jsonText(before),
            after: jsonText(after),
          }),
        ),
      ),
    }),
  )
  const more = `"columns":${JSON.stringify(columns)},"samples":${arrayText(rows)}`
  return `${snapshotObject(record).slice(0, -1)},${more}}\n`
}

/** `update  42: city Riga → Oslo`; of an insertion or deletion the values alone. */
function sampleLine({ change, key, values }: PlannedRow): string {
  const cells = values.map(({ column, before, after }) => {
    const told = {
      insert: inlineText(after),
      delete: inlineText(before),
      update: `${inlineText(before)} → ${inlineText(after)}`,
    }
    return `${visible(column)} ${told[change]}`
  })
  const rest = cells.length === 0 ? '' : `: ${cells.join(', ')}`
  return `  ${change}  ${key.map(inlineText).join(', ')}${rest}`
}

function rowsOf(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`
}

function snapshotObject({ version, ...rest }: SnapshotRecord): string {
  const members = JSON.stringify(rest).slice(1)
  return `{"version":${version ?? 'null'},${members}`
}

function counts({ inserted, updated, deleted, unchanged }: SnapshotRecord): string {
  return `${inserted} inserted, ${updated} updated, ${deleted} deleted, ${unchanged} unchanged`
}
