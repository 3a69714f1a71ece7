import type { Tracking } from './scd2.ts'
import type { SequenceType } from './sequence.ts'
import type { SequenceMeaning } from './timeline.ts'

/** How a target keeps its rows (semantics 4 to 6). */
export type StorageKind = 1 | 2 | 'bitemporal'

/**
 * What is hidden behind the rows of an SCD type 1 target: `latest` where every event writes
 * every column, `registers` where columns have writers of their own, `timeline` where even
 * that cannot decide (a truncate that reaches only the keys of its flow, a snapshot).
 */
export type Layout = 'latest' | 'registers' | 'timeline'

/** What all flows into one target agree on, and what its first records decided for good. */
export type TargetFacts = {
  readonly name: string
  readonly kind: StorageKind
  readonly layout: Layout
  readonly keys: readonly string[]
  /** Every column that has a place. Ordinals are indexes into it; they never change. */
  readonly columns: readonly string[]
  /** The columns that accepted records have had, in order of appearance, the keys first. The others are only named by the configuration. */
  readonly seen: readonly string[]
  /** Columns that a later configuration excludes: what was kept stays, nothing is shown. */
  readonly excluded: readonly string[]
  readonly tracking: Tracking
  /** Null until declared or fixed by the first accepted record. */
  readonly sequenceType: SequenceType | null
  /** Whether system time comes from the data, and of what type, null until the first record. */
  readonly systemTime: 'engine' | 'data'
  readonly systemType: SequenceType | null
  /** Whether rows carry `__START_TIME` and `__END_TIME`. */
  readonly timed: boolean
  /** What is known of the feed where its format orders the events; null where the flows say what does. */
  readonly feed: FeedFacts | null
}

/** The feeds whose log positions are a target's sequence. */
export type FeedFacts = {
  /** By epoch, of those that accepted records had; a later one is another log, perhaps of another kind. */
  readonly logs: readonly FeedLog[]
}

/** What the positions of one epoch are places in; they compare because it is one. */
export type FeedLog = {
  /** Part of every sequence, and never shown. */
  readonly epoch: number
  /** By whose account: see `Preset`. Null where the store is older than that. */
  readonly order: string | null
  /** Which of the logs that this account knows; null where it knows one. */
  readonly log: string | null
  /** The server whose log it is; null while no accepted record has said so. */
  readonly origin: string | null
}

/** The log of an epoch; undefined while it has had no accepted record. */
export function logOfEpoch({ logs }: FeedFacts, epoch: number): FeedLog | undefined {
  return logs.find((each) => each.epoch === epoch)
}

/** The highest epoch that an accepted record had; 0 before the first. */
export function highestEpoch({ logs }: FeedFacts): number {
  return Math.max(0, ...logs.map(({ epoch }) => epoch))
}

/** What the sequences of a target mean: positions of a log name one change each. */
export function meaningOf({ feed }: Pick<TargetFacts, 'feed'>): SequenceMeaning {
  return feed === null ? 'ordered' : 'named'
}

/** The type of system time where the engine gives it. */
export const ENGINE_TIME: SequenceType = { parts: ['timestamp'], list: false }

/** The type of a target's system time; null until the first record of data that brings it. */
export function systemTypeOf({
  systemTime,
  systemType,
}: Pick<TargetFacts, 'systemTime' | 'systemType'>): SequenceType | null {
  return systemTime === 'engine' ? ENGINE_TIME : systemType
}

/** The columns that readers see, in order, without the system columns. */
export function visibleColumns({ seen, excluded }: TargetFacts): string[] {
  return seen.filter((name) => !excluded.includes(name))
}

/** The system columns of a target: names that its own columns cannot have. */
export function systemColumns(facts: Pick<TargetFacts, 'kind' | 'timed'>): string[] {
  if (facts.kind === 1) return []
  const valid = ['__START_AT', '__END_AT', ...(facts.timed ? ['__START_TIME', '__END_TIME'] : [])]
  return facts.kind === 2 ? valid : [...valid, '__SYSTEM_START_AT', '__SYSTEM_END_AT']
}
