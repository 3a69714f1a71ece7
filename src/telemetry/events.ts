import type { EventName, LogLevel, TelemetryEvent } from '../ports/telemetry.ts'

/** What there is to know about an event: how much it matters, its fields in order, when it is told. */
export type EventEntry<N extends EventName> = {
  readonly level: LogLevel
  /** Only these are logged, in this order. */
  readonly fields: readonly FieldOf<N>[]
  readonly meaning: string
}

/** The fields of an event, without its name. */
type FieldOf<N extends EventName> = Exclude<keyof Extract<TelemetryEvent, { event: N }>, 'event'>

/** Every event of the log. Names are public and never reused; spec/telemetry.md lists them too. */
export const EVENTS: { readonly [N in EventName]: EventEntry<N> } = {
  run_started: {
    level: 'info',
    fields: ['mode', 'flows'],
    meaning: 'a run begins with these flows',
  },
  metrics_listening: {
    level: 'info',
    fields: ['host', 'port'],
    meaning: 'the endpoint of `--metrics` answers at this address',
  },
  flow_started: {
    level: 'info',
    fields: ['flow', 'target', 'source'],
    meaning: 'a flow begins to read a source of this kind',
  },
  source_outage_began: {
    level: 'warn',
    fields: ['flow', 'reason'],
    meaning: 'the source cannot be reached; said once, the run waits and tries again',
  },
  source_outage_ended: {
    level: 'info',
    fields: ['flow', 'seconds'],
    meaning: 'the source can be reached again, after so many seconds',
  },
  source_rebalanced: {
    level: 'info',
    fields: ['flow', 'partitions'],
    meaning: 'partitions were handed out anew; this run reads so many',
  },
  source_topic_missing: {
    level: 'warn',
    fields: ['flow', 'topic'],
    meaning: 'a topic that the flow names does not exist; said once, the run waits for it',
  },
  source_partitions_added: {
    level: 'info',
    fields: ['flow', 'topic', 'partitions'],
    meaning: 'a topic has so many more partitions; they are read from their beginning',
  },
  source_topics_found: {
    level: 'info',
    fields: ['flow', 'topics'],
    meaning: 'the pattern of the flow finds so many more topics; each is a flow of its own',
  },
  batch_committed: {
    level: 'debug',
    fields: [
      'flow',
      'read',
      'accepted',
      'ignored',
      'dropped',
      'quarantined',
      'changes',
      'late',
      'ties',
      'warned',
      'unknown_values',
      'bytes',
      'seconds',
      'system_time',
      'ignored_by',
      'quarantined_by',
    ],
    meaning: 'a batch of records was committed',
  },
  snapshot_done: {
    level: 'info',
    fields: [
      'flow',
      'snapshot',
      'version',
      'outcome',
      'late',
      'rows',
      'inserted',
      'updated',
      'deleted',
      'unchanged',
      'seconds',
    ],
    meaning: 'a snapshot was applied, was known already (`replayed`) or was skipped',
  },
  snapshot_refused: {
    level: 'warn',
    fields: ['flow', 'snapshot', 'version', 'code', 'message', 'rows', 'seconds'],
    meaning: 'a guard refused a snapshot; nothing of it was applied',
  },
  warning: {
    level: 'warn',
    fields: ['flow', 'message'],
    meaning: 'something is legal and rarely meant; told when it is found, once',
  },
  flow_ended: {
    level: 'info',
    fields: [
      'flow',
      'read',
      'accepted',
      'ignored',
      'dropped',
      'quarantined',
      'changes',
      'late',
      'ties',
      'warned',
      'batches',
      'seconds',
      'system_time',
    ],
    meaning: 'a flow ended well: its source ended, or the run was stopped',
  },
  flow_failed: {
    level: 'error',
    fields: ['flow', 'code', 'message'],
    meaning: 'a fault stopped a flow; what it committed before stays',
  },
  stopping: {
    level: 'info',
    fields: ['signal'],
    meaning: 'a signal came; the run ends after the current batch',
  },
  run_ended: {
    level: 'info',
    fields: ['seconds'],
    meaning: 'the run ended well',
  },
  run_failed: {
    level: 'error',
    fields: ['code', 'message', 'seconds'],
    meaning:
      'a fault ended the run; in the text form the line `tidemark: CODE: …` stands in its place',
  },
}

/** The fields that the log has of an event, in the order of the table. */
export function fieldsOf(
  event: TelemetryEvent,
): readonly (readonly [name: string, value: unknown])[] {
  const names: readonly string[] = EVENTS[event.event].fields
  const values = new Map<string, unknown>(Object.entries(event))
  return names.map((name) => [name, rounded(values.get(name))] as const)
}

/** Nobody reads seconds finer than to a microsecond. */
function rounded(value: unknown): unknown {
  const isFraction = typeof value === 'number' && !Number.isInteger(value)
  return isFraction ? Math.round(value * 1e6) / 1e6 : value
}
