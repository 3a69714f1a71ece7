import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EngineUnderTest } from './engine/engine-under-test.ts'
import { exactNumber, tableText, type Json, type JsonObject } from './models/json.ts'
import { oracle } from './models/oracle.ts'
import type { Delivery, FlowOptions, Scenario } from './models/scenario.ts'

// Names and values that SQL, JSON and JavaScript objects are tempted to take for something else.
// What the oracle makes of them, the engine makes of them.

const numRuns = Number(process.env['FC_RUNS'] ?? 200)

/** Few, so that spellings of one name meet. `__proto__` is left to spec/abuse: the oracle's reader drops it. */
const names = fc.constantFrom(
  'a',
  'A',
  'at',
  'a"; DROP TABLE t; --',
  "a'",
  '',
  ' ',
  '__START_AT',
  '__start_time',
  '__SYSTEM_END_AT',
  '__tidemark_x',
  'constructor',
  'toString',
  'rowid',
  'é',
  'É',
  '🦑',
  'k',
  'c0',
  'x'.repeat(300),
)

const values: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json[]>(
    null,
    true,
    1,
    '1',
    '',
    '\u0000',
    'null',
    '{"a":1}',
    { a: 1 },
    { a: null },
    {},
    { constructor: { toString: null } },
    [],
    [[null]],
    -0,
    exactNumber('1e400'),
    exactNumber('-1e-400'),
    exactNumber('9223372036854775808'),
    exactNumber('123456789012345678901234567890.000000000000000000001'),
    '2026-01-01T00:00:00Z',
    "'); DROP TABLE target; --",
    '\u2028\ufeff\ufffd',
  ),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme' }).map((value) => value as Json),
)

/** Few, so that some events tie; what is no sequence too. */
const sequences = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 5 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Json[]>(null, true, '1', {}, exactNumber('-1e-400'), -0),
  },
)

const records: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.record({ id: values, s: sequences }, { requiredKeys: [] }),
    fc.array(fc.tuple(names, values), { maxLength: 3 }),
  )
  .map(([own, more]) => ({ ...own, ...Object.fromEntries(more) }))

const flows: fc.Arbitrary<FlowOptions> = fc
  .tuple(
    fc.constantFrom(1 as const, 2 as const, 'bitemporal' as const),
    fc.constantFrom<Partial<FlowOptions>[]>({}, { ignore_null_updates: true }, { time_by: 'at' }),
  )
  .map(([stored_as_scd_type, more]) => ({
    name: 'main',
    keys: ['id'],
    sequence_by: 's',
    stored_as_scd_type,
    ...(stored_as_scd_type === 1 && more.time_by !== undefined ? {} : more),
  }))

const scenarios: fc.Arbitrary<Scenario> = fc
  .tuple(flows, fc.array(fc.array(records, { minLength: 1, maxLength: 6 }), { maxLength: 3 }))
  .map(([flow, batches]) => {
    let number = 0
    const deliveries = batches.map((batch) =>
      batch.map((record): Delivery => {
        number += 1
        return { flow: 'main', position: { name: 'feed', number }, record }
      }),
    )
    return { flows: [flow], deliveries }
  })

test('1, 9 hostile names and values come out as they went in, or are refused as the page says', () => {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      const { rows, events, quarantine } = oracle(scenario)
      using engine = new EngineUnderTest(scenario.flows)
      engine.deliverAll(scenario.deliveries)
      expect(engine.quarantine().map(({ number, code }) => `${number} ${code}`)).toEqual(
        quarantine.map(({ position, code }) => `${position.number} ${code}`),
      )
      expect(engine.table()).toEqual(tableText(rows))
      expect(engine.remembered('main')?.counts.accepted ?? 0).toBe(events.length)
      expect(engine.findings()).toEqual([])
    }),
    { numRuns },
  )
})
