import { expect, test } from 'vitest'
import { exactNumber, tableText, type JsonObject } from '../../property-tests/models/json.ts'
import { oracle } from '../../property-tests/models/oracle.ts'
import type { Delivery, FlowOptions } from '../../property-tests/models/scenario.ts'

// What the outside cases leave out, computed by hand.

test('at one sequence the later file wins, in natural order of file names', () => {
  const rows = target(
    { stored_as_scd_type: 1 },
    at('feed-10.ndjson', 1, { id: 1, s: 1, v: 'ten' }),
    at('feed-9.ndjson', 1, { id: 1, s: 1, v: 'nine' }),
  )
  expect(rows).toEqual(table({ id: 1, v: 'ten' }))
})

test('at one sequence the later record of a file wins, in whatever order they arrive', () => {
  const rows = target(
    { stored_as_scd_type: 1 },
    at('feed.ndjson', 10, { id: 1, s: 1, v: 'tenth' }),
    at('feed.ndjson', 9, { id: 1, s: 1, v: 'ninth' }),
  )
  expect(rows).toEqual(table({ id: 1, v: 'tenth' }))
})

test('a truncate of one flow reaches only the keys that the flow wrote last before', () => {
  const flows = [flow({ name: 'a', reach: 'flow' }), flow({ name: 'b', reach: 'flow' })]
  const deliveries = [
    [by('a', 1, { id: 1, s: 1, v: 'a' }), by('a', 2, { id: 2, s: 1, v: 'a' })],
    [by('b', 1, { id: 2, s: 2, v: 'b' }), by('b', 2, { id: 1, s: 9, v: 'b' })],
    [by('a', 3, { id: null, s: 5, op: 'T' })],
  ]
  expect(tableText(oracle({ flows, deliveries }).rows)).toEqual(
    table(
      { id: 1, v: 'a', __START_AT: 1, __END_AT: 5 },
      { id: 1, v: 'b', __START_AT: 9 },
      { id: 2, v: 'a', __START_AT: 1, __END_AT: 2 },
      { id: 2, v: 'b', __START_AT: 2 },
    ),
  )
})

test('at one sequence of one key the flow with the later name wins', () => {
  const flows = [flow({ name: 'b' }), flow({ name: 'a' })]
  const deliveries = [[by('b', 1, { id: 1, s: 1, v: 'b' }), by('a', 2, { id: 1, s: 1, v: 'a' })]]
  expect(tableText(oracle({ flows, deliveries }).rows)).toEqual(
    table({ id: 1, v: 'b', __START_AT: 1 }),
  )
})

test('under ignore_null_updates objects merge leaf by leaf at any depth', () => {
  const rows = target(
    { stored_as_scd_type: 1, ignore_null_updates: true },
    at('feed.ndjson', 1, { id: 1, s: 1, v: { x: 1, y: { z: { p: 1, q: 1 }, w: null } } }),
    at('feed.ndjson', 2, { id: 1, s: 2, v: { x: null, y: { z: { p: 2 }, l: [null] } } }),
  )
  expect(rows).toEqual(table({ id: 1, v: { x: 1, y: { z: { p: 2, q: 1 }, l: [null] } } }))
})

test('under ignore_null_updates an object after a scalar starts from an empty one', () => {
  const rows = target(
    { stored_as_scd_type: 1, ignore_null_updates: true },
    at('feed.ndjson', 1, { id: 1, s: 1, v: { x: 1, y: { z: 1 } } }),
    at('feed.ndjson', 2, { id: 1, s: 2, v: { y: 'flat' } }),
    at('feed.ndjson', 3, { id: 1, s: 3, v: { y: { z: null, w: 1 } } }),
  )
  expect(rows).toEqual(table({ id: 1, v: { x: 1, y: { w: 1 } } }))
})

test('named columns are written as they are, null or absent, and an empty list writes nothing', () => {
  const rows = target(
    { stored_as_scd_type: 1, ignore_null_updates: true, columns_to_update: 'u' },
    at('feed.ndjson', 1, { id: 1, s: 1, v: { x: 1 }, w: 1 }),
    at('feed.ndjson', 2, { id: 1, s: 2, v: { y: null }, u: ['v', 'w', 'no column'] }),
    at('feed.ndjson', 3, { id: 2, s: 1, v: 1, u: [] }),
  )
  expect(rows).toEqual(table({ id: 1, v: { y: null } }, { id: 2 }))
})

test('time_by shows the times of the last events at which a row starts and ends', () => {
  const rows = target(
    { stored_as_scd_type: 2, time_by: 'at', except_column_list: ['s', 'op', 'at'] },
    at('feed.ndjson', 1, { id: 1, s: 1, v: 'a', at: '08:00' }),
    at('feed.ndjson', 2, { id: 1, s: 1, v: 'a', at: '09:00' }),
    at('feed.ndjson', 3, { id: 1, s: 2, v: 'a', at: '10:00' }),
    at('feed.ndjson', 4, { id: 1, s: 3, v: 'b', at: '11:00' }),
    at('feed.ndjson', 5, { id: 1, s: 4, op: 'D' }),
  )
  expect(rows).toEqual(
    table(
      { id: 1, v: 'a', __START_AT: 1, __END_AT: 3, __START_TIME: '09:00', __END_TIME: '11:00' },
      { id: 1, v: 'b', __START_AT: 3, __END_AT: 4, __START_TIME: '11:00' },
    ),
  )
})

test('an empty list of tracked columns makes one row of each uninterrupted existence', () => {
  const rows = target(
    { stored_as_scd_type: 2, track_history_column_list: [] },
    at('feed.ndjson', 1, { id: 1, s: 1, v: 'a' }),
    at('feed.ndjson', 2, { id: 1, s: 2, v: 'b' }),
    at('feed.ndjson', 3, { id: 1, s: 3, op: 'D' }),
    at('feed.ndjson', 4, { id: 1, s: 4, v: 'c' }),
  )
  expect(rows).toEqual(
    table({ id: 1, v: 'b', __START_AT: 1, __END_AT: 3 }, { id: 1, v: 'c', __START_AT: 4 }),
  )
})

test('timestamps are shown in UTC with the digits they need: dates, second 60, offsets and all', () => {
  const rows = target(
    { stored_as_scd_type: 2, sequence_by: { column: 's', type: 'timestamp' } },
    at('feed.ndjson', 1, { id: 1, s: '2026-01-01', v: 'a' }),
    at('feed.ndjson', 2, { id: 1, s: '2026-01-01 00:00:60.50', v: 'b' }),
    at('feed.ndjson', 3, { id: 1, s: '2025-12-31T22:32:00.500-01:30', v: 'c' }),
  )
  expect(rows).toEqual(
    table(
      { id: 1, v: 'a', __START_AT: '2026-01-01T00:00:00Z', __END_AT: '2026-01-01T00:01:00.5Z' },
      { id: 1, v: 'b', __START_AT: '2026-01-01T00:01:00.5Z', __END_AT: '2026-01-01T00:02:00.5Z' },
      { id: 1, v: 'c', __START_AT: '2026-01-01T00:02:00.5Z' },
    ),
  )
})

test('numbers are compared by value, in whatever spelling', () => {
  const rows = target(
    { stored_as_scd_type: 2 },
    at('feed.ndjson', 1, { id: 1, s: 1, v: exactNumber('100') }),
    at('feed.ndjson', 2, { id: exactNumber('1.0'), s: exactNumber('1.5'), v: exactNumber('1e2') }),
    at('feed.ndjson', 3, { id: 1, s: 2, v: exactNumber('-0.0') }),
    at('feed.ndjson', 4, { id: 1, s: exactNumber('20e-1'), v: 0 }),
  )
  expect(rows).toEqual(
    table({ id: 1, v: 100, __START_AT: 1, __END_AT: 2 }, { id: 1, v: 0, __START_AT: 2 }),
  )
})

test('each record is set aside with the first of its faults, and a truncate needs no key', () => {
  const { quarantine } = oracle({
    flows: [flow({ columns_to_update: 'u', system_sequence_by: 't', on_sequence_tie: 'fail' })],
    deliveries: [
      [
        at('feed.ndjson', 1, { id: 1, s: 1, t: 1, v: 1 }),
        at('feed.ndjson', 2, { id: null, s: 5, t: 1, op: 'T' }),
        at('feed.ndjson', 3, { id: null, s: null, t: null, u: 'v' }),
        at('feed.ndjson', 4, { id: null, s: null, t: null }),
        at('feed.ndjson', 5, { id: null, s: '1', t: null }),
        at('feed.ndjson', 6, { id: null, s: true, t: 1 }),
        at('feed.ndjson', 7, { id: null, s: 2, t: null }),
        at('feed.ndjson', 8, { id: null, s: 2, t: 1, V: 1 }),
        at('feed.ndjson', 9, { id: 1, s: 1, t: 1, V: 1, __end_at: 1 }),
        at('feed.ndjson', 10, { id: 1, s: 1, t: 1, __end_at: 1 }),
        at('feed.ndjson', 11, { id: 1, s: 1, t: 1, v: 2 }),
        at('feed.ndjson', 12, { id: 1, s: 5, t: 1, v: 2 }),
      ],
    ],
  })
  expect(quarantine.map(({ position, code }) => `${position.number} ${code}`)).toEqual([
    '3 COLUMN_TYPE',
    '4 NULL_SEQUENCE',
    '5 SEQUENCE_TYPE',
    '6 SEQUENCE_TYPE',
    '7 NULL_SYSTEM_TIME',
    '8 NULL_KEY',
    '9 COLUMN_NAME_CLASH',
    '10 RESERVED_COLUMN',
    '11 SEQUENCE_TIE',
  ])
})

test('a batch that stops its flow is reported with the first refusal by position and leaves no trace', () => {
  const { rows, columns, failed } = oracle({
    flows: [flow({ on_error: 'fail' })],
    deliveries: [
      [at('feed-9.ndjson', 1, { id: 1, s: 1, v: 1 })],
      [
        at('feed-9.ndjson', 2, { id: 2, s: 1, v: 1, w: 1 }),
        at('feed-10.ndjson', 1, { id: 1, s: null }),
        at('feed-9.ndjson', 3, { id: null, s: 1 }),
      ],
      [at('feed-9.ndjson', 4, { id: 3, s: 1, v: 1 })],
    ],
  })
  expect(failed).toEqual({ code: 'NULL_KEY', batch: 2 })
  expect(columns).toEqual(['id', 'v'])
  expect(tableText(rows)).toEqual(table({ id: 1, v: 1, __START_AT: 1 }))
})

function flow(options: Partial<FlowOptions>): FlowOptions {
  return {
    keys: ['id'],
    sequence_by: 's',
    apply_as_deletes: "op = 'D'",
    apply_as_truncates: "op = 'T'",
    except_column_list: ['s', 't', 'op'],
    stored_as_scd_type: 2,
    ...options,
  }
}

function target(options: Partial<FlowOptions>, ...batch: readonly Delivery[]): string[] {
  return tableText(oracle({ flows: [flow(options)], deliveries: [batch] }).rows)
}

function at(name: string, number: number, record: JsonObject): Delivery {
  return { position: { name, number }, record }
}

function by(name: string, number: number, record: JsonObject): Delivery {
  return { flow: name, ...at('feed.ndjson', number, record) }
}

function table(...rows: readonly JsonObject[]): string[] {
  return tableText(rows)
}
