import fc from 'fast-check'
import { expect, test } from 'vitest'
import { corpusExamples, loadCorpus } from './arbitraries/load-corpus.ts'
import { scenarios } from './arbitraries/scenarios.ts'
import { engineTable, EngineUnderTest } from './engine/engine-under-test.ts'
import { tableText } from './models/json.ts'
import { oracle } from './models/oracle.ts'

// The engine against the oracle, through a real store. The oracle starts from raw records and
// shares no code with the engine, so these laws cannot be kept by code that drops everything.

const numRuns = Number(process.env['FC_RUNS'] ?? 300)

test('1 to 5 the engine builds the table that the oracle computes from raw events', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      expect(engineTable(scenario)).toEqual(tableText(oracle(scenario).rows))
    }),
    { numRuns, examples: corpusExamples() },
  )
})

test('1 to 5 after every batch the table is that of what has arrived so far', () => {
  fc.assert(
    fc.property(scenarios, ({ flows, deliveries }) => {
      using engine = new EngineUnderTest(flows)
      for (const [i, batch] of deliveries.entries()) {
        engine.deliver(batch)
        const { rows } = oracle({ flows, deliveries: deliveries.slice(0, i + 1) })
        expect(engine.table()).toEqual(tableText(rows))
      }
    }),
    { numRuns, examples: corpusExamples() },
  )
})

test('doctor finds nothing wrong, whatever was delivered', () => {
  fc.assert(
    fc.property(scenarios, ({ flows, deliveries }) => {
      using engine = new EngineUnderTest(flows)
      expect(engine.deliverAll(deliveries).findings()).toEqual([])
    }),
    { numRuns, examples: corpusExamples() },
  )
})

test.each(loadCorpus().map(({ sentence, scenario }) => [sentence, scenario] as const))(
  'corpus: %s',
  (_, scenario) => {
    expect(engineTable(scenario)).toEqual(tableText(oracle(scenario).rows))
  },
)
