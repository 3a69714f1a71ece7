import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'

const METADATA = {
  timestamp: '2024-10-27T12:39:03.210671Z',
  'record-type': 'data',
  'partition-key-type': 'schema-table',
  'schema-name': 'test',
  'table-name': 'product',
}

function read(operation: string, members: object = {}, type = 'data'): string[] {
  const metadata = { ...METADATA, operation, 'record-type': type }
  return rows('aws-dms-json', { value: { ...members, metadata } })
}

test('a loaded row ranks below a changed one at its offset', () => {
  expect(read('load', { data: { id: 101, name: 'scooter' } })).toEqual([
    "upsert (7) rank -1: id=101 name='scooter'",
  ])
})

test('inserts, updates and deletions have their row in "data"', () => {
  expect(read('insert', { data: { id: 1 } })).toEqual(['upsert (7): id=1'])
  expect(read('update', { data: { id: 1 } })).toEqual(['upsert (7): id=1'])
  expect(read('delete', { data: { id: 1 } })).toEqual(['delete (7): id=1'])
})

test('before values are no columns', () => {
  const data = { id: 2, n: 'b', BI_id: 1, BI_n: 'a', BI_alone: true }
  expect(read('update', { data })).toEqual(["upsert (7): id=2 n='b' BI_alone=true"])
  expect(
    details('aws-dms-json', { value: { data, metadata: { ...METADATA, operation: 'update' } } }),
  ).toBe(
    "time timestamp(2024-10-27T12:39:03.210671Z) · before id=1 n='a' · _op='update' _schema='test' _table='product'",
  )
})

test('before values in an object of their own are told too', () => {
  const value = {
    data: { id: 2, n: 'b' },
    'before-image': { id: 1 },
    metadata: { ...METADATA, operation: 'update', 'commit-timestamp': '2024-10-27T12:00:00Z' },
  }
  expect(details('aws-dms-json', { value })).toBe(
    "time timestamp(2024-10-27T12:00:00Z) · before id=1 · _op='update' _schema='test' _table='product'",
  )
})

test('control records are ignored, but for a truncation', () => {
  expect(read('create-table', {}, 'control')).toEqual(['ignored: control create-table'])
  expect(read('truncate-table', {}, 'control')).toEqual(['truncate (7):'])
})

test('what is no such record is refused', () => {
  expect(read('merge', { data: {} })).toEqual(['ENVELOPE unknown operation "merge"'])
  expect(read('insert', { data: {} }, 'other')).toEqual(['ENVELOPE unknown record-type "other"'])
  expect(read('insert')).toEqual(['ENVELOPE "data" of the insert is no object'])
  expect(rows('aws-dms-json', { value: { id: 1 } })).toEqual([
    'ENVELOPE the value is no object with "metadata"',
  ])
})
