import { expect, test } from 'vitest'
import type { JsonNode } from '../../../src/core/json.ts'
import { sequenceOf } from '../../../src/formats/debezium/source-position.ts'

function sequence(source: Readonly<Record<string, JsonNode>>): unknown {
  return sequenceOf((name) => source[name] ?? null)
}

test('PostgreSQL orders by the position in its log', () => {
  expect(sequence({ connector: 'postgresql', lsn: 9223372036854775807n })).toEqual([
    9223372036854775807n,
  ])
})

test('MySQL and MariaDB order by the number of the file, not its name', () => {
  const at = { connector: 'mysql', file: 'mysql-bin.1000000', pos: 4, row: 2 }
  expect(sequence(at)).toEqual([1000000, 4, 2])
  expect(sequence({ connector: 'mariadb', file: 'mariadb-bin.000003', pos: 900 })).toEqual([
    3, 900, 0,
  ])
})

test('SQL Server orders by commit, change and serial number; a snapshot has only the first', () => {
  const commit_lsn = '00000027:00000ac0:0007'
  const change_lsn = '00000027:00000ac0:0002'
  expect(
    sequence({ connector: 'sqlserver', commit_lsn, change_lsn, event_serial_no: '2' }),
  ).toEqual([commit_lsn, change_lsn, 2])
  expect(sequence({ connector: 'sqlserver', commit_lsn, change_lsn: null })).toEqual([
    commit_lsn,
    '',
    0,
  ])
})

test('Oracle orders by numbers that it writes as text; a snapshot has no commit', () => {
  expect(sequence({ connector: 'oracle', commit_scn: '1005', scn: '1000' })).toEqual([1005, 1000])
  expect(sequence({ connector: 'oracle', commit_scn: null, scn: '999' })).toEqual([999, 999])
})

test('Db2 orders by commit and change', () => {
  const [commit_lsn, change_lsn] = ['00000000:00000000:0000', '00000000:00000001:0000']
  expect(sequence({ connector: 'db2', commit_lsn, change_lsn })).toEqual([commit_lsn, change_lsn])
})

test('CockroachDB orders by two numbers, not by one with a fraction', () => {
  expect(sequence({ origin: 'cockroachdb', ts_hlc: '1747245104106528000.0000000012' })).toEqual([
    1747245104106528000n,
    12,
  ])
})

test('a feed that names no connector is known by its fields', () => {
  expect([
    sequence({ lsn: 5 }),
    sequence({ file: 'bin.000002', pos: 7, row: 0 }),
    sequence({ scn: '5' }),
    sequence({ commit_lsn: '0:1', change_lsn: '0:0', event_serial_no: 1 }),
  ]).toEqual([[5], [2, 7, 0], [5, 5], ['0:1', '0:0', 1]])
})

test('where no position can be trusted, there is none', () => {
  expect([
    sequence({}),
    sequence({ connector: 'postgresql', lsn: null }),
    sequence({ connector: 'postgresql', lsn: 1.5 }),
    sequence({ connector: 'mysql', file: 'mysql-bin', pos: 1 }),
    sequence({ connector: 'mysql', file: 'mysql-bin.000003', pos: null }),
    sequence({ connector: 'yugabytedb', lsn: '1:2::0:0' }),
    sequence({ connector: 'vitess', vgtid: '[]' }),
    sequence({ connector: 'mongodb', ts_ms: 1, ord: 1 }),
  ]).toEqual([null, null, null, null, null, null, null, null])
})
