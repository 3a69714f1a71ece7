import type { Counts } from '../core/counts.ts'
import type { StreamLag } from './source.ts'

/**
 * What a source tells of its connection while it reads. One without a connection, as of files, tells
 * nothing. An outage is told once when it begins and once when it ends, not at every try.
 */
export type SourceNotice =
  | { readonly event: 'source_outage_began'; readonly reason: string }
  | { readonly event: 'source_outage_ended'; readonly seconds: number }
  | { readonly event: 'source_rebalanced'; readonly partitions: number }
  | { readonly event: 'source_topic_missing'; readonly topic: string }
  | {
      readonly event: 'source_partitions_added'
      readonly topic: string
      /** How many are new. */
      readonly partitions: number
    }

/** Where a source's notices go. Never throws. */
export type OnNotice = (notice: SourceNotice) => void

/** How often something happened, by a name out of few: a reason, a code. */
export type Tally = Readonly<Record<string, number>>

/** One commit that read records. */
export type BatchCommitted = Omit<Counts, 'batches' | 'unknown_values'> & {
  readonly event: 'batch_committed'
  readonly flow: string
  /** Of the ignored records, how many for which reason. */
  readonly ignored_by: Tally
  /** Of the quarantined records, how many with which code. */
  readonly quarantined_by: Tally
  /** Values that the feed marked as unavailable and that nothing supplies; 0 where they are not counted. */
  readonly unknown_values: number
  /** Bytes of the records in the source; 0 where it does not count them. */
  readonly bytes: number
  /** What reading, merging and committing took, waiting for the source aside. */
  readonly seconds: number
  readonly system_time: string | null
}

/** What became of a snapshot. */
type SnapshotTold = {
  readonly flow: string
  readonly snapshot: string
  readonly version: string | null
  readonly rows: number
  readonly seconds: number
}

/**
 * Something that happened in a run, as data. No field holds a secret, and but for messages none holds
 * a value of a record.
 */
export type TelemetryEvent =
  | {
      readonly event: 'run_started'
      readonly mode: 'bounded' | 'continuous'
      readonly flows: readonly string[]
    }
  | { readonly event: 'metrics_listening'; readonly host: string; readonly port: number }
  | {
      readonly event: 'flow_started'
      readonly flow: string
      readonly target: string
      /** The kind of the source. */
      readonly source: string
    }
  | (SourceNotice & { readonly flow: string })
  | {
      readonly event: 'source_topics_found'
      readonly flow: string
      /** How many are new. */
      readonly topics: number
    }
  | BatchCommitted
  | ({
      readonly event: 'snapshot_done'
      readonly outcome: 'applied' | 'replayed' | 'skipped'
      readonly late: boolean
      readonly inserted: number
      readonly updated: number
      readonly deleted: number
      readonly unchanged: number
    } & SnapshotTold)
  | ({
      readonly event: 'snapshot_refused'
      readonly code: string | null
      readonly message: string | null
    } & SnapshotTold)
  | { readonly event: 'warning'; readonly flow: string; readonly message: string }
  | (Counts & {
      readonly event: 'flow_ended'
      readonly flow: string
      readonly seconds: number
      readonly system_time: string | null
    })
  | {
      readonly event: 'flow_failed'
      readonly flow: string
      readonly code: string
      readonly message: string
    }
  | { readonly event: 'stopping'; readonly signal: string }
  | { readonly event: 'run_ended'; readonly seconds: number }
  | {
      readonly event: 'run_failed'
      readonly code: string
      readonly message: string
      readonly seconds: number
    }

/** The name of an event. */
export type EventName = TelemetryEvent['event']

/** How much an event matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/**
 * Watches a run from outside: logs, figures, health.
 *
 * The implementer must: never throw, never wait, never change what a run does. The caller must:
 * tell what happened after it happened, a commit after the transaction.
 */
export interface Telemetry {
  tell(event: TelemetryEvent): void

  /** Asks from time to time how far a flow is behind, until the result is disposed of. `lag` may reject. */
  watch(flow: string, lag: () => Promise<readonly StreamLag[]>): Disposable

  /** Seconds of a clock that never steps back, to measure how long something took. */
  seconds(): number
}
