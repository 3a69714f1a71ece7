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
  /** Whether the loop, which knows nothing of late or partial events, is right on this feed. */
  readonly agrees: boolean
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

/** The cases, in the order in which they are told. */
export const CASES: readonly Case[] = [
  {
    name: 'scd1',
    question: 'random keys, in order',
    feed: random,
    flow: { stored_as_scd_type: 1 },
    batch: null,
    against: 'scd1 loop',
    agrees: true,
    aim: 0.5,
  },
  {
    name: 'scd1-late',
    question: '10 % of the events late by up to half the feed',
    feed: late,
    flow: { stored_as_scd_type: 1 },
    batch: null,
    against: 'scd1 loop',
    agrees: false,
    aim: null,
  },
  {
    name: 'scd1-hot',
    question: 'nine events of ten on a hundredth of the keys',
    feed: (events) => ({ ...random(events), keys: 'hot' }),
    flow: { stored_as_scd_type: 1 },
    batch: null,
    against: 'scd1 loop',
    agrees: true,
    aim: null,
  },
  {
    name: 'scd1-unique',
    question: 'every event a new key, ascending',
    feed: (events) => ({ ...random(events), keys: 'ascending' }),
    flow: { stored_as_scd_type: 1 },
    batch: null,
    against: 'scd1 loop',
    agrees: true,
    aim: 1.2,
  },
  {
    name: 'scd1-partial',
    question: 'ignore_null_updates, 3 of 8 values per event',
    feed: (events) => ({ ...random(events), sparse: true }),
    flow: { stored_as_scd_type: 1, ignore_null_updates: true },
    batch: null,
    against: 'scd1 loop',
    agrees: false,
    aim: 1,
  },
  {
    name: 'scd2',
    question: 'history, in order',
    feed: random,
    flow: { stored_as_scd_type: 2 },
    batch: null,
    against: 'scd2 loop',
    agrees: true,
    aim: 0.65,
  },
  {
    name: 'scd2-late',
    question: 'history, 10 % late; the loop is wrong on this feed',
    feed: late,
    flow: { stored_as_scd_type: 2 },
    batch: null,
    against: 'scd2 loop',
    agrees: false,
    aim: 0.9,
  },
  {
    name: 'bitemporal',
    question: 'batches of 1,000, 20 events per key, against our own SCD 2 in the same batches',
    feed: (events) => ({ ...random(events), keyCount: Math.max(1, Math.floor(events / 20)) }),
    flow: { stored_as_scd_type: 'bitemporal' },
    batch: 1000,
    against: 'our scd2',
    agrees: false,
    aim: 1.7,
  },
]
