import fc from 'fast-check'
import { expect, test } from 'vitest'
import { corpusExamples } from './arbitraries/load-corpus.ts'
import { faultyScenarios, scenarios } from './arbitraries/scenarios.ts'
import { EngineUnderTest, withBatchNumbers } from './engine/engine-under-test.ts'
import { tableText } from './models/json.ts'
import { oracle } from './models/oracle.ts'
import type { Scenario } from './models/scenario.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 300)

test('1 to 5 the engine builds the table that the oracle computes from raw events', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      expect(engineTable(scenario)).toEqual(tableText(oracle(scenario).rows))
    }),
    { numRuns, examples: corpusExamples() },
  )
})

test('12 the engine refuses what the oracle refuses, and leaves the table as it was', () => {
  fc.assert(
    fc.property(faultyScenarios.map(withoutForgottenTies), (scenario) => {
      const { rows, failed } = oracle(scenario)
      using engine = new EngineUnderTest(scenario.flows)
      for (const batch of scenario.deliveries) engine.deliver(batch)
      expect(engine.fault).toEqual(failed?.code ?? null)
      expect(shown(engine, scenario)).toEqual(tableText(rows))
    }),
    { numRuns },
  )
})

function engineTable(scenario: Scenario): string[] {
  using engine = new EngineUnderTest(scenario.flows)
  for (const batch of scenario.deliveries) engine.deliver(batch)
  return shown(engine, scenario)
}

function shown(engine: EngineUnderTest, scenario: Scenario): string[] {
  const rows = engine.rows()
  return tableText(hasEngineTime(scenario) ? withBatchNumbers(rows, engine.store) : rows)
}

function hasEngineTime({ flows }: Scenario): boolean {
  return flows.some(
    ({ stored_as_scd_type, system_sequence_by }) =>
      stored_as_scd_type === 'bitemporal' && system_sequence_by === undefined,
  )
}

/** SCD type 1 keeps no past, so whether it still knows of a tie depends on what came since. */
function withoutForgottenTies(scenario: Scenario): Scenario {
  const flows = scenario.flows.map((flow) =>
    flow.stored_as_scd_type === 1 ? { ...flow, on_sequence_tie: 'source_order' as const } : flow,
  )
  return { ...scenario, flows }
}
