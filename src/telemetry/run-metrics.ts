import { cpuUsage, memoryUsage, uptime } from 'node:process'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { StreamLag } from '../ports/source.ts'
import type { BatchCommitted, TelemetryEvent } from '../ports/telemetry.ts'
import { FewNames } from './few-names.ts'
import { METRICS } from './metrics.ts'
import type { MetricName } from './metrics.ts'
import type { ReadinessReport } from './readiness.ts'

/** The figures of a run in the form of Prometheus, one for each line of {@link METRICS}. */
export class RunMetrics {
  readonly #registry = new Registry()
  readonly #reasons = new FewNames(MAX_REASONS)
  readonly #lag = new Map<string, readonly StreamLag[]>()

  readonly #info = this.#gauge('tidemark_flow_info')
  readonly #read = this.#counter('tidemark_records_read_total')
  readonly #accepted = this.#counter('tidemark_records_accepted_total')
  readonly #ignored = this.#counter('tidemark_records_ignored_total')
  readonly #dropped = this.#counter('tidemark_records_dropped_total')
  readonly #quarantined = this.#counter('tidemark_records_quarantined_total')
  readonly #warned = this.#counter('tidemark_records_warned_total')
  readonly #bytes = this.#counter('tidemark_read_bytes_total')
  readonly #changes = this.#counter('tidemark_changes_total')
  readonly #late = this.#counter('tidemark_late_changes_total')
  readonly #ties = this.#counter('tidemark_sequence_ties_total')
  readonly #unknown = this.#counter('tidemark_unknown_values_total')
  readonly #batches = this.#counter('tidemark_batches_total')
  readonly #snapshots = this.#counter('tidemark_snapshots_total')
  readonly #warnings = this.#counter('tidemark_warnings_total')
  readonly #outages = this.#counter('tidemark_source_outages_total')
  readonly #lagUp = this.#gauge('tidemark_lag_up')
  readonly #lastCommit = this.#gauge('tidemark_last_commit_timestamp_seconds')
  readonly #commitSeconds = this.#histogram('tidemark_commit_seconds', COMMIT_SECONDS)
  readonly #batchRecords = this.#histogram('tidemark_batch_records', BATCH_RECORDS)

  /** `readiness` is asked at each scrape. */
  constructor(readiness: () => ReadinessReport) {
    this.#gauge('tidemark_flow_up', (gauge) => {
      for (const { flow, state } of readiness().flows) {
        gauge.set({ flow }, state === 'connected' ? 1 : 0)
      }
    })
    this.#gauge('tidemark_lag_records', (gauge) => {
      this.#showRecordLag(gauge)
    })
    this.#gauge('tidemark_lag_bytes', (gauge) => {
      this.#showByteLag(gauge)
    })
    this.#aboutProcess()
  }

  /** Counts what happened. */
  note(event: TelemetryEvent): void {
    switch (event.event) {
      case 'flow_started':
        this.#start(event)
        return
      case 'batch_committed':
        this.#committed(event)
        return
      case 'snapshot_done':
        this.#snapshots.inc({ flow: event.flow, outcome: event.outcome })
        return
      case 'snapshot_refused':
        this.#snapshots.inc({ flow: event.flow, outcome: 'refused' })
        return
      case 'warning':
        this.#warnings.inc({ flow: event.flow })
        return
      case 'source_outage_began':
        this.#outages.inc({ flow: event.flow })
        return
      default:
    }
  }

  /** Notes how far a flow is behind; null: that could not be had, and the last sample stays. */
  sampled(flow: string, lag: readonly StreamLag[] | null): void {
    this.#lagUp.set({ flow }, lag === null ? 0 : 1)
    if (lag !== null) this.#lag.set(flow, lag)
  }

  /** Shows no lag of a flow any more. */
  forgetLag(flow: string): void {
    this.#lag.delete(flow)
    this.#lagUp.remove({ flow })
  }

  /** All figures as text, and what kind of text it is. */
  async text(): Promise<{ readonly body: string; readonly contentType: string }> {
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType }
  }

  /** From its start a flow has all its figures, so that the first of them is seen as an increase. */
  #start({ flow, target, source }: Extract<TelemetryEvent, { event: 'flow_started' }>): void {
    this.#info.set({ flow, target, source }, 1)
    for (const counter of this.#plainCounters()) counter.inc({ flow }, 0)
    this.#commitSeconds.zero({ flow })
    this.#batchRecords.zero({ flow })
  }

  #plainCounters(): readonly Counter[] {
    return [
      this.#read,
      this.#accepted,
      this.#dropped,
      this.#warned,
      this.#bytes,
      this.#changes,
      this.#late,
      this.#ties,
      this.#unknown,
      this.#batches,
      this.#warnings,
      this.#outages,
    ]
  }

  #committed(batch: BatchCommitted): void {
    const { flow } = batch
    this.#read.inc({ flow }, batch.read)
    this.#accepted.inc({ flow }, batch.accepted)
    this.#dropped.inc({ flow }, batch.dropped)
    this.#warned.inc({ flow }, batch.warned)
    this.#bytes.inc({ flow }, batch.bytes)
    this.#changes.inc({ flow }, batch.changes)
    this.#late.inc({ flow }, batch.late)
    this.#ties.inc({ flow }, batch.ties)
    this.#unknown.inc({ flow }, batch.unknown_values)
    this.#batches.inc({ flow })
    for (const [reason, count] of Object.entries(batch.ignored_by)) {
      this.#ignored.inc({ flow, reason: this.#reasons.nameFor(flow, reason) }, count)
    }
    for (const [code, count] of Object.entries(batch.quarantined_by)) {
      this.#quarantined.inc({ flow, code }, count)
    }
    this.#lastCommit.set({ flow }, Date.now() / 1000)
    this.#commitSeconds.observe({ flow }, batch.seconds)
    this.#batchRecords.observe({ flow }, batch.read)
  }

  #showRecordLag(gauge: Gauge): void {
    gauge.reset()
    for (const [flow, lag] of this.#lag) {
      for (const { name, partition, behind, unit } of lag) {
        if (unit === 'records') gauge.set({ flow, topic: name, partition }, behind)
      }
    }
  }

  /** Files can be many: their lag is one figure. */
  #showByteLag(gauge: Gauge): void {
    gauge.reset()
    for (const [flow, lag] of this.#lag) {
      const bytes = lag.filter(({ unit }) => unit === 'bytes')
      if (bytes.length === 0 && lag.length > 0) continue
      gauge.set(
        { flow },
        bytes.reduce((sum, { behind }) => sum + behind, 0),
      )
    }
  }

  #aboutProcess(): void {
    this.#gauge('process_start_time_seconds').set(Math.round(Date.now() / 1000 - uptime()))
    this.#gauge('process_resident_memory_bytes', (gauge) => {
      gauge.set(memoryUsage.rss())
    })
    this.#gauge('nodejs_heap_size_used_bytes', (gauge) => {
      gauge.set(memoryUsage().heapUsed)
    })
    this.#counter('process_cpu_seconds_total', (counter) => {
      const { user, system } = cpuUsage()
      counter.reset()
      counter.inc((user + system) / 1e6)
    })
  }

  #counter(name: MetricName<'counter'>, collect?: (counter: Counter) => void): Counter {
    return new Counter({ ...this.#described(name), ...collecting(collect) })
  }

  #gauge(name: MetricName<'gauge'>, collect?: (gauge: Gauge) => void): Gauge {
    return new Gauge({ ...this.#described(name), ...collecting(collect) })
  }

  #histogram(name: MetricName<'histogram'>, buckets: readonly number[]): Histogram {
    return new Histogram({ ...this.#described(name), buckets: [...buckets] })
  }

  #described(name: MetricName) {
    const { meaning, labels } = METRICS[name]
    return { name, help: meaning, labelNames: [...labels], registers: [this.#registry] }
  }
}

/** A metric that finds out its value when it is read, in the form that the library wants. */
function collecting<T>(collect: ((metric: T) => void) | undefined) {
  if (collect === undefined) return {}
  return {
    collect(this: T): void {
      collect(this)
    },
  }
}

/** So many reasons of a flow have a figure of their own. */
const MAX_REASONS = 20
const COMMIT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const BATCH_RECORDS = [1, 10, 100, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000]
