import { expect, test } from 'vitest'
import { fault, Fed } from './fed.ts'

test('a record that is refused is set aside with its reason, and the good ones go on', () => {
  using flow = new Fed({
    stored_as_scd_type: 'bitemporal',
    system_sequence_by: 'y',
    columns: { n: 'integer' },
    source: { events: true, max_columns: 4 },
    except_column_list: ['s', 'y'],
  })
  const { read, accepted, quarantined } = flow.feed(
    { id: 1, s: 1, y: 1 },
    { id: 1, s: 2, y: 2, n: 'x' },
    { id: 1, s: null, y: 2 },
    { id: 1, s: 'a', y: 2 },
    { id: 1, s: 2, y: null },
    { id: null, s: 2, y: 2 },
    { id: 1, s: 2, y: 2, ID: 1 },
    { id: 1, s: 2, y: 2, __start_at: 1 },
    { id: 1, s: 2, y: 2, a: 1, b: 1, c: 1 },
    { id: 2, s: 2, y: 2 },
  )
  expect([read, accepted, quarantined]).toEqual([10, 2, 8])
  expect(flow.quarantine.map((reason) => reason.split(':')[0])).toEqual([
    'COLUMN_TYPE',
    'NULL_SEQUENCE',
    'SEQUENCE_TYPE',
    'NULL_SYSTEM_TIME',
    'NULL_KEY',
    'COLUMN_NAME_CLASH',
    'RESERVED_COLUMN',
    'TOO_LARGE',
  ])
})

test('a record with several faults is set aside for the first of them', () => {
  using flow = new Fed({ columns: { n: 'integer' } })
  flow.feed({ id: null, s: null, n: 'x' }, { id: null, s: null }, { id: null, s: 1 })
  expect(flow.quarantine.map((reason) => reason.split(':')[0])).toEqual([
    'COLUMN_TYPE',
    'NULL_SEQUENCE',
    'NULL_KEY',
  ])
})

test('on_error: fail stops the flow at the first refused record, and nothing of the batch is applied', () => {
  using flow = new Fed({ on_error: 'fail' })
  flow.feed({ id: 1, s: 1 })
  expect(fault(() => flow.feed({ id: 2, s: 2 }, { id: null, s: 3 }, { id: 4, s: null }))).toBe(
    'NULL_KEY: the key column "id" is null or missing (flow "f0", events:3)',
  )
  expect([flow.rows, flow.quarantine]).toEqual([['id=1'], []])
})

test('an expectation warns, drops or fails, as it says', () => {
  const expectation = { name: 'has_name', expect: 'name IS NOT NULL' }
  const feed = (on_violation: string) => {
    using flow = new Fed({ expectations: [{ ...expectation, on_violation }] })
    const { accepted, dropped, violations } = flow.feed(
      { id: 1, s: 1 },
      { id: 2, s: 2, name: 'Ann' },
    )
    return { rows: flow.rows.length, accepted, dropped, violations, aside: flow.quarantine }
  }
  expect(feed('warn')).toEqual({
    rows: 2,
    accepted: 2,
    dropped: 0,
    violations: { has_name: 1 },
    aside: [],
  })
  expect(feed('drop')).toEqual({
    rows: 1,
    accepted: 1,
    dropped: 1,
    violations: { has_name: 1 },
    aside: ['EXPECTATION: violates the expectation "has_name"'],
  })
  expect(fault(() => feed('fail'))).toBe(
    'EXPECTATION_FAILED: violates "has_name" (flow "f0", events:1)',
  )
})

test('a delete or truncate is never held back by an expectation', () => {
  using flow = new Fed({
    apply_as_deletes: "op = 'D'",
    expectations: [{ name: 'has_name', expect: 'name IS NOT NULL', on_violation: 'drop' }],
  })
  flow.feed({ id: 1, s: 1, op: 'U', name: 'Ann' }, { id: 1, s: 2, op: 'D', name: null })
  expect(flow.rows).toEqual([])
})

test('where most of the first 1,000 records are refused the run stops, nothing of that batch applied', () => {
  const records = Array.from({ length: 1_000 }, (_, i) => ({ id: i < 501 ? null : i, s: i }))
  using flow = new Fed({ max_refused_fraction: 0.5 })
  expect(fault(() => flow.feed(...records))).toMatch(/^TOO_MANY_REFUSED: .*501 of 1000/)
  expect(flow.quarantine).toEqual([])
  using tolerant = new Fed({ max_refused_fraction: 0.501 })
  expect(tolerant.feed(...records).quarantined).toBe(501)
  using few = new Fed({ max_refused_fraction: 0.5 })
  expect(few.feed(...records.slice(0, 999)).quarantined).toBe(501)
})

test('two spellings of one column name: the first accepted record decides, and is remembered', () => {
  using flow = new Fed({})
  flow.feed({ id: 1, s: 1, Name: 'Ann' })
  flow.feed({ id: 1, s: 2, name: 'Bob' })
  expect(flow.rows).toEqual(['id=1 Name=Ann'])
  expect(flow.quarantine).toEqual([
    'COLUMN_NAME_CLASH: SQLite cannot tell the columns "name" and "Name" apart',
  ])
})
