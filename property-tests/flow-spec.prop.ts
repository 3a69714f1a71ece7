import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TidemarkError } from '../src/core/errors.ts'
import { describeFlow, parseFlowFile, warningsOf } from '../src/pipeline/flow-spec.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 300)

const LEAST = { target: 'users', source: { events: true }, keys: 'id', sequence_by: 'seq' }

const INNER_OPTIONS =
  'files events format header quote max_batch_delay epoch column expr type expect on_violation sqlite memory flows store kafka __proto__'

// Names of options and values near to right ones, so that junk gets past the first check.
const option = fc.constantFrom(
  ...Object.keys(describeFlow(flowOf({}))),
  ...INNER_OPTIONS.split(' '),
)

const scalar = fc.oneof(
  fc.constantFrom('id', 'ID', 'seq', 'text', 'integer', '2', 'bitemporal', '1s', 'keep', '', '{}'),
  fc.constantFrom<unknown>(true, false, null, undefined, 0, 1, 2, 0.5, -1, Number.NaN, 2n ** 70n),
  fc.string({ unit: 'binary' }),
  fc.constantFrom<unknown>(Symbol('s'), new Date(0), new Map(), () => 1),
)

const junk = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(option, tie('any'), { maxKeys: 4 }),
  ),
})).any

function flowOf(options: object): ReturnType<typeof parseFlowFile>['flows'][number] {
  const [flow] = parseFlowFile(
    { store: { memory: true }, flows: [{ ...LEAST, ...options }] },
    '',
  ).flows
  if (flow === undefined) throw new Error('no flow')
  return flow
}

/** What comes of a flow file: its flows, or the fault's code. */
function outcome(spec: unknown): readonly object[] | string {
  try {
    return parseFlowFile(spec, '').flows
  } catch (error) {
    if (error instanceof TidemarkError) return error.code
    throw error
  }
}

test('whatever is given as a flow file is a flow file or a fault of ours', () => {
  fc.assert(
    fc.property(fc.oneof(junk, fc.dictionary(option, junk)), (spec) => {
      expect(outcome(spec)).toBeTypeOf('string')
    }),
    { numRuns },
  )
})

test('whatever is given as flows is flows or a fault of ours', () => {
  const flow = fc
    .dictionary(option, junk, { maxKeys: 3 })
    .map((options) => ({ ...LEAST, ...options }))
  fc.assert(
    fc.property(fc.array(fc.oneof(flow, junk), { minLength: 1, maxLength: 3 }), (flows) => {
      const found = outcome({ store: { memory: true }, flows })
      expect(
        typeof found === 'string' ? ['SPEC_INVALID', 'FLOWS_DISAGREE'] : [found],
      ).toContainEqual(found)
    }),
    { numRuns },
  )
})

const column = fc.constantFrom('a', 'b', 'id', 'seq', '__proto__', 'x y')
const columns = fc.array(column, { maxLength: 3 })
const part = fc.oneof(
  column,
  fc.record({ column, type: fc.constantFrom('bigint', 'timestamp', 'epoch_ms', null) }),
  fc.record({ expr: fc.constantFrom('a + 1', 'b'), type: fc.constantFrom('decimal', null) }),
)
const sequence = fc.oneof(part, fc.array(part, { minLength: 1, maxLength: 3 }))

// Each option right by itself, few names: only what options say against each other is refused.
const options = fc.record(
  {
    source: fc.record(
      {
        files: fc.oneof(fc.constant('*.csv'), fc.constant(['a.csv', 'b.csv'])),
        quote: fc.constantFrom('"', null),
        header: fc.constantFrom<unknown>(true, ['a', 'b']),
        delimiter: fc.constantFrom(';', '\\t', null),
        max_batch_delay: fc.constantFrom<unknown>('2s', '1.5 m', 0),
      },
      { requiredKeys: ['files'] },
    ),
    keys: fc.constantFrom<unknown>('id', ['id'], ['id', 'b']),
    sequence_by: sequence,
    system_sequence_by: fc.option(sequence),
    time_by: fc.option(column),
    stored_as_scd_type: fc.constantFrom<unknown>(2, '2', 'bitemporal'),
    except_column_list: fc.option(columns),
    track_history_column_list: fc.option(columns),
    ignore_null_updates_except_column_list: fc.option(columns),
    missing_columns: fc.constantFrom('keep', 'null', null),
    apply_as_truncates: fc.constantFrom<unknown>(false, null, "op = 'T'"),
    select: fc.option(fc.dictionary(column, fc.constantFrom('a', 'seq', 'a || b'))),
    columns: fc.dictionary(column, fc.constantFrom('int', 'TEXT', 'json')),
    retention: fc.constantFrom<unknown>('7d', 5, null),
    expectations: fc.constantFrom([], [{ name: 'e', expect: 'a' }]),
  },
  { requiredKeys: ['stored_as_scd_type'] },
)

test('a flow that is accepted is the flow that its description describes', () => {
  fc.assert(
    fc.property(options, (given) => {
      if (typeof outcome({ store: { memory: true }, flows: [{ ...LEAST, ...given }] }) === 'string')
        return
      const flow = flowOf(given)
      expect(flowOf(describeFlow(flow))).toEqual(flow)
      expect(warningsOf(flow).every((warning) => !warning.includes('\n'))).toBe(true)
    }),
    { numRuns },
  )
})
