import { expect, test } from 'vitest'
import { summaryJson, summaryText } from '../../../src/cli/render/summary.ts'
import type { RunSummary } from '../../../src/index.ts'

const CUSTOMERS: RunSummary = {
  flow: 'customers',
  target: 'users',
  read: 1234,
  accepted: 1230,
  ignored: 1,
  dropped: 2,
  quarantined: 1,
  changes: 1230,
  late: 7,
  ties: 0,
  warned: 0,
  batches: 3,
  seconds: 0.5,
  system_time: '2026-01-01T00:00:00Z',
  done: false,
  violations: { has_name: 2, has_city: 0 },
  warnings: [],
}

test('a summary has a line per flow, says which expectations were violated, and where to look at what was set aside', () => {
  const orders = {
    ...CUSTOMERS,
    flow: 'orders',
    read: 0,
    quarantined: 0,
    dropped: 0,
    violations: {},
    done: true,
    seconds: 12.34,
  }
  expect(summaryText([CUSTOMERS, orders], Infinity, 'shop/flow.yaml')).toBe(`\
flow       read  accepted  ignored  dropped  quarantined  changes  late  ties  batches  seconds
customers  1234      1230        1        2            1     1230     7     0        3     0.50
orders        0      1230        1        0            0     1230     7     0        3     12.3
customers: expectation has_name violated by 2 records
customers: 3 records set aside; see tidemark quarantine list shop/flow.yaml --flow customers
orders: passed by, a once flow that is done
`)
})

test('a narrow terminal gets a line per figure', () => {
  expect(summaryText([{ ...CUSTOMERS, violations: {} }], 60, 'f.yaml')).toBe(`\
flow         customers
read         1234
accepted     1230
ignored      1
dropped      2
quarantined  1
changes      1230
late         7
ties         0
batches      3
seconds      0.50
customers: 3 records set aside; see tidemark quarantine list f.yaml --flow customers
`)
})

test('a summary tells of values that nothing supplied, and spells commands for a shell', () => {
  const lacking = { ...CUSTOMERS, flow: "Ada's flow", violations: {}, unknown_values: 1200 }
  const text = summaryText([lacking], Infinity, 'my flows.yaml')
  expect(text.split('\n').slice(2)).toEqual([
    "Ada's flow: 1,200 values left out by the feed that nothing before supplies, null now",
    "Ada's flow: 3 records set aside; see tidemark quarantine list 'my flows.yaml' --flow 'Ada'\\''s flow'",
    '',
  ])
})

test('a summary as JSON is one line with every field', () => {
  const text = summaryJson(CUSTOMERS)
  expect(text.endsWith('\n') && text.indexOf('\n') === text.length - 1).toBe(true)
  expect(JSON.parse(text)).toEqual(CUSTOMERS)
})
