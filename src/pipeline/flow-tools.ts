import type { Clock } from '../ports/clock.ts'
import type { Expressions } from '../ports/expressions.ts'
import type { SourceRecord } from '../ports/source.ts'
import type { Counts, Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { RecordOutcome } from './batch-reading.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { OpenGatherings } from './open-gatherings.ts'
import type { UnknownValue } from './unknown-values.ts'

/** What a flow needs to run. */
export type FlowTools = {
  readonly store: Store
  readonly clock: Clock
  readonly expressions: Expressions
  readonly observer?: RunObserver
  /** How many bytes may be gathered for a commit, where there is no reason to commit sooner. */
  readonly gatherBytes?: number
}

/** What a flow of changes needs beside. */
export type FeedTools = FlowTools & { readonly gatherings: OpenGatherings }

/** Told what a run finds out and the store does not keep. */
export type RunObserver = {
  /** What became of a record. A batch that fails is told of too. */
  readonly onOutcome?: (flow: FlowSpec, record: SourceRecord, outcome: RecordOutcome) => void
  readonly onUnknown?: (flow: FlowSpec, values: readonly UnknownValue[]) => void
}

/** Until when a flow runs, and who hears of it. */
export type RunWatch = {
  readonly mode: 'bounded' | 'continuous'
  readonly signal: AbortSignal
  readonly telemetry: Telemetry
  readonly onBatch: (totals: RunTotals) => void
}

/** What one run of a flow has done so far. */
export type RunTotals = {
  readonly counts: Counts
  readonly violations: Readonly<Record<string, number>>
  readonly systemTime: string | null
}
