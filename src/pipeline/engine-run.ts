import type { Clock } from '../ports/clock.ts'
import type { Expressions } from '../ports/expressions.ts'
import type { SnapshotRecord } from '../ports/snapshots.ts'
import type { SnapshotSource, Source } from '../ports/source.ts'
import type { Store } from '../ports/store.ts'
import type { OnNotice } from '../ports/telemetry.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { RunObserver, RunTotals } from './flow-run.ts'

/** What an engine is put together from. */
export type EngineTools = {
  readonly store: Store
  readonly clock: Clock
  readonly expressions: Expressions
  readonly observer?: RunObserver
  /** `onNotice` hears of the source's connection, if it has one. */
  readonly openSource: (flow: FlowSpec, onNotice: OnNotice) => Source
  /** Needed for flows of snapshots only. */
  readonly openSnapshots?: (flow: FlowSpec) => SnapshotSource
}

/** What a run of a flow came to; `passed` is a `once` flow that was done already. */
export type EngineRun = {
  readonly flow: FlowSpec
  readonly passed: boolean
  readonly totals: RunTotals
  readonly seconds: number
  /** What was named and not there, a sentence each. */
  readonly warnings: readonly string[]
  /** Of a flow of snapshots, what became of each. */
  readonly snapshots: readonly SnapshotRecord[]
}
