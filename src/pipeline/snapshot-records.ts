import { jsonText } from '../core/display.ts'
import type { FaultCode } from '../core/errors.ts'
import { timestampFromMicros } from '../core/temporal.ts'
import type { SnapshotRecord, Verdict } from '../ports/snapshots.ts'
import type { DiffCounts } from './snapshot-diff.ts'
import type { GuardRefusal } from './snapshot-guards.ts'
import type { SnapshotTask } from './snapshot-task.ts'

/** What became of a snapshot; what is not given counts as nothing. */
export type Outcome = {
  readonly outcome: SnapshotRecord['outcome']
  readonly counts?: DiffCounts
  readonly verdicts?: Readonly<Record<string, Verdict>>
  readonly late?: boolean
  readonly rows?: number
}

/** Writes the record of one snapshot, whatever becomes of it. */
export class SnapshotRecords {
  private readonly task: SnapshotTask
  private readonly started: bigint

  constructor(task: SnapshotTask) {
    this.task = task
    this.started = task.tools.clock.micros()
  }

  refused(code: FaultCode, message: string, rows = 0): SnapshotRecord {
    return this.ofRefusal({ code, message }, { [code]: 'refused' }, { rows, late: false })
  }

  /** A refusal by a guard; of a late snapshot that the flow skips it is none. */
  ofRefusal(
    { code, message }: GuardRefusal,
    verdicts: Readonly<Record<string, Verdict>>,
    { rows, late }: { rows: number; late: boolean },
  ): SnapshotRecord {
    const { out_of_order } = this.task.source.guards
    const isSkipped = code === 'OUT_OF_ORDER_SNAPSHOT' && out_of_order === 'skip'
    const outcome = isSkipped ? 'skipped' : 'refused'
    return { ...this.record({ outcome, verdicts, rows, late }), code, message }
  }

  record({ outcome, counts, verdicts = {}, late = false, rows = 0 }: Outcome): SnapshotRecord {
    const { flow, offer, version, tools } = this.task
    const now = tools.clock.micros()
    return {
      flow: flow.name,
      target: flow.target,
      name: offer.name,
      version: version === null ? null : jsonText(version),
      outcome,
      code: null,
      message: null,
      late,
      rows,
      inserted: counts?.inserted ?? 0,
      updated: counts?.updated ?? 0,
      deleted: counts?.deleted ?? 0,
      unchanged: counts?.unchanged ?? 0,
      guards: verdicts,
      seconds: Number(now - this.started) / 1e6,
      at: timestampFromMicros(now).text,
    }
  }
}
