import { expect, test } from 'vitest'
import { Kept } from './kept.ts'

const SCD2 = { stored_as_scd_type: 2 }
const BITEMPORAL = { stored_as_scd_type: 'bitemporal' }
const REGISTERS = { missing_columns: 'keep' }

test.each([
  ['SCD type 1', {}],
  ['SCD type 1, columns with writers of their own', REGISTERS],
  ['SCD type 1 with the whole timeline', { reach: 'flow' }],
  ['SCD type 2', SCD2],
  ['SCD type 2, partial updates', { ...SCD2, ...REGISTERS }],
  ['bitemporal', BITEMPORAL],
  ['bitemporal by the data', { ...BITEMPORAL, system_sequence_by: 'y' }],
])('a store is sound whatever was fed in whatever order: %s', (_, options) => {
  using kept = new Kept(options)
  kept.feed(
    { id: 1, s: 5, y: 1, name: 'Ann', at: '2026-01-01' },
    { id: 2, s: 6, y: 2, name: 'Bob' },
  )
  kept.feed(
    { id: 1, s: 9, y: 3, op: 'D' },
    { id: null, s: 9, y: 3 },
    { id: 3, s: 7, y: 3, name: true },
  )
  kept.feed(
    { s: 4, y: 4, op: 'T' },
    { id: 1, s: 3, y: 5, name: 'Cyd' },
    { id: 2, s: 8, y: 6, name: 7 },
  )
  expect(kept.findings).toEqual([])
})

test('a store in which nothing has run is sound', () => {
  using kept = new Kept()
  expect(kept.findings).toEqual([])
})

test('a row whose end is shifted is found', () => {
  using kept = new Kept(SCD2)
  kept.feed(
    { id: 1, s: 5, name: 'Ann' },
    { id: 1, s: 12, name: 'Bob' },
    { id: 2, s: 1, name: 'Cyd' },
  )
  kept.feed({ id: 3, s: 20, name: 'Dan' })
  kept.damage(
    `UPDATE __tidemark_t1_closed SET z = (SELECT a FROM __tidemark_t1_current WHERE k = 3)`,
  )
  expect(kept.findings).toEqual([
    't tables: key id=1: __END_AT is 12, where the store writes 20',
    't 4: key id=1: two rows overlap',
    't 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a row that ends where it starts is found', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: 1, s: 12, name: 'Bob' })
  kept.damage('UPDATE __tidemark_t1_closed SET z = a, zn = an')
  expect(kept.findings).toEqual([
    't 4: key id=1: a row ends where it starts',
    't 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a run that is split is found', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: 1, s: 12, name: 'Bob' })
  kept.damage(`UPDATE __tidemark_t1_current SET c1 = 'Ann'`)
  expect(kept.findings).toEqual([
    't 4: key id=1: two rows touch and agree on every tracked column',
    't 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a row that is kept twice is found', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: 1, s: 12, name: 'Bob' })
  kept.damage('INSERT INTO __tidemark_t1_closed SELECT * FROM __tidemark_t1_closed')
  expect(kept.findings).toEqual([
    't 4: key id=1: two rows overlap',
    't 2: key id=1: a change is kept twice',
  ])
})

test('a row that is gone is found where others tell of it', () => {
  using kept = new Kept({ ...SCD2, ...REGISTERS })
  kept.feed({ id: 1, s: 5, name: 'Ann', city: 'Oslo' }, { id: 1, s: 12, city: 'Rome' })
  kept.damage('DELETE FROM __tidemark_t1_closed')
  expect(kept.findings).toEqual([
    't 1: key id=1: the rows are not what the kept changes make of them',
    't 1: key id=1: the row kept with a change is not the row after it',
  ])
})

test('a deletion that is gone from what is hidden is found', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: 1, s: 8, op: 'D' })
  kept.damage('DELETE FROM __tidemark_t1_hidden')
  expect(kept.findings).toEqual([
    't 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a change that opened a run and is gone from what is hidden is found', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: 1, s: 8, name: 'Ann' })
  kept.damage('DELETE FROM __tidemark_t1_hidden')
  expect(kept.findings).toEqual([
    't 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a truncate that is gone is found by the rows that it ended', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { s: 8, op: 'T' })
  kept.damage('DELETE FROM __tidemark_truncates')
  expect(kept.findings).toEqual([
    't 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a change that is hidden with another row is found', () => {
  using kept = new Kept({ ...SCD2, ...REGISTERS, track_history_column_list: ['name'] })
  kept.feed({ id: 1, s: 5, name: 'Ann', city: 'Oslo' }, { id: 1, s: 8, city: 'Rome' })
  kept.feed({ id: 1, s: 9, city: 'Bern' })
  kept.damage(`UPDATE __tidemark_t1_hidden SET c2 = 'Bonn' WHERE n = 2`)
  expect(kept.findings).toEqual([
    't 1: key id=1: the row kept with a change is not the row after it',
  ])
})

test('a change with another stamp is found where the order of changes is another', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: 1, s: 5, name: 'Bob' })
  kept.damage('UPDATE __tidemark_t1_hidden SET n = 7')
  expect(kept.findings).toEqual([
    't 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a stamp of a stream that nobody knows is found', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: 2, s: 6, name: 'Bob' })
  kept.damage('UPDATE __tidemark_t1_current SET src = 9 WHERE k = 2')
  expect(kept.findings).toEqual([
    't tables: key id=2: the stream of its change is 9',
    't readable: key id=2: no stream has the number 9',
  ])
})

test('a stamp that no change can have is found', () => {
  using kept = new Kept({ ...SCD2, time_by: 'day', columns: { day: 'date' } })
  kept.feed({ id: 1, s: 5, day: '2026-01-01' }, { id: 1, s: 5, day: '2026-01-01' })
  kept.damage(`UPDATE __tidemark_t1_hidden SET s = 'five', r = 0, y = 'now', n = 1.5, p = -1`)
  expect(kept.findings).toEqual([
    't tables: key id=1: the sequence of its change is "five"',
    't tables: key id=1: the rank of its change is 0',
    't tables: key id=1: the system time of its change is "now"',
    't tables: key id=1: the record number of its change is 1.5',
    't tables: key id=1: the part of its change is -1',
    't 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a truncate that no record can have been is found', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { s: 3, op: 'T' })
  kept.damage(`UPDATE __tidemark_truncates SET s = 'three', reach = 'all', tm = '?', cm = 7`)
  expect(kept.findings).toEqual([
    't tables: a truncate: the sequence of its change is "three"',
    't tables: a truncate: the reach of its change is "all"',
    't tables: a truncate: the time of its change is "?"',
    't tables: a truncate: there is no commit 7',
    't readable: no more of it can be read: no part of a key: ?',
  ])
})

test('a change of a commit that never was is found', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' })
  kept.damage('UPDATE __tidemark_t1_current SET cm = 7')
  expect(kept.findings).toEqual(['t tables: key id=1: there is no commit 7'])
})

test('what a partial change wrote and cannot be read is found', () => {
  using kept = new Kept({ ...SCD2, ...REGISTERS })
  kept.feed({ id: 1, s: 5, name: 'Ann' })
  kept.damage(`UPDATE __tidemark_t1_current SET patch = '{}'`)
  expect(kept.findings).toEqual([
    't readable: key id=1: what is hidden behind its rows cannot be read',
  ])
})

test('a row under the key of another is found', () => {
  using kept = new Kept(SCD2)
  kept.feed({ id: 1, s: 5, name: 'Ann' })
  kept.damage('UPDATE __tidemark_t1_current SET c0 = 2')
  expect(kept.findings).toEqual(['t 11: key id=1: a row stands under another key than its own'])
})

test.each([
  ['SCD type 1', {}, 'rows'],
  ['SCD type 2', SCD2, 'current'],
])('a key that is no key is found: %s', (_, options, table) => {
  using kept = new Kept({ ...options, keys: ['id', 'name'] })
  kept.feed({ id: 1, s: 5, name: 'Ann' })
  kept.damage(`UPDATE __tidemark_t1_${table} SET k = '?'`)
  expect(kept.findings).toEqual([
    `t tables: key "?": its key is "?", where the store writes x'3f'`,
    't readable: key "?": nothing is found under this key',
  ])
})

test('a bitemporal row that is believed for longer is found', () => {
  using kept = new Kept(BITEMPORAL)
  kept.feed({ id: 1, s: 5, name: 'Ann' }).feed({ id: 1, s: 9, name: 'Bob' })
  kept.damage('UPDATE __tidemark_t1_disbelieved SET until = NULL, untiln = NULL')
  expect(kept.findings).toEqual(['t 4: key id=1: two rows overlap on both axes'])
})

test('a bitemporal row that was believed for no time is found', () => {
  using kept = new Kept(BITEMPORAL)
  kept.feed({ id: 1, s: 5, name: 'Ann' }).feed({ id: 1, s: 9, name: 'Bob' })
  kept.damage('UPDATE __tidemark_t1_disbelieved SET until = since, untiln = sincen')
  expect(kept.findings).toEqual(['t 4: key id=1: a row was believed for no time'])
})

test('a bitemporal row without system time is found', () => {
  using kept = new Kept(BITEMPORAL)
  kept.feed({ id: 1, s: 5, name: 'Ann' })
  kept.damage('UPDATE __tidemark_t1_current SET since = NULL, sincen = NULL')
  expect(kept.findings).toEqual(['t 5: key id=1: a row has no system time'])
})

test('a bitemporal row that is believed from another commit on is found', () => {
  using kept = new Kept(BITEMPORAL)
  kept.feed({ id: 1, s: 5, name: 'Ann' }).feed({ id: 1, s: 9, name: 'Bob' })
  kept.feed({ id: 2, s: 1, name: 'Cyd' })
  kept.damage(
    `UPDATE __tidemark_t1_current SET (since, sincen) =
     (SELECT since, sincen FROM __tidemark_t1_current WHERE k = 2) WHERE k = 1`,
  )
  expect(kept.findings).toEqual(['t 5: key id=1: beliefs change where nothing was learnt'])
})

test('a bitemporal row of the past that is gone is found', () => {
  using kept = new Kept(BITEMPORAL)
  kept.feed({ id: 1, s: 5, name: 'Ann' }).feed({ id: 1, s: 9, name: 'Bob' })
  kept.damage('DELETE FROM __tidemark_t1_disbelieved')
  expect(kept.findings).toEqual([
    't 5: key id=1: what was believed once is not what had been learnt by then',
  ])
})

test('a bitemporal row of the past with another value is found', () => {
  using kept = new Kept({ ...BITEMPORAL, system_sequence_by: 'y' })
  kept.feed({ id: 1, s: 5, y: 10, name: 'Ann' }, { id: 1, s: 9, y: 20, name: 'Bob' })
  kept.damage(`UPDATE __tidemark_t1_disbelieved SET c2 = 'Cyd'`)
  expect(kept.findings).toEqual([
    't 5: key id=1: what was believed once is not what had been learnt by then',
  ])
})

test('a key with a row and a tombstone is found', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: 2, s: 6, op: 'D' })
  kept.damage('UPDATE __tidemark_t1_dead SET k = 1')
  expect(kept.findings).toEqual(['t 1: key id=1: the key has a row and a tombstone'])
})

test('a row that is older than the latest truncate is found', () => {
  using kept = new Kept()
  kept.feed({ s: 7, op: 'T' }, { id: 1, s: 8, name: 'Ann' }, { id: 2, s: 9, op: 'D' })
  kept.damage('UPDATE __tidemark_truncates SET s = (SELECT s FROM __tidemark_t1_dead)')
  expect(kept.findings).toEqual(['t 1: key id=1: what is kept is older than the latest truncate'])
})

test('a tombstone that is older than the latest truncate is found', () => {
  using kept = new Kept()
  kept.feed({ s: 7, op: 'T' }, { id: 1, s: 8, op: 'D' }, { id: 2, s: 9, name: 'Ann' })
  kept.damage('UPDATE __tidemark_truncates SET s = (SELECT s FROM __tidemark_t1_rows)')
  expect(kept.findings).toEqual(['t 1: key id=1: what is kept is older than the latest truncate'])
})

test('a column that is older than the deletion of its key is found', () => {
  using kept = new Kept(REGISTERS)
  kept.feed({ id: 1, s: 5, op: 'D' }, { id: 1, s: 7, name: 'Ann' }, { id: 1, s: 9, city: 'Rome' })
  kept.damage(`UPDATE __tidemark_t1_rows SET versions = json_set(versions, '$[4][0]', s)`)
  expect(kept.findings).toEqual([
    't 1: key id=1: what is kept is older than the deletion of its key',
  ])
})

test('a column that is newer than its row is found', () => {
  using kept = new Kept(REGISTERS)
  kept.feed({ id: 1, s: 5, name: 'Ann', city: 'Oslo' }, { id: 1, s: 9, city: 'Rome' })
  kept.feed({ id: 2, s: 1, name: 'Bob' })
  kept.damage(
    'UPDATE __tidemark_t1_rows SET s = (SELECT s FROM __tidemark_t1_rows WHERE k = 2) WHERE k = 1',
  )
  expect(kept.findings).toEqual([
    't 1: key id=1: a column is newer than the latest change of its row',
  ])
})

test('a number of records that does not add up is found', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: null, s: 6 })
  kept.damage(`UPDATE __tidemark_flows SET record = json_set(record, '$.counts.read', 3)`)
  expect(kept.findings).toEqual([
    't 9: flow f0: read 3 is not accepted 1 + ignored 0 + dropped 0 + quarantined 1',
  ])
})

test('a record that was set aside and is gone is found', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 5, name: 'Ann' }, { id: null, s: 6 })
  kept.damage('DELETE FROM __tidemark_quarantine')
  expect(kept.findings).toEqual(['t 9: flow f0: 0 records are set aside, 1 were counted'])
})

test.each([
  ['timestamp', { at: 'timestamp' }, '2026-01-02T03:04:05Z', '"yesterday", which is no timestamp'],
  ['date', { at: 'date' }, '2026-01-02', '"yesterday", which is no date'],
  ['time', { at: 'time' }, '03:04:05', '"yesterday", which is no time'],
  ['nested value', { at: 'json' }, '{"a":1}', 'yesterday, which is no json'],
])('a cell that holds no %s is found', (_, columns, at, fault) => {
  using kept = new Kept({ columns })
  kept.feed({ id: 1, s: 5, at })
  kept.damage(`UPDATE __tidemark_t1_rows SET c1 = 'yesterday'`)
  expect(kept.findings).toEqual([`t readable: key id=1: the column "at" holds ${fault}`])
})

test('a cell of a type that its column does not have is found', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 5, n: 7, flag: true })
  kept.damage(`UPDATE __tidemark_t1_rows SET c1 = 'many', c2 = 5`)
  expect(kept.findings).toEqual([
    't tables: key id=1: "n" is "many", where the store writes null',
    't tables: key id=1: "flag" is 5, where the store writes 1',
  ])
})

test('a tag that a cell should not have is found', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 5, n: 7 })
  kept.damage(`UPDATE __tidemark_t1_rows SET tags = ',1=b,'`)
  expect(kept.findings).toEqual(['t tables: key id=1: "n" is 7, where the store writes 1'])
})

test('a bound that readers see and the engine does not is found', () => {
  using kept = new Kept({ ...BITEMPORAL, sequence_by: { column: 's', type: 'timestamp' } })
  kept.feed({ id: 1, s: '2026-01-01T00:00:00.5Z', name: 'Ann' })
  kept.damage(`UPDATE __tidemark_t1_current SET an = '2026-01-01T00:00:00.5Z', untiln = 'never'`)
  expect(kept.findings).toEqual([
    't tables: key id=1: __START_AT is "2026-01-01T00:00:00.5Z", where the store writes "2026-01-01T00:00:00.500Z"',
    't tables: key id=1: __SYSTEM_END_AT is "never", where the store writes null',
  ])
})

test('a time of a row that is no value is found', () => {
  using kept = new Kept({ ...SCD2, time_by: 'day', columns: { day: 'date' } })
  kept.feed({ id: 1, s: 1, day: '2026-01-01' })
  kept.damage(`UPDATE __tidemark_t1_current SET w0 = '2026-02-30'`)
  expect(kept.findings).toEqual([
    't readable: key id=1: a time of a row is "2026-02-30", which is no date',
    't 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a view that readers would miss is found', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 5, name: 'Ann' })
  kept.damage('DROP VIEW t')
  expect(kept.findings).toEqual(['t tables: the view "t" is missing'])
  kept.damage('CREATE VIEW t AS SELECT c0 AS id FROM __tidemark_t1_rows')
  expect(kept.findings).toEqual(['t tables: the view "t" has the columns id instead of id, name'])
  kept.damage(
    'DROP VIEW t',
    'CREATE VIEW t AS SELECT c0 AS id, c1 AS name FROM __tidemark_t1_rows WHERE c0 > 1',
  )
  expect(kept.findings).toEqual(['t tables: the view "t" shows 0 of 1 rows'])
  kept.damage('DROP VIEW t', 'CREATE VIEW t AS SELECT lost FROM __tidemark_t1_rows')
  expect(kept.findings).toEqual(['t tables: the view "t" cannot be read: no such column: lost'])
})

test('a table that is gone is found, and ends the examination of its target only', () => {
  using kept = new Kept(SCD2, { ...SCD2, target: 'u' })
  kept.feed({ id: 1, s: 5, name: 'Ann' })
  kept.feedFrom('f1', { name: 'b', partition: 0 }, { id: 1, s: 5 }, { id: 1, s: 9, op: 'D' })
  kept.damage('DROP TABLE __tidemark_t1_hidden', 'DELETE FROM __tidemark_t2_hidden')
  expect(kept.findings).toEqual([
    't tables: the table __tidemark_t1_hidden is missing',
    't readable: no more of it can be read: no such table: __tidemark_t1_hidden',
    'u 1: key id=1: the rows are not what the kept changes make of them',
  ])
})

test('a file that SQLite finds damaged is found', () => {
  using kept = new Kept()
  kept.feed({ id: 1, s: 5, name: 'Ann' })
  kept.damage(
    'CREATE TABLE other (a CHECK (a > 0))',
    'PRAGMA ignore_check_constraints = ON',
    'INSERT INTO other VALUES (0)',
  )
  expect(kept.findings).toEqual([' file: CHECK constraint failed in other'])
})
