import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fault, Fed } from './fed.ts'

const ANN = { id: 1, s: 1, name: 'Ann', city: 'Oslo' }
const MOVED = { id: 1, s: 2, name: 'Ann', city: 'Rome' }

test('another tracked set tells the history again from what is kept', () => {
  using flow = new Fed({ stored_as_scd_type: 2, track_history_column_list: ['name'] })
  flow.feed(ANN, MOVED)
  expect(flow.rows).toEqual(['id=1 name=Ann city=Rome __START_AT=1 __END_AT=∅'])
  flow.reconfigure({ stored_as_scd_type: 2 })
  flow.feed()
  expect(flow.rows).toEqual([
    'id=1 name=Ann city=Oslo __START_AT=1 __END_AT=2',
    'id=1 name=Ann city=Rome __START_AT=2 __END_AT=∅',
  ])
})

test('fewer columns tell the history again without them', () => {
  using flow = new Fed({ stored_as_scd_type: 2 })
  flow.feed(ANN, MOVED)
  flow.reconfigure({ stored_as_scd_type: 2, except_column_list: ['s', 'city'] })
  flow.feed()
  expect(flow.rows).toEqual(['id=1 name=Ann __START_AT=1 __END_AT=∅'])
})

test('a bitemporal target is told again as if it had always been so, each change known from its own commit on', () => {
  using flow = new Fed({ stored_as_scd_type: 'bitemporal' })
  flow.feed(ANN)
  flow.feed(MOVED)
  expect(flow.rows.length).toBe(3)
  flow.reconfigure({ stored_as_scd_type: 'bitemporal', except_column_list: ['s', 'city'] })
  flow.feed()
  expect(flow.rows).toEqual([
    'id=1 name=Ann __START_AT=1 __END_AT=∅ __SYSTEM_START_AT=1970-01-01T00:00:00.000002Z __SYSTEM_END_AT=∅',
  ])
})

test('more columns need values that were not kept, so they are refused', () => {
  using flow = new Fed({ except_column_list: ['s', 'city'] })
  flow.feed(ANN)
  flow.reconfigure({})
  expect(fault(() => flow.feed(MOVED))).toBe(
    'REFRESH_NEEDED: flow "f0" now asks for "city", whose earlier values were not kept; run with --from-now to have them from now on, or give the flow another name and target, to build the table anew from what its source still has',
  )
})

test('more columns begin now where the run says --from-now', async () => {
  const file = { source: { files: 'feed.ndjson' } }
  using flow = new Fed({ ...file, except_column_list: ['s', 'city'] })
  appendFileSync(flow.path('feed.ndjson'), `${JSON.stringify(ANN)}\n`)
  await flow.run(false)
  flow.reconfigure(file)
  appendFileSync(flow.path('feed.ndjson'), `${JSON.stringify({ ...MOVED, id: 2 })}\n`)
  await flow.run(true)
  expect(flow.rows).toEqual(['id=1 name=Ann city=∅', 'id=2 name=Ann city=Rome'])
})

test.each([
  ['keys', { keys: ['name'] }, 'keys was id, is now name'],
  ['storage kind', { stored_as_scd_type: 2 }, 'stored_as_scd_type was 1, is now 2'],
  [
    'sequence type',
    { sequence_by: { column: 's', type: 'text' } },
    'sequence type was number, is now text',
  ],
])('another %s is refused, and the difference spelled out', (_, options, difference) => {
  using flow = new Fed({})
  flow.feed(ANN)
  flow.reconfigure(options)
  const message = fault(() => flow.feed(MOVED))
  expect(message).toMatch(/^TARGET_CHANGED: /)
  expect(message).toContain(difference)
})

test('what an event wrote was judged when it was read, and stays', () => {
  using flow = new Fed({ apply_as_deletes: "name = 'Ann'" })
  flow.feed(ANN, { ...ANN, id: 2, name: 'Bob' })
  flow.reconfigure({ apply_as_deletes: "name = 'Bob'" })
  flow.feed({ ...ANN, id: 3 })
  expect(flow.rows).toEqual(['id=2 name=Bob city=Oslo', 'id=3 name=Ann city=Oslo'])
})

test('a flow that runs once is passed by after it was done, whatever is added', async () => {
  using flow = new Fed({ once: true, source: { files: 'feed.ndjson' } })
  appendFileSync(flow.path('feed.ndjson'), `${JSON.stringify(ANN)}\n`)
  expect(await flow.run(false)).toMatchObject({ read: 1, done: false })
  appendFileSync(flow.path('feed.ndjson'), `${JSON.stringify(MOVED)}\n`)
  expect(await flow.run(false)).toMatchObject({ read: 0, done: true })
  expect(flow.rows).toEqual(['id=1 name=Ann city=Oslo'])
})
