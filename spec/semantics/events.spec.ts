import { expect, test } from 'vitest'
import { fault, Fed, type Options } from './fed.ts'

test('a record that satisfies both conditions is a truncate', () => {
  using flow = new Fed({ apply_as_deletes: "op = 'X'", apply_as_truncates: "op = 'X'" })
  flow.feed({ id: 1, s: 1, op: 'U' }, { id: 2, s: 2, op: 'U' }, { id: 2, s: 3, op: 'X' })
  expect(flow.rows).toEqual([])
})

test('a truncate needs no key', () => {
  using flow = new Fed({ apply_as_truncates: "op = 'T'" })
  const { accepted } = flow.feed({ id: 1, s: 1, op: 'U' }, { s: 2, op: 'T' })
  expect([accepted, flow.rows]).toEqual([2, []])
})

test('a condition that is null is not true', () => {
  using flow = new Fed({ apply_as_deletes: 'gone', where: 'kept' })
  const { ignored } = flow.feed(
    { id: 1, s: 1, kept: true },
    { id: 1, s: 2, kept: true, gone: null },
    { id: 2, s: 3, kept: null },
  )
  expect(ignored).toBe(1)
  expect(flow.rows).toEqual(['id=1 kept=true gone=∅'])
})

test('records that do not satisfy where are ignored, faults and all, unless they cannot be read', () => {
  using flow = new Fed({ where: 'id > 0' })
  const { ignored, quarantined } = flow.feed({ id: null, s: null }, { id: 0 }, { id: 1, s: null })
  expect([ignored, quarantined]).toEqual([2, 1])
})

test('records offer their place to expressions', () => {
  using flow = new Fed({ select: { place: "_file || ':' || _record" } })
  flow.feed({ id: 1, s: 1 }, { id: 2, s: 1 })
  expect(flow.rows).toEqual(['id=1 place=events:1', 'id=2 place=events:2'])
})

test.each([
  ['a column that holds an array', 's'],
  ['a list of columns', ['a', 'b']],
  ['an expression', { expr: 'a * 100 + b' }],
])('a sequence may be %s', (_, sequence) => {
  using flow = new Fed({ sequence_by: sequence, column_list: ['name'], except_column_list: null })
  flow.feed(
    { id: 1, s: [1, 10], a: 1, b: 10, name: 'later' },
    { id: 1, s: [1, 9], a: 1, b: 9, name: 'earlier' },
  )
  expect(flow.rows).toEqual(['id=1 name=later'])
})

test('the first accepted record fixes the type of the sequence, and others are refused', () => {
  using flow = new Fed({})
  flow.feed({ id: null, s: 'text' }, { id: 1, s: 1 }, { id: 2, s: 'text' }, { id: 3, s: [1, 2] })
  expect(flow.rows).toEqual(['id=1'])
  expect(flow.quarantine).toEqual([
    'NULL_KEY: the key column "id" is null or missing',
    'SEQUENCE_TYPE: the sequence is not of type number: "text"',
    'SEQUENCE_TYPE: the sequence is not of type number: [1,2]',
  ])
})

test('a number is a timestamp only where the type names its unit', () => {
  using flow = new Fed({
    sequence_by: { column: 's', type: 'epoch_ms' },
    stored_as_scd_type: 2,
  })
  flow.feed({ id: 1, s: 1_500 })
  expect(flow.rows).toEqual(['id=1 __START_AT=1970-01-01T00:00:01.5Z __END_AT=∅'])
})

test('on_sequence_tie: fail refuses another event of a key at its sequence', () => {
  using flow = new Fed({ on_sequence_tie: 'fail' })
  flow.feed(
    { id: 1, s: 1, name: 'Ann' },
    { id: 2, s: 1, name: 'Bob' },
    { id: 1, s: 1, name: 'Cyd' },
  )
  expect(flow.rows).toEqual(['id=1 name=Ann', 'id=2 name=Bob'])
  expect(flow.quarantine).toEqual([
    'SEQUENCE_TIE: the key already has another event at this sequence',
  ])
})

test('a tie is judged as far as the store holds the other event: SCD 2 all, SCD 1 the latest', () => {
  const later = { id: 1, s: 2, name: 'Bob' }
  const tied = { id: 1, s: 1, name: 'Cyd' }
  using history = new Fed({ on_sequence_tie: 'fail', stored_as_scd_type: 2 })
  history.feed({ id: 1, s: 1, name: 'Ann' }, later)
  expect(history.feed(tied).quarantined).toBe(1)
  using current = new Fed({ on_sequence_tie: 'fail' })
  current.feed({ id: 1, s: 1, name: 'Ann' }, later)
  expect(current.feed(tied).quarantined).toBe(0)
  expect(current.feed({ ...later, name: 'Dan' }).quarantined).toBe(1)
})

test.each([1, 2, 'bitemporal'])(
  'a change is late if a later one of its key came before it, in type %s',
  (kind) => {
    using flow = new Fed({ stored_as_scd_type: kind })
    expect(flow.feed({ id: 1, s: 5 }, { id: 1, s: 3 }, { id: 2, s: 1 }).late).toBe(1)
    expect(flow.feed({ id: 1, s: 4 }, { id: 1, s: 6 }, { id: 2, s: 9 }).late).toBe(1)
  },
)

test.each<[string, Options]>([
  ['SCD 1', {}],
  ['SCD 1 with partial updates', { ignore_null_updates: true }],
  ['SCD 2', { stored_as_scd_type: 2 }],
  ['bitemporal', { stored_as_scd_type: 'bitemporal' }],
  ['bitemporal by the data', { stored_as_scd_type: 'bitemporal', system_sequence_by: 's' }],
])('a change is a tie if its key has another one at its sequence, in type %s', (_, options) => {
  using flow = new Fed(options)
  expect(flow.feed({ id: 1, s: 5, n: 1 }, { id: 1, s: 5, n: 2 }, { id: 2, s: 5 }).ties).toBe(1)
  expect(flow.feed({ id: 1, s: 5, n: 3 }).ties).toBe(1)
})

test('of several flows into one target the later name wins at one sequence', () => {
  using flow = new Fed({}, {})
  flow.feedTo('f1', { id: 1, s: 1, name: 'second flow' })
  flow.feedTo('f0', { id: 1, s: 1, name: 'first flow' })
  expect(flow.rows).toEqual(['id=1 name=second flow'])
})

test('reach: flow keeps a truncate from keys that another flow wrote last', () => {
  const options = { reach: 'flow', apply_as_truncates: "op = 'T'" }
  using flow = new Fed(options, options)
  flow.feedTo('f0', { id: 1, s: 1, op: 'U' }, { id: 2, s: 1, op: 'U' })
  flow.feedTo('f1', { id: 2, s: 2, op: 'U' }, { id: 3, s: 2, op: 'U' })
  flow.feedTo('f0', { s: 5, op: 'T' })
  expect(flow.rows).toEqual(['id=2 op=U', 'id=3 op=U'])
})

test.each([
  ['keys', { keys: ['id', 'part'] }],
  ['stored_as_scd_type', { stored_as_scd_type: 2 }],
  ['sequence_by', { sequence_by: { column: 's', type: 'timestamp' } }],
  ['system_sequence_by', { stored_as_scd_type: 'bitemporal', system_sequence_by: 'y' }],
])('flows into one target agree on %s', (_, other) => {
  const one = { sequence_by: { column: 's', type: 'integer' } }
  expect(fault(() => new Fed(one, { ...one, ...other }))).toMatch(/^FLOWS_DISAGREE: /)
})

test('flows into one target agree on the columns that they track', () => {
  const one = { stored_as_scd_type: 2 }
  expect(fault(() => new Fed(one, { ...one, track_history_column_list: ['name'] }))).toMatch(
    /^FLOWS_DISAGREE: /,
  )
})
