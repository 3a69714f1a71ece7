import fc from 'fast-check'
import { expect, test } from 'vitest'
import { corpusExamples } from './arbitraries/load-corpus.ts'
import { arrange, feedIn, oneByOne, plans, scenarios, type Plan } from './arbitraries/scenarios.ts'
import { engineTable, EngineUnderTest, TARGET } from './engine/engine-under-test.ts'
import { dump, StoreFile, type Leaving } from './engine/store-file.ts'
import type { FlowOptions } from './models/scenario.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 200)

test('1 order of arrival, repetition and the cut into batches do not show', () => {
  fc.assert(
    fc.property(scenarios, plans, (scenario, plan) => {
      const flows = scenario.flows.map(withoutEngineTime)
      const otherwise = arrange(feedIn({ ...scenario, flows }), plan)
      expect(engineTable(otherwise)).toEqual(engineTable({ ...scenario, flows }))
    }),
    { numRuns, examples: corpusExamples().map(([scenario]) => [scenario, BACKWARDS]) },
  )
})

test('1 what is delivered in order, a record a batch, makes the same table', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const flows = scenario.flows.map(withoutEngineTime)
      const inOrder = oneByOne(feedIn({ ...scenario, flows }))
      expect(engineTable(inOrder)).toEqual(engineTable({ ...scenario, flows }))
    }),
    { numRuns, examples: corpusExamples() },
  )
})

test('2 replaying any part again changes neither the table nor what is hidden behind it', () => {
  fc.assert(
    fc.property(
      scenarios,
      fc.array(fc.boolean(), { maxLength: 5 }),
      ({ flows, deliveries }, again) => {
        using file = new StoreFile()
        using engine = new EngineUnderTest(flows, { path: file.path })
        engine.deliverAll(deliveries)
        const before = dump(file.path, bookkeepingOf(engine))
        const facts = engine.store.target(TARGET)

        engine.deliverAll(deliveries.filter((_, i) => again[i] !== false).toReversed())
        expect(dump(file.path, bookkeepingOf(engine))).toEqual(before)
        expect(engine.store.target(TARGET)).toEqual(facts)
      },
    ),
    {
      numRuns,
      examples: corpusExamples().map(([scenario]): [typeof scenario, boolean[]] => [scenario, []]),
    },
  )
})

test('1 a run that gathers what it reads makes the same table, however little memory it has', async () => {
  const memory = fc.constantFrom(1, 900, 2000, 100_000_000)
  await fc.assert(
    fc.asyncProperty(scenarios, plans, memory, async (scenario, plan, gatherBytes) => {
      const flows = scenario.flows.map(withoutEngineTime)
      const { deliveries } = arrange(feedIn({ ...scenario, flows }), plan)
      using apart = new EngineUnderTest(flows)
      apart.deliverAll(deliveries)
      fc.pre(apart.fault === null)
      using gathered = new EngineUnderTest(flows, { gatherBytes })
      await gathered.gather(deliveries)
      expect(gathered.table()).toEqual(apart.table())
      expect(gathered.findings()).toEqual([])
      expect(gathered.quarantine().length).toBe(apart.quarantine().length)
    }),
    { numRuns },
  )
})

/** What counts commits and records, and so moves whenever something is read. */
const BOOKKEEPING = ['_commits', '_flows', '_checkpoints', '_quarantine', '_targets']

/** Registers name the commit that last met them, changed or not. */
function bookkeepingOf(engine: EngineUnderTest): Leaving {
  const isMet = engine.store.target(TARGET)?.layout === 'registers'
  return { tables: BOOKKEEPING, columns: isMet ? ['cm'] : [] }
}

/** One record a batch, the last of ten first. */
const BACKWARDS: Plan = Array.from({ length: 20 }, (_, i) => [{ batch: 20 - i, place: 0 }])

/** The same flow where the cut into batches is no part of the result (semantics 6). */
function withoutEngineTime(flow: FlowOptions): FlowOptions {
  const timeless = flow.stored_as_scd_type !== 'bitemporal' || flow.system_sequence_by !== undefined
  return timeless ? flow : { ...flow, stored_as_scd_type: 2 }
}
