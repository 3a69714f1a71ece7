import type { DiffRow, SnapshotPlan, SnapshotRecord } from '../../index.ts'
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

/** What a snapshot would do: counts, verdicts, samples. */
export function planText({ record, samples }: SnapshotPlan): string {
  const verdicts = Object.entries(record.guards).map(
    ([guard, verdict]) => `  ${verdict.padEnd(10)}  ${guard}`,
  )
  const lines = [
    `${visible(record.flow)}: ${snapshotPhrase(record)}`,
    ...verdicts,
    ...samples.map((row) => `  ${row.change}  ${visible(row.key)}`),
  ]
  return `${lines.join('\n')}\n`
}

/** The same as one JSON object on one line. */
export function planJson({ record, samples }: SnapshotPlan): string {
  const rows = samples.map(({ change, key }: DiffRow) => ({ change, key }))
  return `${snapshotObject(record).slice(0, -1)},"samples":${JSON.stringify(rows)}}\n`
}

function snapshotObject({ version, ...rest }: SnapshotRecord): string {
  const members = JSON.stringify(rest).slice(1)
  return `{"version":${version ?? 'null'},${members}`
}

function counts({ inserted, updated, deleted, unchanged }: SnapshotRecord): string {
  return `${inserted} inserted, ${updated} updated, ${deleted} deleted, ${unchanged} unchanged`
}
