import fc from 'fast-check'
import { exactNumber, type Json, type JsonObject } from '../models/json.ts'
import { mixed, nested, scalars } from './cells.ts'
import { tick, TICKS, type Clock } from './clocks.ts'

/** One record before it is spelled: its ticks are numbers, its position is a file. */
export type DraftEvent = {
  readonly flow: number
  readonly file: string
  readonly key: number
  readonly op: 'U' | 'D' | 'T'
  readonly at: number
  readonly system: number
  readonly spelling: 'first' | 'second'
  readonly columns: JsonObject
  /** Says again what an earlier event said: all of it, or of the same key the same values at a tick of its own. */
  readonly again: { readonly what: 'all' | 'values'; readonly of: number } | null
  readonly fault: Fault | null
}

/** What may be wrong with a record. The last two are faults only because of other records. */
export type Fault =
  | 'null key'
  | 'null sequence'
  | 'no sequence'
  | 'null system time'
  | 'no list of columns'
  | 'reserved column'
  | 'sequence of another type'
  | 'other spelling of a column'

/** Three keys that a store may confuse. A key has most of the events, or none would have a history. */
const KEYS: readonly JsonObject[] = [
  { id: 1, part: 1 },
  { id: '1', part: 1 },
  { id: 1, part: '1' },
  { id: true, part: 1 },
]

/** In natural order; by code point the second comes first. */
const FILES = ['feed-9.ndjson', 'feed-10.ndjson']

/** Every column may be absent, null or there. `c` is seldom there, so that it often comes late. */
const recordColumns: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.record({ a: scalars, b: mixed }, { requiredKeys: [] }),
    fc.oneof(fc.constant({}), fc.record({ n: nested })),
    fc.oneof(
      { weight: 5, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.record({ c: fc.constantFrom<Json>(1, null) }) },
    ),
    // two times and none are enough to see which event's time a row shows
    fc.record({ at: fc.constantFrom<Json>('08:00', '09:00', null) }, { requiredKeys: [] }),
    // `z` is no column; `c` may not be one yet
    fc.record(
      { u: fc.option(fc.subarray(['a', 'b', 'n', 'c', 'z']), { freq: 2 }) },
      { requiredKeys: [] },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as JsonObject)

/** Faults that a record has by itself, whatever came before it. */
export const ownFaults = fc.constantFrom<Fault>(
  'null key',
  'null sequence',
  'no sequence',
  'null system time',
  'no list of columns',
)

/** All faults, also those for which arrival decides who is at fault (semantics 1). */
export const anyFault = fc.oneof(
  ownFaults,
  fc.constantFrom<Fault>(
    'reserved column',
    'sequence of another type',
    'other spelling of a column',
  ),
)

/** Any event, with a fault. */
export function eventsWith(fault: fc.Arbitrary<Fault | null>): fc.Arbitrary<DraftEvent> {
  return fc.record({
    flow: fc.nat({ max: 1 }),
    file: fc.constantFrom(...FILES),
    key: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.nat({ max: KEYS.length - 1 }) },
    ),
    op: fc.oneof(
      { weight: 8, arbitrary: fc.constant('U' as const) },
      { weight: 2, arbitrary: fc.constant('D' as const) },
      { weight: 1, arbitrary: fc.constant('T' as const) },
    ),
    at: fc.nat({ max: TICKS - 1 }),
    // Four system times, so that several events are learned of at one and some in the wrong order.
    system: fc.nat({ max: 3 }),
    spelling: fc.constantFrom('first' as const, 'second' as const),
    columns: recordColumns,
    // Often enough that runs of equal values are long, and are cut and joined by late events.
    again: fc.oneof(
      { weight: 6, arbitrary: fc.constant(null) },
      {
        weight: 4,
        arbitrary: fc.record({
          what: fc.constantFrom('values' as const, 'values' as const, 'all' as const),
          of: fc.nat({ max: 13 }),
        }),
      },
    ),
    fault,
  })
}

/** The record of an event, as a clock spells its tick. */
export function recordOf(event: DraftEvent, clock: Clock): JsonObject {
  const { key, op, at, system, spelling, columns, fault } = event
  const respelled = spelling === 'second' && key === 0 ? { id: exactNumber('1.0') } : {}
  const keys = op === 'T' ? { id: null } : { ...KEYS[key], ...respelled }
  const record = { ...keys, op, ...tick(clock, at, spelling), t: system, ...columns }
  return fault === null ? record : spoilt(record, fault, clock)
}

function spoilt(record: JsonObject, fault: Fault, clock: Clock): JsonObject {
  switch (fault) {
    case 'null key':
      return { ...record, id: null }
    case 'null sequence':
      return { ...record, s: clock === 'array' ? [1, null] : null }
    case 'no sequence':
      return { ...record, s: clock === 'array' ? [] : true }
    case 'null system time':
      return { ...record, t: null }
    case 'no list of columns':
      return { ...record, u: ['a', 1] }
    case 'reserved column':
      return { ...record, __End_At: null }
    case 'sequence of another type':
      return { ...record, s: clock === 'text' ? 1 : '1' }
    case 'other spelling of a column':
      return { ...record, A: 1 }
  }
}
