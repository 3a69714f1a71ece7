import { expect, test } from 'vitest'
import { statusJson, statusText } from '../../../src/cli/render/status.ts'
import type { FlowStatus } from '../../../src/index.ts'

const CUSTOMERS: FlowStatus = {
  flow: 'customers',
  target: 'users',
  counts: {
    read: 12345,
    accepted: 12340,
    ignored: 1,
    dropped: 2,
    quarantined: 2,
    changes: 12340,
    late: 7,
    ties: 1,
    warned: 0,
    batches: 3,
  },
  checkpoints: [
    { stream: 'feed/a.ndjson', next: 12001, behind: 0, unit: 'bytes' },
    { stream: 'feed/b.ndjson', next: 346, behind: null, unit: 'bytes' },
  ],
  lastRunAt: '2026-01-01T00:00:00Z',
  lastSystemTime: '2026-01-01T00:00:01Z',
  lastFault: '',
  done: false,
  horizon: null,
  tables: { rows: 1000, version: 3 },
}

const NEW: FlowStatus = {
  ...CUSTOMERS,
  flow: 'orders',
  checkpoints: [],
  lastRunAt: null,
  lastSystemTime: null,
  lastFault: null,
  tables: { rows: 1, version: null },
}

test('a status tells how far each flow has come', () => {
  expect(statusText([CUSTOMERS], Infinity)).toBe(`\
customers
  target       users, 1,000 rows, version 3
  last run     2026-01-01T00:00:00Z, well
  system time  2026-01-01T00:00:01Z
  records      12,345 read = 12,340 accepted + 1 ignored + 2 dropped + 2 quarantined
  changes      12,340 in 3 batches, 7 late, 1 tie
  horizon      all history is kept
  stream          next   behind
  feed/a.ndjson  12001  0 bytes
  feed/b.ndjson    346  unknown
`)
})

test('a status tells of values that nothing supplied', () => {
  const counts = { ...CUSTOMERS.counts, unknown_values: 1 }
  expect(statusText([{ ...CUSTOMERS, counts }], Infinity)).toContain(
    '  unknown      1 value left out by the feed\n',
  )
})

test('a flow that never ran says so', () => {
  const counts = { ...CUSTOMERS.counts, read: 0, accepted: 0, ignored: 0, dropped: 0 }
  expect(statusText([{ ...NEW, counts: { ...counts, quarantined: 0, changes: 0 } }], 80)).toBe(`\
orders
  target       users, 1 row
  last run     never
  system time  no commit yet
  records      0 read = 0 accepted + 0 ignored + 0 dropped + 0 quarantined
  changes      0 in 3 batches, 7 late, 1 tie
  horizon      all history is kept
  nothing read yet
`)
})

test('a stream that was never read says so, and where it is going to begin if that is known', () => {
  const checkpoints = [
    { stream: 'users[0]', next: null, start: 12, behind: 7, unit: 'records' },
    { stream: 'feed/a.ndjson', next: null, behind: 40, unit: 'bytes' },
  ]
  expect(statusText([{ ...NEW, checkpoints }], Infinity)).toContain(`
  stream                          next     behind
  users[0]       not read yet, from 12  7 records
  feed/a.ndjson           not read yet   40 bytes
`)
  const { checkpoints: told }: { checkpoints: unknown } = JSON.parse(
    statusJson({ ...NEW, checkpoints }),
  )
  expect(told).toEqual(checkpoints)
})

test('a run that did not end well shows how it ended', () => {
  const failed = statusText([{ ...CUSTOMERS, lastFault: 'TOO_MANY_REFUSED' }], 80)
  expect(failed).toContain('last run     2026-01-01T00:00:00Z, ended with TOO_MANY_REFUSED\n')
  const killed = statusText([{ ...CUSTOMERS, lastFault: null }], 80)
  expect(killed).toContain('last run     2026-01-01T00:00:00Z, still going on or killed\n')
})

test('of many streams the last ones are shown', () => {
  const checkpoints = Array.from({ length: 25 }, (_, i) => ({
    stream: `feed/${i}.ndjson`,
    next: 2,
    behind: 0,
    unit: 'bytes',
  }))
  const text = statusText([{ ...CUSTOMERS, checkpoints }], 80)
  expect(text).not.toContain('feed/4.ndjson')
  expect(text).toContain('feed/5.ndjson')
  expect(text).toContain('  … 5 earlier streams, all with --json\n')
})

test('a status as JSON names its fields in snake_case', () => {
  const { lastRunAt, lastSystemTime, lastFault, ...rest } = CUSTOMERS
  expect(JSON.parse(statusJson(CUSTOMERS))).toEqual({
    ...rest,
    last_run_at: lastRunAt,
    last_system_time: lastSystemTime,
    last_fault: lastFault,
  })
})
