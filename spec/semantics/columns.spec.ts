import { expect, test } from 'vitest'
import { fault, Fed } from './fed.ts'

test('an event writes every column of the target, also one that its record lacks', () => {
  using flow = new Fed({})
  flow.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 2, name: 'Bob' })
  expect(flow.rows).toEqual(['id=1 name=Bob city=∅'])
})

test('an event writes every column of the target, also one that comes to be later', () => {
  using flow = new Fed({})
  flow.feed({ id: 1, s: 5, name: 'Ann' })
  flow.feed({ id: 1, s: 3, name: 'Bob', city: 'Oslo' })
  expect(flow.rows).toEqual(['id=1 name=Ann city=∅'])
})

test('a column comes to be with the first accepted record that has it, a delete too', () => {
  using flow = new Fed({ apply_as_deletes: 'gone' })
  flow.feed({ id: 1, s: 1, gone: false }, { id: 2, s: 2, gone: true, note: 'why' })
  expect(flow.rows).toEqual(['id=1 gone=false note=∅'])
})

test('a refused record brings no column', () => {
  using flow = new Fed({})
  flow.feed({ id: 1, s: 1, name: 'Ann' }, { id: null, s: 2, other: 1 })
  expect(flow.rows).toEqual(['id=1 name=Ann'])
})

test('ignore_null_updates keeps what was there where the record has null or nothing', () => {
  using flow = new Fed({ ignore_null_updates: true })
  flow.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 2, name: null })
  expect(flow.rows).toEqual(['id=1 name=Ann city=Oslo'])
})

test('ignore_null_updates_column_list does so for the listed columns, and the others are written', () => {
  using flow = new Fed({ ignore_null_updates_column_list: ['name'] })
  flow.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 2, name: null })
  expect(flow.rows).toEqual(['id=1 name=Ann city=∅'])
})

test('ignore_null_updates_except_column_list does so for all but the listed, an empty list for all', () => {
  using flow = new Fed({ ignore_null_updates_except_column_list: ['name'] })
  flow.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 2, name: null })
  expect(flow.rows).toEqual(['id=1 name=∅ city=Oslo'])
  using all = new Fed({ ignore_null_updates_except_column_list: [] })
  all.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 2, name: null })
  expect(all.rows).toEqual(['id=1 name=Ann city=Oslo'])
})

test('an empty ignore_null_updates_column_list is a mistake', () => {
  expect(fault(() => new Fed({ ignore_null_updates_column_list: [] }))).toContain(
    'flows[0].ignore_null_updates_column_list: needs at least one column',
  )
})

test('columns_to_update names what is written, null or absent or not, whatever the other options say', () => {
  using flow = new Fed({ columns_to_update: 'cols', ignore_null_updates: true })
  flow.feed(
    { id: 1, s: 1, name: 'Ann', city: 'Oslo', note: 'x' },
    { id: 1, s: 2, name: 'Bob', city: null, cols: ['city', 'note'] },
  )
  expect(flow.rows).toEqual(['id=1 name=Ann city=∅ note=∅'])
})

test('columns_to_update that is null or missing leaves it to the other options', () => {
  using flow = new Fed({ columns_to_update: 'cols' })
  flow.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo', cols: null }, { id: 1, s: 2, name: 'Bob' })
  expect(flow.rows).toEqual(['id=1 name=Bob city=∅'])
})

test('an empty columns_to_update writes nothing, but the row comes to exist', () => {
  using flow = new Fed({ columns_to_update: 'cols' })
  flow.feed({ id: 1, s: 1, name: 'Ann', cols: [] })
  expect(flow.rows).toEqual(['id=1 name=∅'])
})

test('columns_to_update counts for a column that comes later: it is written, as null', () => {
  using flow = new Fed({ columns_to_update: 'cols' })
  flow.feed({ id: 1, s: 5, cols: ['city'] })
  expect(flow.rows).toEqual(['id=1'])
  flow.feed({ id: 1, s: 3, city: 'Oslo' })
  expect(flow.rows).toEqual(['id=1 city=∅'])
})

test('columns_to_update that is no array of names is refused', () => {
  using flow = new Fed({ columns_to_update: 'cols' })
  flow.feed({ id: 1, s: 1, cols: 'city' }, { id: 1, s: 2, cols: ['a', 1] })
  expect(flow.quarantine).toEqual([
    'COLUMN_TYPE: column "cols" is no array of column names: "city"',
    'COLUMN_TYPE: column "cols" is no array of column names: ["a",1]',
  ])
})

test('missing_columns: keep leaves what the record lacks, but not what is null in it', () => {
  using flow = new Fed({ missing_columns: 'keep' })
  flow.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' }, { id: 1, s: 2, name: null })
  expect(flow.rows).toEqual(['id=1 name=∅ city=Oslo'])
})

test('keys are columns of the target whatever the lists say, and none of them can be left out', () => {
  using flow = new Fed({ except_column_list: null, column_list: ['name'] })
  flow.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' })
  expect(flow.rows).toEqual(['id=1 name=Ann'])
  expect(fault(() => new Fed({ except_column_list: ['id'] }))).toContain(
    'flows[0].except_column_list[0]: "id" is a key, and keys are always columns of the target',
  )
})

test('select adds columns, takes the place of the record’s own, and renames where it only names one', () => {
  using flow = new Fed({
    select: { name: 'upper(name)', town: 'city', label: "name || ' of ' || city" },
  })
  flow.feed({ id: 1, s: 1, name: 'Ann', city: 'Oslo' })
  expect(flow.rows).toEqual(['id=1 name=ANN town=Oslo label=Ann of Oslo'])
})

test('select sees the record as it came, conditions see what was selected', () => {
  using flow = new Fed({ select: { s: 's * 10', n: 's' }, where: 's >= 20 AND n < 10' })
  const { accepted, ignored } = flow.feed({ id: 1, s: 1 }, { id: 2, s: 2 })
  expect([accepted, ignored]).toEqual([1, 1])
  expect(flow.rows).toEqual(['id=2 n=2'])
})

test('a column that only the configuration names shows once a record has it', () => {
  using flow = new Fed({ stored_as_scd_type: 2, track_history_column_list: ['city'] })
  flow.feed({ id: 1, s: 1, name: 'Ann' })
  expect(flow.rows).toEqual(['id=1 name=Ann __START_AT=1 __END_AT=∅'])
  flow.feed({ id: 1, s: 2, name: 'Bob', city: 'Oslo' })
  expect(flow.rows).toEqual([
    'id=1 name=Ann city=∅ __START_AT=1 __END_AT=2',
    'id=1 name=Bob city=Oslo __START_AT=2 __END_AT=∅',
  ])
})

test('a number is its value: it shows in one spelling, whichever it came in', () => {
  using flow = new Fed({ columns: { price: 'decimal' } })
  flow.feed({ id: 1, s: 1, price: '1.10' }, { id: 2, s: 2, price: '0.1234567890123456789000' })
  expect(flow.rows).toEqual(['id=1 price=1.1', 'id=2 price=0.1234567890123456789'])
})

test('a table of SCD 2 does not open a version for another spelling of a number', () => {
  using flow = new Fed({ stored_as_scd_type: 2, columns: { price: 'decimal' } })
  flow.feed({ id: 1, s: 1, price: '1.10' }, { id: 1, s: 2, price: '1.1' })
  expect(flow.rows).toEqual(['id=1 price=1.1 __START_AT=1 __END_AT=∅'])
})
