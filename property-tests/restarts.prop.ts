import fc from 'fast-check'
import { expect, test } from 'vitest'
import { corpusExamples } from './arbitraries/load-corpus.ts'
import { scenarios } from './arbitraries/scenarios.ts'
import { engineTable, EngineUnderTest } from './engine/engine-under-test.ts'
import { dump, StoreFile } from './engine/store-file.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 200)

/** After which batches the process ends and another one goes on. */
const restarts = fc.array(fc.boolean(), { minLength: 5, maxLength: 5 })
const examples = corpusExamples().map(([scenario]): [typeof scenario, boolean[]] => [scenario, []])

test('1 an engine that starts again between batches goes on as if it had not', () => {
  fc.assert(
    fc.property(scenarios, restarts, (scenario, ends) => {
      using engine = new EngineUnderTest(scenario.flows)
      for (const [i, batch] of scenario.deliveries.entries()) {
        engine.deliver(batch)
        if (ends[i] !== false) engine.restart()
      }
      expect(engine.table()).toEqual(engineTable(scenario))
    }),
    { numRuns, examples },
  )
})

test('1 a store file that is closed and opened between batches is, byte by byte, the one that was not', () => {
  fc.assert(
    fc.property(scenarios, restarts, ({ flows, deliveries }, ends) => {
      using place = new StoreFile()
      using undisturbed = new StoreFile()
      using engine = new EngineUnderTest(flows, { path: place.path })
      using other = new EngineUnderTest(flows, { path: undisturbed.path })
      for (const [i, batch] of deliveries.entries()) {
        engine.deliver(batch)
        if (ends[i] !== false) engine.restart()
      }
      other.deliverAll(deliveries)
      expect(engine.table()).toEqual(other.table())
      expect(dump(place.path)).toEqual(dump(undisturbed.path))
    }),
    { numRuns, examples },
  )
})

test('6 system time increases from commit to commit although the clock stands still', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      expect(engineTable(scenario, { clock: 'stalled' })).toEqual(engineTable(scenario))
    }),
    { numRuns, examples: corpusExamples() },
  )
})
