import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonValue, parseExactJson } from '../src/core/json.ts'
import type { Value } from '../src/core/value.ts'
import { corpusExamples } from './arbitraries/load-corpus.ts'
import { scenarios } from './arbitraries/scenarios.ts'
import { EngineUnderTest, hasEngineTime } from './engine/engine-under-test.ts'
import {
  canonical,
  canonicalRow,
  field,
  tableText,
  writeJson,
  type Json,
  type JsonObject,
} from './models/json.ts'
import { asOf, currentRows, isWithin, oracle, withoutSystemColumns } from './models/oracle.ts'
import type { FlowOptions, Scenario } from './models/scenario.ts'
import { compareSequences, shownSequence } from './models/sequence.ts'
import { scd2, systemTime, systemTimes, trackedColumns } from './models/tables.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 200)
const withCorpus = { numRuns, examples: corpusExamples() }

test('3 SCD 1 is the current rows of SCD 2 and the current, still believed rows of a bitemporal table', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const [one, two, both] = [1 as const, 2 as const, 'bitemporal' as const].map((kind) => {
        const rows = currentRows(rowsOf(timelessly(scenario, kind)))
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
    fc.property(scenarios, (given) => {
      const scenario = timelessly(given, 2)
      const flow = firstFlow(scenario)
      const rows = rowsOf(scenario)
      const tracked = trackedColumns(oracle(scenario).columns, flow)
      for (const row of rows) {
        expect(holdsAt(row, field(row, '__START_AT'), flow)).toBe(true)
        const others = rows.filter((other) => other !== row && isSameKey(row, other, flow))
        expect(others.filter((other) => holdsAt(row, field(other, '__START_AT'), flow))).toEqual([])
        const next = others.find((other) => touches(row, other))
        if (next) expect(pick(next, tracked)).not.toEqual(pick(row, tracked))
      }
    }),
    withCorpus,
  )
})

test('4 rectangles of a key never overlap on both axes', () => {
  fc.assert(
    fc.property(scenarios, (given) => {
      const scenario = stored(given, 'bitemporal')
      const flow = firstFlow(scenario)
      const rows = numbered(rowsOf(scenario), flow)
      for (const row of rows) {
        const at = { valid: field(row, '__START_AT'), system: field(row, '__SYSTEM_START_AT') }
        expect(asOf(rows, flow, at).filter((other) => isSameKey(row, other, flow))).toEqual([row])
      }
    }),
    withCorpus,
  )
})

test('5 a bitemporal table read as of a system time is the SCD 2 table of what had arrived by then', () => {
  fc.assert(
    fc.property(scenarios, (given) => {
      const scenario = stored(given, 'bitemporal')
      const flow = firstFlow(scenario)
      const { events, columns } = oracle(scenario)
      using engine = new EngineUnderTest(scenario.flows)
      engine.deliverAll(scenario.deliveries)

      for (const time of systemTimes(events)) {
        const known = events.filter((event) => compareSequences(systemTime(event), time) <= 0)
        const systemAsOf = systemValue(shownSequence(time), flow)
        expect(tableText(engine.rows({ systemAsOf }).map(withoutSystemTime))).toEqual(
          tableText(scd2(known, columns, flow)),
        )
      }
    }),
    withCorpus,
  )
})

test('5 rows read as of a valid time are those whose interval holds it', () => {
  fc.assert(
    fc.property(scenarios, (given) => {
      const scenario = given.flows[0]?.stored_as_scd_type === 1 ? timelessly(given, 2) : given
      const flow = firstFlow(scenario)
      const { events, rows } = oracle(scenario)
      using engine = new EngineUnderTest(scenario.flows)
      engine.deliverAll(scenario.deliveries)

      for (const { sequence } of events) {
        const at = shownSequence(sequence)
        expect(engine.table({ asOf: value(at) })).toEqual(
          tableText(rows.filter((row) => holdsAt(row, at, flow))),
        )
      }
    }),
    withCorpus,
  )
})

test('11 rows read by key are the rows of that key', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const { keys } = firstFlow(scenario)
      const { rows } = oracle(scenario)
      using engine = new EngineUnderTest(scenario.flows)
      engine.deliverAll(scenario.deliveries)

      for (const row of rows) {
        const key = Object.fromEntries(keys.map((name) => [name, value(field(row, name))]))
        expect(engine.table({ key })).toEqual(
          tableText(rows.filter((other) => isSameKey(row, other, firstFlow(scenario)))),
        )
      }
    }),
    withCorpus,
  )
})

function rowsOf({ flows, deliveries }: Scenario): JsonObject[] {
  using engine = new EngineUnderTest(flows)
  return engine.deliverAll(deliveries).rows()
}

function firstFlow({ flows: [flow] }: Scenario): FlowOptions {
  if (flow === undefined) throw new Error('a scenario without a flow')
  return flow
}

/** The scenario with another kind of target, and no option that the kind does not have. */
function stored(scenario: Scenario, kind: FlowOptions['stored_as_scd_type']): Scenario {
  const flows = scenario.flows.map((flow) => ({ ...flow, stored_as_scd_type: kind }))
  return { ...scenario, flows: kind === 1 ? flows.map(withoutHistory) : flows }
}

/** The same with system time from the engine, or the order at one sequence would be another. */
function timelessly(scenario: Scenario, kind: FlowOptions['stored_as_scd_type']): Scenario {
  const { flows, deliveries } = stored(scenario, kind)
  return { flows: flows.map(({ system_sequence_by: _system, ...flow }) => flow), deliveries }
}

function withoutHistory(flow: FlowOptions): FlowOptions {
  const {
    track_history_column_list: _only,
    track_history_except_column_list: _except,
    time_by: _time,
    ...rest
  } = flow
  return rest
}

/** Rows with system times that compare as the oracle's: data as it is, engine time as text of one length. */
function numbered(rows: readonly JsonObject[], flow: FlowOptions): JsonObject[] {
  if (!hasEngineTime([flow])) return [...rows]
  const micros = (time: Json) =>
    typeof time === 'string' ? Number(/\.(\d+)Z$/.exec(time)?.[1]?.padEnd(6, '0') ?? 0) : null
  return rows.map((row) => ({
    ...row,
    __SYSTEM_START_AT: micros(field(row, '__SYSTEM_START_AT')),
    __SYSTEM_END_AT: micros(field(row, '__SYSTEM_END_AT')),
  }))
}

function systemValue(shown: Json, flow: FlowOptions): Value {
  if (!hasEngineTime([flow])) return value(shown)
  const micros = writeJson(shown).padStart(6, '0')
  return { type: 'timestamp', text: `1970-01-01T00:00:00.${micros}Z` }
}

function value(shown: Json): Value {
  const parsed = parseExactJson(writeJson(shown))
  if ('error' in parsed) throw new Error(parsed.error)
  return jsonValue(parsed.node)
}

function withoutSystemTime(row: JsonObject): JsonObject {
  return { ...row, __SYSTEM_START_AT: null, __SYSTEM_END_AT: null }
}

function holdsAt(row: JsonObject, at: Json, flow: FlowOptions): boolean {
  return isWithin(at, field(row, '__START_AT'), field(row, '__END_AT'), flow.sequence_by)
}

function isSameKey(a: JsonObject, b: JsonObject, { keys }: FlowOptions): boolean {
  return keys.every((key) => canonical(field(a, key)) === canonical(field(b, key)))
}

function touches(a: JsonObject, b: JsonObject): boolean {
  return canonical(field(a, '__END_AT')) === canonical(field(b, '__START_AT'))
}

function pick(row: JsonObject, columns: readonly string[]): string {
  return canonicalRow(Object.fromEntries(columns.map((column) => [column, field(row, column)])))
}
