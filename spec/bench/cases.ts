import type { FeedSpec } from './generate.ts'

/** A question with a ratio for an answer: our wall time to that of what it is measured against. */
export type Case = {
  readonly name: string
  readonly question: string
  /** Feed for a given number of events. */
  readonly feed: (events: number) => FeedSpec
  /** Options of our flow beside keys, sequence and deletes. */
  readonly flow: Readonly<Record<string, unknown>>
  readonly batch: number | null
  readonly against: 'scd1 loop' | 'scd2 loop' | 'our scd2'
  /** Whose table ours has to equal, cell by cell: a loop that is right on the same events in order. */
  readonly proof: 'against' | 'scd1-partial'
  /** The ratio aimed at; null where none is set. */
  readonly aim: number | null
}

const random = (events: number): FeedSpec => ({
  events,
  keys: 'random',
  keyCount: Math.max(1, Math.floor(events / 5)),
  late: 0,
  sparse: false,
})

const late = (events: number): FeedSpec => ({ ...random(events), late: 0.1 })

const scd1: Omit<Case, 'name' | 'question'> = {
  feed: random,
  flow: { stored_as_scd_type: 1 },
  batch: null,
  against: 'scd1 loop',
  proof: 'against',
  aim: null,
}

const scd2: Omit<Case, 'name' | 'question'> = {
  ...scd1,
  flow: { stored_as_scd_type: 2 },
  against: 'scd2 loop',
}

/** The cases, in the order in which they are told. */
export const CASES: readonly Case[] = [
  { ...scd1, name: 'scd1', question: 'a fifth as many random keys as events, in order', aim: 0.5 },
  {
    ...scd1,
    name: 'scd1-many',
    question: 'twice the events, over as many random keys, of which half repeat',
    feed: (events) => ({ ...random(2 * events), keyCount: 2 * events }),
    aim: 0.9,
  },
  {
    ...scd1,
    name: 'scd1-late',
    question: '10 % of the events delayed by up to half the feed, against the loop in order',
    feed: late,
  },
  {
    ...scd1,
    name: 'scd1-hot',
    question: 'nine events of ten on a hundred keys',
    feed: (events) => ({ ...random(events), keys: 'hot' }),
  },
  {
    ...scd1,
    name: 'scd1-unique',
    question: 'every event a new key, ascending',
    feed: (events) => ({ ...random(events), keys: 'ascending' }),
    aim: 1.2,
  },
  {
    ...scd1,
    name: 'scd1-partial',
    question: '`ignore_null_updates`, 3 of 8 values per event, against the plain loop',
    feed: (events) => ({ ...random(events), sparse: true }),
    flow: { stored_as_scd_type: 1, ignore_null_updates: true },
    proof: 'scd1-partial',
    aim: 1,
  },
  { ...scd2, name: 'scd2', question: 'history, in order', aim: 0.65 },
  {
    ...scd2,
    name: 'scd2-late',
    question:
      'history, 10 % of the events delayed by up to half the feed, against the loop in order',
    feed: late,
    aim: 0.9,
  },
  {
    ...scd2,
    name: 'bitemporal',
    question: 'batches of 1,000, 20 events per key, against our own SCD 2 in the same batches',
    feed: (events) => ({ ...random(events), keyCount: Math.max(1, Math.floor(events / 20)) }),
    flow: { stored_as_scd_type: 'bitemporal' },
    batch: 1000,
    against: 'our scd2',
    aim: 1.7,
  },
]
