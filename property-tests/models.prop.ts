import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CLOCKS, shownTick, TICKS, type Clock } from './arbitraries/clocks.ts'
import { placeOf } from './arbitraries/draw.ts'
import { featuresOf, type Feature } from './arbitraries/features.ts'
import { drafts, feedOf, type Draft } from './arbitraries/feeds.ts'
import { corpusExamples } from './arbitraries/load-corpus.ts'
import {
  arrange,
  faultyScenarios,
  feedIn,
  plans,
  scenarios,
  type Plan,
} from './arbitraries/scenarios.ts'
import type { Event } from './models/events.ts'
import {
  canonical,
  canonicalRow,
  field,
  isObject,
  readJson,
  tableText,
  writeJson,
  type Json,
  type JsonObject,
} from './models/json.ts'
import { asOf, currentRows, isWithin, oracle, withoutSystemColumns } from './models/oracle.ts'
import type { FlowOptions, Scenario } from './models/scenario.ts'
import { compareSequences, shownSequence } from './models/sequence.ts'
import {
  eventsOf,
  keysOf,
  replay,
  scd2,
  systemTime,
  systemTimes,
  trackedColumns,
} from './models/tables.ts'

// Laws of the oracle itself, by the numbers of semantics 11. An oracle that breaks one is no
// measure for an engine; a generator that cannot break a wrong oracle is no test of one.

const numRuns = Number(process.env['FC_RUNS'] ?? 300)
const withCorpus = { numRuns, examples: corpusExamples() }

test('1, 2 order of arrival, repetition and cut into batches do not show in SCD 1 and SCD 2', () => {
  fc.assert(
    fc.property(scenarios, plans, (scenario, plan) => {
      const flows = scenario.flows.map(withoutEngineTime)
      const published = feedIn({ ...scenario, flows })
      expect(tableText(oracle(arrange(published, plan)).rows)).toEqual(
        tableText(oracle({ ...scenario, flows }).rows),
      )
    }),
    { numRuns, examples: corpusExamples().map(([scenario]) => [scenario, BACKWARDS]) },
  )
})

test('3 SCD 1 is the current rows of SCD 2 and the current, still believed rows of a bitemporal table', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const [one, two, both] = [1 as const, 2 as const, 'bitemporal' as const].map((kind) => {
        const rows = currentRows(oracle(stored(scenario, kind)).rows)
        return tableText(rows.map(withoutSystemColumns))
      })
      expect(two).toEqual(one)
      expect(both).toEqual(one)
    }),
    withCorpus,
  )
})

test('4 versions of a key are disjoint, have a width, and differ in a tracked column where they touch', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const { rows, columns } = oracle(stored(scenario, 2))
      const flow = firstFlow(scenario)
      const tracked = trackedColumns(columns, flow)
      for (const row of rows) {
        expect(isValidAt(row, field(row, '__START_AT'), flow)).toBe(true)
        expect(rows.filter((other) => other !== row && rowsOverlap(row, other, flow))).toEqual([])
        const next = rows.find((other) => isSameKey(row, other, flow) && touches(row, other))
        if (next) expect(pick(next, tracked)).not.toEqual(pick(row, tracked))
      }
    }),
    withCorpus,
  )
})

test('4 rectangles of a key never overlap on both axes', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const { rows } = oracle(stored(scenario, 'bitemporal'))
      const flow = firstFlow(scenario)
      for (const row of rows) {
        const at = { valid: field(row, '__START_AT'), system: field(row, '__SYSTEM_START_AT') }
        expect(asOf(rows, flow, at).filter((other) => isSameKey(row, other, flow))).toEqual([row])
      }
    }),
    withCorpus,
  )
})

test('5 a bitemporal table as of a system time is the SCD 2 table of what was known by then', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const { rows, events, columns } = oracle(stored(scenario, 'bitemporal'))
      const flow = firstFlow(scenario)
      for (const time of systemTimes(events)) {
        const known = events.filter((event) => compareSequences(systemTime(event), time) <= 0)
        const believed = rows.filter((row) => isBelievedAt(row, shownSequence(time), flow))
        expect(tableText(believed.map(withoutSystemTime))).toEqual(
          tableText(scd2(known, columns, flow)),
        )
      }
    }),
    withCorpus,
  )
})

test('with system time from the engine a bitemporal row changes only when its system time closes', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const flows = stored(scenario, 'bitemporal').flows.map(withEngineTime)
      const before = { flows, deliveries: scenario.deliveries.slice(0, -1) }
      const after = tableText(oracle({ ...scenario, flows }).rows.map(stillOpen))
      const missing = tableText(oracle(before).rows.map(stillOpen)).filter(
        (row) => !after.includes(row),
      )
      expect(missing).toEqual([])
    }),
    withCorpus,
  )
})

test('a column shows what its latest writer after the latest deletion said', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const { rows, events, columns } = oracle(stored(scenario, 1))
      const flow = firstFlow(scenario)
      for (const row of rows) {
        const own = eventsOf(canonical(flow.keys.map((key) => field(row, key))), events)
        const alive = own.slice(own.findLastIndex(({ op }) => op !== 'upsert') + 1)
        for (const column of columns.filter((name) => !merges(alive, name))) {
          const writer = alive.findLast((event) => writes(event, column))
          expect(canonical(field(row, column))).toBe(canonical(field(writer?.values ?? {}, column)))
        }
      }
    }),
    withCorpus,
  )
})

test('as of a valid time an SCD 2 table that tracks everything shows the state of each key then', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const flow = trackingAll(firstFlow(scenario))
      const flows = [flow, ...scenario.flows.slice(1)]
      const { rows, events, columns } = oracle(stored({ ...scenario, flows }, 2))
      for (const { sequence } of events) {
        const until = events.filter((event) => compareSequences(event.sequence, sequence) <= 0)
        const states = keysOf(events).map((key) => replay(eventsOf(key, until), columns))
        const covering = asOf(rows, flow, { valid: shownSequence(sequence) })
        expect(tableText(covering.map(withoutSystemColumns))).toEqual(
          tableText(states.filter((row) => row !== null)),
        )
      }
    }),
    withCorpus,
  )
})

test('9 every record is accepted or set aside, once, unless it stops its flow', () => {
  fc.assert(
    fc.property(faultyScenarios, (scenario) => {
      const { events, quarantine, failed } = oracle(scenario)
      const read = scenario.deliveries.slice(0, failed ? failed.batch - 1 : undefined).flat()
      const accepted = events.map(
        ({ flow, position }) => `${flow.name} ${position.name}:${position.number}`,
      )
      const aside = quarantine.map(
        ({ flow, position }) => `${flow} ${position.name}:${position.number}`,
      )
      expect([...accepted, ...aside].toSorted()).toEqual([...new Set(read.map(placeOf))].toSorted())
    }),
    withCorpus,
  )
})

test('10 another increasing clock relabels the sequences and changes nothing else', () => {
  fc.assert(
    fc.property(
      drafts.map(hidingPlumbing),
      plans,
      fc.constantFrom(...CLOCKS),
      (draft, plan, clock) => {
        const plain = oracle(arrange(feedOf(draft, 'integer'), plan))
        const other = oracle(arrange(feedOf(draft, clock), plan))
        expect(tableText(other.rows.map((row) => inTicks(row, clock)))).toEqual(
          tableText(plain.rows),
        )
      },
    ),
    { numRuns },
  )
})

test('11 events of other keys never change the rows of a key', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const flow = firstFlow(scenario)
      const { rows, events } = oracle(scenario)
      for (const key of keysOf(events)) {
        const deliveries = scenario.deliveries.map((batch) =>
          batch.filter(({ record }) => record['op'] === 'T' || keyOf(record, flow) === key),
        )
        expect(tableText(oracle({ ...scenario, deliveries }).rows)).toEqual(
          tableText(rows.filter((row) => keyOf(row, flow) === key)),
        )
      }
    }),
    withCorpus,
  )
})

test('12 what is delivered after a refusal that stops the flow has no effect, nor has its batch', () => {
  fc.assert(
    fc.property(faultyScenarios, (scenario) => {
      const { rows, failed } = oracle(scenario)
      const deliveries = scenario.deliveries.slice(0, failed ? failed.batch - 1 : undefined)
      expect(oracle({ ...scenario, deliveries })).toMatchObject({ rows, failed: null })
    }),
    withCorpus,
  )
})

test('a scenario means the same after it was written to a corpus file', () => {
  fc.assert(
    fc.property(faultyScenarios, (scenario) => {
      const again = readJson(writeJson(scenario, 2)) as unknown as Scenario
      expect(tableText(oracle(again).rows)).toEqual(tableText(oracle(scenario).rows))
    }),
    withCorpus,
  )
})

test('generated scenarios are hard in every way that has broken engines', () => {
  const sampled = fc.sample(scenarios, { numRuns: 1000, seed: 1 }).flatMap(featuresOf)
  const share = (feature: Feature) => sampled.filter((found) => found === feature).length / 1000
  const rare = Object.entries(LEAST_SHARE).filter(
    ([feature, least]) => share(feature as Feature) < least,
  )
  expect(rare.map(([feature]) => [feature, share(feature as Feature)])).toEqual([])
})

/** The share of scenarios that must have a feature. */
const LEAST_SHARE: Record<Feature, number> = {
  tie: 0.6,
  repeat: 0.8,
  late: 0.6,
  delete: 0.5,
  truncate: 0.3,
  'late truncate': 0.2,
  partial: 0.6,
  'nested merge': 0.15,
  'named columns': 0.1,
  'late column': 0.3,
  'untracked column': 0.3,
  'two flows': 0.25,
  'truncate of one flow': 0.05,
  'swallowed event': 0.2,
  refused: 0.1,
  'late system time': 0.1,
}

/** One record a batch, the last of ten first. */
const BACKWARDS: Plan = Array.from({ length: 20 }, (_, i) => [{ batch: 20 - i, place: 0 }])

function firstFlow({ flows: [flow] }: Scenario): FlowOptions {
  if (flow === undefined) throw new Error('a scenario without a flow')
  return flow
}

function stored(scenario: Scenario, kind: FlowOptions['stored_as_scd_type']): Scenario {
  return {
    ...scenario,
    flows: scenario.flows.map((flow) => ({ ...flow, stored_as_scd_type: kind })),
  }
}

/** The same flow where the cut into batches is no part of the result (semantics 6). */
function withoutEngineTime(flow: FlowOptions): FlowOptions {
  const timeless = flow.stored_as_scd_type !== 'bitemporal' || flow.system_sequence_by !== undefined
  return timeless ? flow : { ...flow, stored_as_scd_type: 2 }
}

function withEngineTime(flow: FlowOptions): FlowOptions {
  const { system_sequence_by: _, ...rest } = flow
  return rest
}

function trackingAll(flow: FlowOptions): FlowOptions {
  const {
    track_history_column_list: _only,
    track_history_except_column_list: _except,
    ...rest
  } = flow
  return rest
}

function hidingPlumbing(draft: Draft): Draft {
  const { column_list: _, ...shared } = draft.options.shared
  const except = { except_column_list: ['op', 's', 'r', 't', 'at'] }
  return { ...draft, options: { ...draft.options, shared: { ...shared, ...except } } }
}

function inTicks(row: JsonObject, clock: Clock): JsonObject {
  const ticks = Array.from(
    { length: TICKS },
    (_, n) => [canonical(shownTick(clock, n)), n] as const,
  )
  const ticksByText = new Map(ticks)
  const asTick = (shown: Json): Json => ticksByText.get(canonical(shown)) ?? null
  const [start, end] = [field(row, '__START_AT'), field(row, '__END_AT')]
  return { ...row, __START_AT: asTick(start), __END_AT: asTick(end) }
}

function keyOf(row: JsonObject, { keys }: FlowOptions): string {
  return canonical(keys.map((key) => field(row, key)))
}

function isSameKey(a: JsonObject, b: JsonObject, flow: FlowOptions): boolean {
  return keyOf(a, flow) === keyOf(b, flow)
}

function touches(a: JsonObject, b: JsonObject): boolean {
  return canonical(field(a, '__END_AT')) === canonical(field(b, '__START_AT'))
}

function isValidAt(row: JsonObject, at: Json, flow: FlowOptions): boolean {
  return isWithin(at, field(row, '__START_AT'), field(row, '__END_AT'), flow.sequence_by)
}

function rowsOverlap(a: JsonObject, b: JsonObject, flow: FlowOptions): boolean {
  return isSameKey(a, b, flow) && isValidAt(a, field(b, '__START_AT'), flow)
}

function isBelievedAt(row: JsonObject, at: Json, flow: FlowOptions): boolean {
  const [start, end] = [field(row, '__SYSTEM_START_AT'), field(row, '__SYSTEM_END_AT')]
  return isWithin(at, start, end, flow.system_sequence_by ?? '')
}

function withoutSystemTime(row: JsonObject): JsonObject {
  return { ...row, __SYSTEM_START_AT: null, __SYSTEM_END_AT: null }
}

function stillOpen(row: JsonObject): JsonObject {
  return { ...row, __SYSTEM_END_AT: null }
}

function pick(row: JsonObject, columns: readonly string[]): string {
  return canonicalRow(Object.fromEntries(columns.map((column) => [column, field(row, column)])))
}

/** Semantics 3 once more, in its other words: whether a column is in an event's set `X`. */
function writes({ flow, values, named }: Event, column: string): boolean {
  if (flow.keys.includes(column)) return true
  if (named !== null) return named.includes(column)
  if (flow.missing_columns === 'keep' && !Object.hasOwn(values, column)) return false
  return field(values, column) !== null || !ignoresNull(flow, column)
}

function ignoresNull(flow: FlowOptions, column: string): boolean {
  const except = flow.ignore_null_updates_except_column_list
  if (except !== undefined) return !except.includes(column)
  return flow.ignore_null_updates_column_list?.includes(column) ?? flow.ignore_null_updates ?? false
}

function merges(events: readonly Event[], column: string): boolean {
  return events.some(
    ({ flow, values }) => ignoresNull(flow, column) && isObject(field(values, column)),
  )
}
