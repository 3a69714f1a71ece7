import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scenarios } from './arbitraries/scenarios.ts'
import { EngineUnderTest } from './engine/engine-under-test.ts'
import { read as readEvent, type Event } from './models/events.ts'
import { field, tableText, type JsonObject } from './models/json.ts'
import { oracle } from './models/oracle.ts'
import type { Delivery, Scenario } from './models/scenario.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 200)

/** A condition as SQLite reads it and as a test does. All but the last depend on values that are often null. */
const CONDITIONS: readonly (readonly [string, (record: JsonObject) => boolean])[] = [
  ['a IS NOT NULL', (record) => field(record, 'a') !== null],
  [`b = 'x'`, (record) => field(record, 'b') === 'x'],
  [`b IS NULL OR b <> 'y'`, (record) => field(record, 'b') !== 'y'],
  ['at IS NULL', (record) => field(record, 'at') === null],
  [`op <> 'D'`, (record) => field(record, 'op') !== 'D'],
]

const condition = fc.nat({ max: CONDITIONS.length - 1 })
const rules = fc.record({
  where: fc.option(condition, { freq: 2 }),
  expectations: fc.array(
    fc.record({ condition, onViolation: fc.constantFrom('warn' as const, 'drop' as const) }),
    { maxLength: 3 },
  ),
})

type Rules = typeof rules extends fc.Arbitrary<infer T> ? T : never

test('9 every record that was read is accepted, ignored, dropped or quarantined, once, and counted so', () => {
  fc.assert(
    fc.property(scenarios, rules, (scenario, chosen) => {
      using engine = new EngineUnderTest(scenario.flows, { more: optionsOf(chosen) })
      engine.deliverAll(scenario.deliveries)
      for (const { name = '' } of scenario.flows) {
        expect(countsOf(engine, name)).toEqual(expectedCounts(scenario, chosen, name))
      }
    }),
    { numRuns },
  )
})

test('9 what is ignored, dropped or quarantined leaves no trace in the table', () => {
  fc.assert(
    fc.property(scenarios, rules, ({ flows, deliveries }, chosen) => {
      using engine = new EngineUnderTest(flows, { more: optionsOf(chosen) })
      engine.deliverAll(deliveries)
      const accepted = deliveries.map((batch) =>
        batch.filter((delivery) => fateOf(delivery, { flows, deliveries }, chosen) === 'accepted'),
      )
      expect(engine.table()).toEqual(tableText(oracle({ flows, deliveries: accepted }).rows))
    }),
    { numRuns },
  )
})

test('9 the quarantine holds exactly the records that were dropped or refused, with position and reason', () => {
  fc.assert(
    fc.property(scenarios, rules, (scenario, chosen) => {
      using engine = new EngineUnderTest(scenario.flows, { more: optionsOf(chosen) })
      engine.deliverAll(scenario.deliveries)
      const expected = scenario.deliveries.flat().flatMap((delivery) => {
        const fate = fateOf(delivery, scenario, chosen)
        if (fate === 'accepted' || fate === 'ignored') return []
        const { flow, position } = delivery
        return [`${flow} ${position.name}:${position.number} ${fate}`]
      })
      expect(
        engine
          .quarantine()
          .map(({ flow, stream, number, code }) => `${flow} ${stream}:${number} ${code}`),
      ).toEqual(expected)
      expect(engine.findings()).toEqual([])
    }),
    { numRuns },
  )
})

function optionsOf({ where, expectations }: Rules): Record<string, unknown> {
  return {
    ...(where !== null && { where: CONDITIONS[where]?.[0] }),
    expectations: expectations.map((each, i) => ({
      name: `expectation ${i}`,
      expect: CONDITIONS[each.condition]?.[0],
      on_violation: each.onViolation,
    })),
  }
}

/** What becomes of a record whose faults are its own, by sections 1 and 8. */
function fateOf(delivery: Delivery, scenario: Scenario, chosen: Rules): string {
  if (chosen.where !== null && !holds(chosen.where, delivery.record)) return 'ignored'
  const event = eventOf(delivery, scenario)
  if (typeof event === 'string') return event
  const isDropped = chosen.expectations.some(
    ({ condition: index, onViolation }) => onViolation === 'drop' && !holds(index, delivery.record),
  )
  return event.op === 'upsert' && isDropped ? 'EXPECTATION' : 'accepted'
}

function eventOf(delivery: Delivery, { flows }: Scenario): Event | string {
  const flow = flows.find(({ name }) => name === delivery.flow) ?? flows[0]
  if (flow === undefined) throw new Error('a scenario without a flow')
  return readEvent(delivery, flow, 1, { sequence: null, system: null })
}

function holds(index: number, record: JsonObject): boolean {
  return CONDITIONS[index]?.[1](record) ?? false
}

type Tally = Readonly<Record<string, number>>

function countsOf(engine: EngineUnderTest, flow: string): Tally {
  const remembered = engine.remembered(flow)
  if (remembered === null) return NOTHING
  const { read, accepted, ignored, dropped, quarantined, warned } = remembered.counts
  return { read, accepted, ignored, dropped, quarantined, warned, ...remembered.violations }
}

const NOTHING: Tally = { read: 0, accepted: 0, ignored: 0, dropped: 0, quarantined: 0, warned: 0 }

function expectedCounts(scenario: Scenario, chosen: Rules, flow: string): Tally {
  const own = scenario.deliveries.flat().filter((delivery) => delivery.flow === flow)
  const fates = own.map((delivery) => [delivery, fateOf(delivery, scenario, chosen)] as const)
  const count = (fate: string) => fates.filter(([, found]) => found === fate).length
  const [accepted, ignored, dropped] = [count('accepted'), count('ignored'), count('EXPECTATION')]

  // Of a record that is dropped the expectation that drops it is counted, no other.
  const violations: Record<string, number> = {}
  let warned = 0
  for (const [delivery, fate] of fates) {
    const event = eventOf(delivery, scenario)
    if (typeof event === 'string' || event.op !== 'upsert') continue
    const violated = chosen.expectations.flatMap(({ condition: index, onViolation }, i) =>
      holds(index, delivery.record) ? [] : [{ name: `expectation ${i}`, onViolation }],
    )
    const dropping = violated.filter(({ onViolation }) => onViolation === 'drop').slice(0, 1)
    if (fate === 'accepted' && violated.length > 0) warned += 1
    if (fate === 'ignored') continue
    for (const { name } of fate === 'accepted' ? violated : dropping) {
      violations[name] = (violations[name] ?? 0) + 1
    }
  }

  const quarantined = own.length - accepted - ignored - dropped
  return { read: own.length, accepted, ignored, dropped, quarantined, warned, ...violations }
}
