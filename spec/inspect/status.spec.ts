import { expect, test } from 'vitest'
import { Kept } from './kept.ts'

const COUNTS = {
  read: 0,
  accepted: 0,
  ignored: 0,
  dropped: 0,
  quarantined: 0,
  changes: 0,
  late: 0,
  ties: 0,
  warned: 0,
  batches: 0,
}

test('a flow that ran tells its counts, where its streams stand, and how big its target is', () => {
  using kept = new Kept({ stored_as_scd_type: 2 })
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: null, s: 6 }, { id: 1, s: 7, name: 'Bob' })
  kept.feed({ id: 2, s: 3, name: 'Cyd' })
  const behind = [{ name: 'feed/a.ndjson', partition: 0, behind: 12, unit: 'bytes' as const }]
  expect(kept.status('f0', behind)).toEqual({
    flow: 'f0',
    target: 't',
    counts: { ...COUNTS, read: 4, accepted: 3, quarantined: 1, changes: 3, batches: 2 },
    checkpoints: [{ stream: 'feed/a.ndjson', next: 5, behind: 12, unit: 'bytes' }],
    lastRunAt: null,
    lastSystemTime: '1970-01-01T00:00:00.000002Z',
    lastFault: null,
    done: false,
    horizon: null,
    tables: { rows: 2, version: 2 },
  })
})

test('a flow that never ran has read none of the streams that there are', () => {
  using kept = new Kept()
  const lag = [
    { name: 'feed/a.ndjson', partition: 0, behind: 40, unit: 'bytes' as const },
    { name: 'users', partition: 2, behind: 7, unit: 'records' as const, start: 12 },
  ]
  expect(kept.status('f0', lag)).toEqual({
    flow: 'f0',
    target: 't',
    counts: COUNTS,
    checkpoints: [
      { stream: 'feed/a.ndjson', next: null, behind: 40, unit: 'bytes' },
      { stream: 'users[2]', next: null, behind: 7, unit: 'records', start: 12 },
    ],
    lastRunAt: null,
    lastSystemTime: null,
    lastFault: null,
    done: false,
    horizon: null,
    tables: { rows: 0, version: null },
  })
})

test('a stream that is gone is behind by nobody knows how much, a new one by all of it', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 1 })
  const lag = [{ name: 'feed/b.ndjson', partition: 0, behind: 40, unit: 'bytes' as const }]
  expect(kept.status('f0', lag).checkpoints).toEqual([
    { stream: 'feed/a.ndjson', next: 2, behind: null, unit: 'bytes' },
    { stream: 'feed/b.ndjson', next: null, behind: 40, unit: 'bytes' },
  ])
})

test.each([
  ['SCD type 1 rows that exist', {}, 1],
  ['SCD type 2 rows that hold now', { stored_as_scd_type: 2 }, 1],
  ['bitemporal rows that hold now and are believed', { stored_as_scd_type: 'bitemporal' }, 1],
])('a table is as big as its %s', (_, options, rows) => {
  using kept = new Kept(options)
  kept.feed({ id: 1, s: 1, name: 'Ann' }, { id: 2, s: 2, name: 'Bob' }, { id: 2, s: 8, op: 'D' })
  kept.feed({ id: 1, s: 5, name: 'Cyd' }).feed({ id: 1, s: 3, name: 'Bob' })
  expect(kept.status('f0', []).tables).toEqual({ rows, version: 3 })
})
