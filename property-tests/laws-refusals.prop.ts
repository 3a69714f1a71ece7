import fc from 'fast-check'
import { expect, test } from 'vitest'
import { corpusExamples } from './arbitraries/load-corpus.ts'
import { cleanScenarios, faultyScenarios, scenarios } from './arbitraries/scenarios.ts'
import { EngineUnderTest, TARGET } from './engine/engine-under-test.ts'
import { dump, StoreFile } from './engine/store-file.ts'
import { tableText, type JsonObject } from './models/json.ts'
import { oracle } from './models/oracle.ts'
import type { Delivery, FlowOptions, Scenario } from './models/scenario.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 200)

test('12 the engine refuses what the oracle refuses, and leaves the table as it was', () => {
  fc.assert(
    fc.property(faultyScenarios.map(withoutForgottenTies), (scenario) => {
      const { rows, failed } = oracle(scenario)
      using engine = new EngineUnderTest(scenario.flows)
      engine.deliverAll(scenario.deliveries)
      expect(engine.fault).toEqual(failed?.code ?? null)
      expect(engine.table()).toEqual(tableText(rows))
    }),
    { numRuns },
  )
})

test('12 where a refusal stops the flow, its whole batch leaves the store as it was, byte by byte', () => {
  fc.assert(
    fc.property(scenarios.map(failing), poisons, (scenario, poison) => {
      using place = new StoreFile()
      using engine = new EngineUnderTest(scenario.flows, { path: place.path })
      const [last = [], ...before] = scenario.deliveries.toReversed()
      engine.deliverAll(before.toReversed())
      if (engine.fault !== null) return
      engine.reconfigure(scenario.flows)

      const untouched = dump(place.path)
      engine.deliver([...last, ...poisoned(poison, scenario.flows, last[0]?.flow)])
      expect(engine.fault).not.toBe(null)
      expect(dump(place.path)).toEqual(untouched)
    }),
    { numRuns, examples: corpusExamples().map(([scenario]) => [failing(scenario), 'null key']) },
  )
})

test('12 an engine that refused a batch goes on as if it had never seen it', () => {
  fc.assert(
    fc.property(cleanScenarios.map(failing), poisons, (scenario, poison) => {
      using engine = new EngineUnderTest(scenario.flows, { clock: 'stalled' })
      for (const batch of scenario.deliveries) {
        engine.deliver(poisoned(poison, scenario.flows, batch[0]?.flow))
        expect(engine.fault).not.toBe(null)
        engine.fault = null
        engine.deliver(batch)
      }
      expect(engine.table()).toEqual(tableText(oracle(scenario).rows))
      expect(engine.findings()).toEqual([])
    }),
    { numRuns },
  )
})

test('12 a batch that is all quarantined changes nothing but the counts and the quarantine', () => {
  fc.assert(
    fc.property(cleanScenarios, ({ flows, deliveries }) => {
      using place = new StoreFile()
      using engine = new EngineUnderTest(flows, { path: place.path })
      engine.deliverAll(deliveries)
      const facts = engine.store.target(TARGET)
      const leaving = { tables: ['_commits', '_flows', '_checkpoints', '_quarantine', '_streams'] }

      const untouched = dump(place.path, leaving)
      engine.deliver(poisoned('null key', flows).slice(1))
      expect(engine.quarantine().length).toBe(1)
      expect(engine.store.target(TARGET)).toEqual(facts)
      expect(dump(place.path, leaving)).toEqual(untouched)
    }),
    { numRuns },
  )
})

test('12 an expectation that fails undoes its batch', () => {
  fc.assert(
    fc.property(cleanScenarios, ({ flows, deliveries }) => {
      using place = new StoreFile()
      const fatal = { name: 'calm', expect: 'alarm IS NULL', on_violation: 'fail' }
      using engine = new EngineUnderTest(flows, {
        path: place.path,
        more: { expectations: [fatal] },
      })
      engine.deliverAll(deliveries)

      const untouched = dump(place.path)
      engine.deliver([...(deliveries[0] ?? []), ...alarming(deliveries.flat(), flows)])
      expect(engine.fault).toBe('EXPECTATION_FAILED')
      expect(dump(place.path)).toEqual(untouched)
    }),
    { numRuns },
  )
})

test.each([
  [500, null],
  [501, 'TOO_MANY_REFUSED'],
])('8, 12 of the first 1,000 records %i refused: %s', (refused, fault) => {
  using place = new StoreFile()
  const flow: FlowOptions = { keys: ['id'], sequence_by: 's', stored_as_scd_type: 1 }
  using engine = new EngineUnderTest([flow], {
    path: place.path,
    more: { max_refused_fraction: 0.5 },
  })
  engine.reconfigure([flow])
  const untouched = dump(place.path)

  engine.deliver(
    Array.from({ length: 1000 }, (_, i) =>
      delivery({ id: i < refused ? null : i, s: i }, i + 1, TARGET),
    ),
  )
  expect(engine.fault).toBe(fault)
  expect(dump(place.path)[`__tidemark_flows`]).toHaveLength(fault === null ? 1 : 0)
  if (fault !== null) expect(dump(place.path)).toEqual(untouched)
})

/** What spoils a batch. Its records before the one at fault bring a new column and, where they come first, another sequence type. */
type Poison = 'null key' | 'null sequence' | 'reserved column'

const poisons = fc.constantFrom<Poison>('null key', 'null sequence', 'reserved column')

function poisoned(
  poison: Poison,
  flows: readonly FlowOptions[],
  flow = flows[0]?.name ?? '',
): Delivery[] {
  const { keys = [], stored_as_scd_type: kind, column_list: listed } = flows[0] ?? {}
  const key = Object.fromEntries(keys.map((name) => [name, 9]))
  const good = { ...key, op: 'U', t: 9, ...sequence(flows) }
  const reserved = kind === 1 ? 'ID' : '__START_AT'
  const faults: Record<Poison, JsonObject> = {
    'null key': { id: null },
    'null sequence': { s: null },
    // a column that is not the target's may have any name
    'reserved column': listed === undefined ? { [reserved]: 1 } : { id: null },
  }
  return [
    delivery({ ...good, A: 'another spelling', new: 1 }, 1, flow),
    delivery({ ...good, ...faults[poison] }, 2, flow),
  ]
}

/** The first record once more, as an upsert that raises an alarm. */
function alarming([first]: readonly Delivery[], [flow]: readonly FlowOptions[]): Delivery[] {
  if (first === undefined) return []
  const key = Object.fromEntries((flow?.keys ?? []).map((name) => [name, 9]))
  const record = { ...first.record, ...key, op: 'U', alarm: true }
  return [delivery(record, 1, first.flow ?? '')]
}

/** A sequence that every clock but the timestamps takes for one of its own, or a text where the type is still open. */
function sequence([flow]: readonly FlowOptions[]): JsonObject {
  return typeof flow?.sequence_by === 'object' && 'column' in flow.sequence_by
    ? { s: '2030-01-01' }
    : { s: 'of another type', r: 0 }
}

function delivery(record: JsonObject, number: number, flow: string): Delivery {
  return { flow, position: { name: 'poison.ndjson', number }, record }
}

function failing({ flows, deliveries }: Scenario): Scenario {
  return { flows: flows.map((flow) => ({ ...flow, on_error: 'fail' as const })), deliveries }
}

/** SCD type 1 keeps no past, so whether it still knows of a tie depends on what came since. */
function withoutForgottenTies(scenario: Scenario): Scenario {
  const flows = scenario.flows.map((flow) =>
    flow.stored_as_scd_type === 1 ? { ...flow, on_sequence_tie: 'source_order' as const } : flow,
  )
  return { ...scenario, flows }
}
