/** What there is to know about a metric. */
export type MetricEntry = {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly unit: string
  readonly labels: readonly string[]
  readonly meaning: string
}

/**
 * Every metric of the endpoint. Names are public and never reused; spec/telemetry.md lists them too.
 * Counters count from the start of the run.
 */
export const METRICS = {
  tidemark_flow_info: {
    kind: 'gauge',
    unit: 'none',
    labels: ['flow', 'target', 'source'],
    meaning: 'always 1; says what the flow writes and what kind of source it reads',
  },
  tidemark_flow_up: {
    kind: 'gauge',
    unit: 'none',
    labels: ['flow'],
    meaning: '1 while the flow reads a source that is connected, else 0',
  },
  tidemark_records_read_total: {
    kind: 'counter',
    unit: 'records',
    labels: ['flow'],
    meaning: 'records read and committed; accepted, ignored, dropped and quarantined ones together',
  },
  tidemark_records_accepted_total: {
    kind: 'counter',
    unit: 'records',
    labels: ['flow'],
    meaning: 'records that became changes',
  },
  tidemark_records_ignored_total: {
    kind: 'counter',
    unit: 'records',
    labels: ['flow', 'reason'],
    meaning: 'records that are no changes of the target, by reason; reasons beyond 20 are `other`',
  },
  tidemark_records_dropped_total: {
    kind: 'counter',
    unit: 'records',
    labels: ['flow'],
    meaning: 'records that violated an expectation with `on_violation: drop`',
  },
  tidemark_records_quarantined_total: {
    kind: 'counter',
    unit: 'records',
    labels: ['flow', 'code'],
    meaning: 'records that were refused and set aside, by code',
  },
  tidemark_records_warned_total: {
    kind: 'counter',
    unit: 'records',
    labels: ['flow'],
    meaning: 'accepted records that violated an expectation with `on_violation: warn`',
  },
  tidemark_read_bytes_total: {
    kind: 'counter',
    unit: 'bytes',
    labels: ['flow'],
    meaning: 'bytes of the records read, where the source counts them',
  },
  tidemark_changes_total: {
    kind: 'counter',
    unit: 'changes',
    labels: ['flow'],
    meaning: 'changes that accepted records made',
  },
  tidemark_late_changes_total: {
    kind: 'counter',
    unit: 'changes',
    labels: ['flow'],
    meaning: 'changes that came after a later one of their key',
  },
  tidemark_sequence_ties_total: {
    kind: 'counter',
    unit: 'changes',
    labels: ['flow'],
    meaning: 'changes at the sequence of another one of their key',
  },
  tidemark_unknown_values_total: {
    kind: 'counter',
    unit: 'values',
    labels: ['flow'],
    meaning: 'values that the feed left out and that nothing stored could fill in',
  },
  tidemark_batches_total: {
    kind: 'counter',
    unit: 'batches',
    labels: ['flow'],
    meaning: 'commits that read records',
  },
  tidemark_snapshots_total: {
    kind: 'counter',
    unit: 'snapshots',
    labels: ['flow', 'outcome'],
    meaning: 'snapshots looked at, by outcome: `applied`, `replayed`, `skipped`, `refused`',
  },
  tidemark_warnings_total: {
    kind: 'counter',
    unit: 'warnings',
    labels: ['flow'],
    meaning: 'warnings told',
  },
  tidemark_source_outages_total: {
    kind: 'counter',
    unit: 'outages',
    labels: ['flow'],
    meaning: 'outages of the source that began',
  },
  tidemark_lag_records: {
    kind: 'gauge',
    unit: 'records',
    labels: ['flow', 'topic', 'partition'],
    meaning: 'records of the partition still to be read, as last sampled; while the flow runs',
  },
  tidemark_lag_bytes: {
    kind: 'gauge',
    unit: 'bytes',
    labels: ['flow'],
    meaning: 'bytes of files still to be read, as last sampled; while the flow runs',
  },
  tidemark_lag_up: {
    kind: 'gauge',
    unit: 'none',
    labels: ['flow'],
    meaning: '1 if the last sample of the lag could be had, else 0',
  },
  tidemark_last_commit_timestamp_seconds: {
    kind: 'gauge',
    unit: 'seconds since 1970',
    labels: ['flow'],
    meaning: 'when the flow last committed a batch, by the clock of the machine',
  },
  tidemark_commit_seconds: {
    kind: 'histogram',
    unit: 'seconds',
    labels: ['flow'],
    meaning: 'what reading, merging and committing a batch took, waiting for the source aside',
  },
  tidemark_batch_records: {
    kind: 'histogram',
    unit: 'records',
    labels: ['flow'],
    meaning: 'records of a batch',
  },
  process_start_time_seconds: {
    kind: 'gauge',
    unit: 'seconds since 1970',
    labels: [],
    meaning: 'when the process started',
  },
  process_cpu_seconds_total: {
    kind: 'counter',
    unit: 'seconds',
    labels: [],
    meaning: 'processor time that the process used',
  },
  process_resident_memory_bytes: {
    kind: 'gauge',
    unit: 'bytes',
    labels: [],
    meaning: 'memory of the process',
  },
  nodejs_heap_size_used_bytes: {
    kind: 'gauge',
    unit: 'bytes',
    labels: [],
    meaning: 'memory that JavaScript values take',
  },
} as const satisfies Record<string, MetricEntry>

/** The name of a metric of a kind. */
export type MetricName<Kind extends MetricEntry['kind'] = MetricEntry['kind']> = {
  [N in keyof typeof METRICS]: (typeof METRICS)[N]['kind'] extends Kind ? N : never
}[keyof typeof METRICS]
