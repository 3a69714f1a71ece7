import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeOf } from './arbitraries/draw.ts'
import { corpusExamples } from './arbitraries/load-corpus.ts'
import { cleanScenarios } from './arbitraries/scenarios.ts'
import { engineTable, EngineUnderTest } from './engine/engine-under-test.ts'
import { tableText, type JsonObject } from './models/json.ts'
import { oracle } from './models/oracle.ts'
import type { FlowOptions, Scenario } from './models/scenario.ts'

// Semantics 10, "Changing a flow later": what a run with the later configuration from the start
// would have made of the same input.

const numRuns = Number(process.env['FC_RUNS'] ?? 200)

const columns = fc.subarray(['a', 'b', 'n', 'c'])

/** What all flows into the target do otherwise from some batch on. */
const changes = fc.array(
  fc.record({
    /** Before the batch of this number; past the end after all of them. */
    before: fc.nat({ max: 5 }),
    tracked: fc.oneof(
      fc.constant(null),
      columns.map((list) => ({ track_history_column_list: list })),
      columns.map((list) => ({ track_history_except_column_list: list })),
      fc.constant({}),
    ),
    excluded: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: columns },
    ),
  }),
  { minLength: 1, maxLength: 3 },
)

type Change = typeof changes extends fc.Arbitrary<readonly (infer T)[]> ? T : never

const examples = corpusExamples()
  .filter(([{ flows }]) => flows.every(({ on_error: fails }) => fails !== 'fail'))
  .map(([scenario]): [Scenario, Change[]] => [
    scenario,
    [{ before: 1, tracked: { track_history_column_list: ['a'] }, excluded: ['b'] }],
  ])

test('10 a flow that tracks or excludes other columns from some batch on makes the table of one that always did', () => {
  fc.assert(
    fc.property(cleanScenarios, changes, (scenario, changed) => {
      const { engine, flows } = reconfigured(scenario, changed)
      using ready = engine
      expect(ready.fault).toBe(null)
      expect(ready.table()).toEqual(
        tableText(oracle({ flows, deliveries: scenario.deliveries }).rows),
      )
    }),
    { numRuns, examples },
  )
})

test('10 what is recomputed is sound and takes late changes as well as what never was', () => {
  fc.assert(
    fc.property(cleanScenarios, changes, (scenario, changed) => {
      const { engine, flows } = reconfigured(scenario, changed)
      using ready = engine
      expect(ready.findings()).toEqual([])

      const again = scenario.deliveries.toReversed()
      ready.deliverAll(again)
      expect(ready.table()).toEqual(
        engineTable({ flows, deliveries: [...scenario.deliveries, ...again] }),
      )
    }),
    { numRuns, examples },
  )
})

test('10 a column that was excluded and comes back has the values of what is read from then on', () => {
  const window = fc.record({ from: fc.nat({ max: 3 }), batches: fc.integer({ min: 1, max: 3 }) })
  fc.assert(
    fc.property(
      cleanScenarios.map(once).map(whole),
      window,
      columns,
      (scenario, { from, batches }, excluded) => {
        const { flows, deliveries } = scenario
        const back = from + batches
        using engine = new EngineUnderTest(flows)
        engine.deliverAll(deliveries.slice(0, from))
        engine.reconfigure(flows.map((flow) => excluding(flow, excluded)))
        engine.deliverAll(deliveries.slice(from, back))
        engine.reconfigure(flows, 'from now')
        engine.deliverAll(deliveries.slice(back))

        expect(engine.fault).toBe(null)
        expect(engine.table()).toEqual(tableText(oracle(unread(scenario, excluded, back)).rows))
      },
    ),
    { numRuns },
  )
})

/** Each record once: read again under other options it would be another event. */
function once({ flows, deliveries }: Scenario): Scenario {
  const read = new Set<string>()
  const isNew = (place: string) => !read.has(place) && read.add(place).has(place)
  return {
    flows,
    deliveries: deliveries.map((batch) => batch.filter((delivery) => isNew(placeOf(delivery)))),
  }
}

/** Every event writes every column: whether a partial one writes a column that is none yet, the page leaves open. */
function whole({ flows, deliveries }: Scenario): Scenario {
  const plain = flows.map((flow) => {
    const {
      columns_to_update: _named,
      missing_columns: _missing,
      ignore_null_updates: _all,
      ignore_null_updates_column_list: _listed,
      ignore_null_updates_except_column_list: _except,
      ...rest
    } = flow
    return rest
  })
  return { flows: plain, deliveries }
}

/** The scenario in which the records that were read before a batch did not have the columns. */
function unread(scenario: Scenario, excluded: readonly string[], before: number): Scenario {
  const without = (record: JsonObject) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !excluded.includes(name)))
  const deliveries = scenario.deliveries.map((batch, i) =>
    i >= before
      ? batch
      : batch.map((delivery) => ({ ...delivery, record: without(delivery.record) })),
  )
  return { ...scenario, deliveries }
}

function reconfigured({ flows, deliveries }: Scenario, changed: readonly Change[]) {
  const engine = new EngineUnderTest(flows)
  let current = flows
  for (let i = 0; i <= 5; i += 1) {
    for (const change of changed.filter(({ before }) => before === i)) {
      current = current.map((flow) => withChange(flow, change))
      engine.reconfigure(current)
    }
    const batch = deliveries[i]
    if (batch !== undefined) engine.deliver(batch)
  }
  engine.deliverAll(deliveries.slice(6))
  return { engine, flows: current }
}

function withChange(flow: FlowOptions, { tracked, excluded }: Change): FlowOptions {
  const without = excluding(flow, excluded)
  if (tracked === null || flow.stored_as_scd_type === 1) return without
  const {
    track_history_column_list: _only,
    track_history_except_column_list: _except,
    ...rest
  } = without
  return { ...rest, ...tracked }
}

function excluding(flow: FlowOptions, excluded: readonly string[]): FlowOptions {
  const { column_list: listed, except_column_list: out } = flow
  if (listed !== undefined) {
    return { ...flow, column_list: listed.filter((name) => !excluded.includes(name)) }
  }
  return { ...flow, except_column_list: [...new Set([...(out ?? []), ...excluded])] }
}
