import fc from 'fast-check'
import type { FlowOptions } from '../models/scenario.ts'
import { sequenceBy, type Clock } from './clocks.ts'

/** The options of a feed's flows, but for the sequence, which its clock decides. */
export type Options = {
  readonly shared: Partial<FlowOptions> & Pick<FlowOptions, 'keys' | 'stored_as_scd_type'>
  /** One or two flows: what each says for itself. */
  readonly each: readonly Partial<FlowOptions>[]
}

/** Names of flows: in order by name the second comes first. */
const NAMES = ['main', 'extra']

/**
 * Columns of a feed's records: keys `id` and `part`, sequence `s` and `r`, system time `t`,
 * operation `op`, time `at`, control column `u`, and values `a`, `b`, `n` and, seldom, `c`.
 */
const PLUMBING = ['op', 's', 'r', 't', 'at']

/** The value columns that options name: those with a history of their own, two tracked at least. */
const lists = fc.subarray(['a', 'b', 'n', 'c'])

const columns = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ except_column_list: PLUMBING }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      { except_column_list: ['op', 's', 'r', 't'] }, // the time stays, as a column
      { except_column_list: ['op', 't', 'at'] }, // every event opens a version
      { except_column_list: [...PLUMBING, 'b'] },
      { column_list: ['a', 'b', 'n'] }, // the late column and the key are not in the list
      {},
    ),
  },
)

const tracked = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: lists.map((list) => ({ track_history_column_list: list })) },
  { weight: 2, arbitrary: lists.map((list) => ({ track_history_except_column_list: list })) },
)

/** Which columns events write. Half of the flows write all, as most do, and take the short paths. */
const writes: fc.Arbitrary<Partial<FlowOptions>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.constant({ ignore_null_updates: true }) },
  {
    weight: 1,
    arbitrary: fc
      .subarray(['a', 'b', 'n', 'c'], { minLength: 1 })
      .map((list) => ({ ignore_null_updates_column_list: list })),
  },
  {
    weight: 1,
    arbitrary: lists.map((list) => ({ ignore_null_updates_except_column_list: list })),
  },
)

const own: fc.Arbitrary<Partial<FlowOptions>> = fc
  .tuple(
    writes,
    seldom({ missing_columns: 'keep' as const }, 2),
    seldom({ columns_to_update: 'u' }, 3),
    seldom({ reach: 'flow' as const }, 2),
  )
  .map((parts) => Object.assign({}, ...parts) as Partial<FlowOptions>)

/** Any flow, or two flows that agree where they must (semantics 1) and differ elsewhere. */
export const options: fc.Arbitrary<Options> = fc.record({
  shared: fc
    .tuple(
      fc.constantFrom(1 as const, 2 as const, 'bitemporal' as const),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(['id']) },
        { weight: 1, arbitrary: fc.constant(['id', 'part']) },
      ),
      columns,
      tracked,
      seldom({ time_by: 'at' }, 3),
      seldom({ system_sequence_by: 't' }, 2),
    )
    .map(([kind, keys, listed, history, time, system]) => ({
      stored_as_scd_type: kind,
      keys,
      ...listed,
      ...(kind !== 1 && { ...history, ...time }),
      ...(kind === 'bitemporal' && system),
    })),
  each: fc.oneof(
    { weight: 5, arbitrary: fc.tuple(own) },
    { weight: 3, arbitrary: fc.tuple(own, own) },
  ),
})

/** The flows of some options, for a feed of a clock. */
export function flowsOf({ shared, each }: Options, clock: Clock): FlowOptions[] {
  return each.map((differs, i) => ({
    name: NAMES[i] ?? '',
    sequence_by: sequenceBy(clock),
    apply_as_deletes: "op = 'D'",
    apply_as_truncates: "op = 'T'",
    ...shared,
    ...differs,
  }))
}

/** Nothing, or once in so many times something. */
function seldom<T extends object>(something: T, times: number): fc.Arbitrary<Partial<T>> {
  return fc.oneof(
    { weight: times - 1, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant(something) },
  )
}
