import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CLOCKS, shownTick, TICKS, type Clock } from './arbitraries/clocks.ts'
import { drafts, feedOf, type Draft } from './arbitraries/feeds.ts'
import { corpusExamples } from './arbitraries/load-corpus.ts'
import { arrange, plans, scenarios } from './arbitraries/scenarios.ts'
import { engineTable, EngineUnderTest } from './engine/engine-under-test.ts'
import {
  canonical,
  exactNumber,
  field,
  tableText,
  type Json,
  type JsonObject,
} from './models/json.ts'
import { keysOf } from './models/tables.ts'
import { oracle } from './models/oracle.ts'
import type { FlowOptions, Scenario } from './models/scenario.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 200)

test('10 another increasing clock relabels the sequences and changes nothing else', () => {
  fc.assert(
    fc.property(
      drafts.map(hidingPlumbing),
      plans,
      fc.constantFrom(...CLOCKS),
      (draft, plan, clock) => {
        const plain = rowsOf(arrange(feedOf(draft, 'integer'), plan))
        const other = rowsOf(arrange(feedOf(draft, clock), plan))
        expect(tableText(other.map((row) => inTicks(row, clock)))).toEqual(tableText(plain))
      },
    ),
    { numRuns },
  )
})

test('10 another increasing clock relabels the system times and changes nothing else', () => {
  fc.assert(
    fc.property(drafts.map(hidingPlumbing).map(withDataTime), plans, (draft, plan) => {
      const scenario = arrange(feedOf(draft), plan)
      const relabelled = rowsOf(withSystemTimes(scenario, (t) => SYSTEM_TIMES[Number(t)] ?? null))
      const shown = SYSTEM_TIMES.map((time) => canonical(time))
      const back = (time: Json) => (time === null ? null : shown.indexOf(canonical(time)))
      expect(
        tableText(
          relabelled.map((row) => ({
            ...row,
            __SYSTEM_START_AT: back(field(row, '__SYSTEM_START_AT')),
            __SYSTEM_END_AT: back(field(row, '__SYSTEM_END_AT')),
          })),
        ),
      ).toEqual(engineTable(scenario))
    }),
    { numRuns },
  )
})

test('11 events of other keys never change the rows of a key', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const { flows } = scenario
      const all = rowsOf(scenario)
      for (const key of keysOf(oracle(scenario).events)) {
        const deliveries = scenario.deliveries.map((batch) =>
          batch.filter(({ record }) => record['op'] === 'T' || keyOf(record, flows) === key),
        )
        expect(tableText(rowsOf({ flows, deliveries }))).toEqual(
          tableText(all.filter((row) => keyOf(row, flows) === key)),
        )
      }
    }),
    { numRuns, examples: corpusExamples() },
  )
})

/** In order as numbers; as texts they are not, and doubles cannot tell the last two apart. */
const SYSTEM_TIMES: readonly Json[] = [
  -5,
  0.5,
  exactNumber('9007199254740992'),
  exactNumber('9007199254740993'),
]

function rowsOf({ flows, deliveries }: Scenario): JsonObject[] {
  using engine = new EngineUnderTest(flows)
  return engine.deliverAll(deliveries).rows()
}

function withSystemTimes({ flows, deliveries }: Scenario, map: (t: Json) => Json): Scenario {
  const relabelled = deliveries.map((batch) =>
    batch.map((delivery) => {
      const { record } = delivery
      const t = field(record, 't')
      return t === null ? delivery : { ...delivery, record: { ...record, t: map(t) } }
    }),
  )
  return { flows, deliveries: relabelled }
}

function hidingPlumbing(draft: Draft): Draft {
  const { column_list: _, ...shared } = draft.options.shared
  const except = { except_column_list: ['op', 's', 'r', 't', 'at'] }
  return { ...draft, options: { ...draft.options, shared: { ...shared, ...except } } }
}

function withDataTime(draft: Draft): Draft {
  const { shared } = draft.options
  const bitemporal = { stored_as_scd_type: 'bitemporal' as const, system_sequence_by: 't' }
  return { ...draft, options: { ...draft.options, shared: { ...shared, ...bitemporal } } }
}

function inTicks(row: JsonObject, clock: Clock): JsonObject {
  const ticks = new Map(
    Array.from({ length: TICKS }, (_, n) => [canonical(shownTick(clock, n)), n] as const),
  )
  const asTick = (shown: Json): Json => ticks.get(canonical(shown)) ?? null
  const [start, end] = [field(row, '__START_AT'), field(row, '__END_AT')]
  return { ...row, __START_AT: asTick(start), __END_AT: asTick(end) }
}

function keyOf(row: JsonObject, [flow]: readonly FlowOptions[]): string {
  return canonical((flow?.keys ?? []).map((key) => field(row, key)))
}
