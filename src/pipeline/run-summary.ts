import type { Counts } from '../ports/store.ts'
import type { SnapshotRecord } from '../ports/snapshots.ts'
import type { EngineRun } from './engine-run.ts'

/** What a run of one flow came to, as `run --json` prints it. */
export type RunSummary = Counts & {
  readonly flow: string
  readonly target: string
  readonly seconds: number
  /** System time of the last commit, null if nothing was committed. */
  readonly system_time: string | null
  /** A `once` flow that had run to its end before and was passed by. */
  readonly done: boolean
  /** Violations of each expectation that was violated. */
  readonly violations: Readonly<Record<string, number>>
  readonly warnings: readonly string[]
  /** Of a flow of snapshots, what became of each that the run looked at. */
  readonly snapshots?: readonly SnapshotRecord[]
}

/** Sums a run up. */
export function summaryOf({
  flow,
  passed,
  totals,
  seconds,
  warnings,
  snapshots,
}: EngineRun): RunSummary {
  return {
    flow: flow.name,
    target: flow.target,
    ...totals.counts,
    seconds,
    system_time: totals.systemTime,
    done: passed,
    violations: totals.violations,
    ...(flow.source.kind === 'snapshots' ? { snapshots } : {}),
    warnings,
  }
}
