import type { Clock } from '../ports/clock.ts'
import type { Expressions } from '../ports/expressions.ts'
import type { SnapshotRecord } from '../ports/snapshots.ts'
import type { SnapshotSource, Source } from '../ports/source.ts'
import type { Store } from '../ports/store.ts'
import type { OnNotice, Telemetry } from '../ports/telemetry.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { RunObserver, RunTotals } from './flow-tools.ts'

/** What an engine is put together from. */
export type EngineTools = {
  readonly store: Store
  readonly clock: Clock
  readonly expressions: Expressions
  readonly observer?: RunObserver
  /** How many bytes a run may gather before it commits; a good number of megabytes unless given. */
  readonly gatherBytes?: number
  /** `onNotice` hears of the source's connection, if it has one. */
  readonly openSource: (flow: FlowSpec, onNotice: OnNotice) => Source
  /** Told of flows that a bounded run comes to one after the other, so that their sources may look together. */
  readonly expect?: (flows: readonly FlowSpec[]) => void
  /**
   * The topics that a flow's pattern finds, group after group as they come to be; needed for flows whose
   * targets they complete.
   */
  readonly findTopics?: (flow: FlowSpec, watch: TopicWatch) => AsyncIterable<readonly string[]>
  /** Needed for flows of snapshots only. */
  readonly openSnapshots?: (flow: FlowSpec) => SnapshotSource
}

/** Until when topics are looked for, and who hears of the source's connection. */
export type TopicWatch = {
  readonly mode: 'bounded' | 'continuous'
  readonly signal: AbortSignal
  readonly onNotice: OnNotice
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

/** How to run flows. */
export type EngineRunOptions = {
  readonly flows: readonly FlowSpec[]
  /** Of what these flows become only those of these names, or of flows that are called so; all unless given. */
  readonly only?: ReadonlySet<string>
  readonly mode: 'bounded' | 'continuous'
  readonly signal: AbortSignal
  readonly fromNow: boolean
  /** Guards of snapshots that are lifted for this run. */
  readonly force?: ReadonlySet<string>
  readonly onBatch: (flow: FlowSpec, totals: RunTotals) => void
  /** Told of each flow that ended well, also where another one does not. */
  readonly onEnded?: (run: EngineRun) => void
  /** Hears of everything that happens; nobody unless given. */
  readonly telemetry?: Telemetry
}
