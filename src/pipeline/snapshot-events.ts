import type { SnapshotRecord } from '../ports/snapshots.ts'
import type { Telemetry, TelemetryEvent } from '../ports/telemetry.ts'
import { batchCommitted } from './batch-figures.ts'
import type { SnapshotResult } from './snapshot-run.ts'

/** Tells what became of a snapshot, and of the commit that applied it. */
export function tellSnapshot(telemetry: Telemetry, { record, figures }: SnapshotResult): void {
  if (figures !== null) telemetry.tell(batchCommitted(record.flow, figures, record.seconds))
  telemetry.tell(snapshotEvent(record))
}

function snapshotEvent(record: SnapshotRecord): TelemetryEvent {
  const { flow, name: snapshot, version, outcome, rows, seconds } = record
  const told = { flow, snapshot, version, rows, seconds }
  if (outcome === 'refused') {
    const { code, message } = record
    return { event: 'snapshot_refused', ...told, code, message }
  }
  const { late, inserted, updated, deleted, unchanged } = record
  return { event: 'snapshot_done', ...told, outcome, late, inserted, updated, deleted, unchanged }
}
