import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'

const HEADERS = {
  operation: 'UPDATE',
  changeSequence: '20231101101500000000000000000000009',
  timestamp: '2023-11-01T10:15:00.000',
  transactionId: '0A',
}

function read(message: object): string[] {
  return rows('qlik-json', { value: { magic: 'atMSG', type: 'DT', message } })
}

test('a change is ordered by its change sequence', () => {
  expect(
    read({ data: { id: 1, v: 'b' }, beforeData: { id: 1, v: 'a' }, headers: HEADERS }),
  ).toEqual(["upsert ('20231101101500000000000000000000009'): id=1 v='b'"])
})

test('rows of the full load have no sequence and come before all', () => {
  const headers = { operation: 'REFRESH', changeSequence: '', timestamp: '' }
  expect(read({ data: { id: 1 }, beforeData: null, headers })).toEqual([
    "upsert ('') rank -1: id=1",
  ])
  expect(read({ data: { id: 1 }, headers: { operation: 'REFRESH' } })).toEqual([
    "upsert ('') rank -1: id=1",
  ])
})

test('a deletion is the row before, wherever it stands', () => {
  const headers = { operation: 'DELETE', changeSequence: '2' }
  expect(read({ data: null, beforeData: { id: 1 }, headers })).toEqual(["delete ('2'): id=1"])
  expect(read({ data: { id: 1 }, beforeData: null, headers })).toEqual(["delete ('2'): id=1"])
})

test('the outer wrapper may be missing', () => {
  const headers = { operation: 'INSERT', changeSequence: '2' }
  expect(rows('qlik-json', { value: { headers, data: { id: 1 }, beforeData: null } })).toEqual([
    "upsert ('2'): id=1",
  ])
})

test('metadata messages are ignored', () => {
  expect(read({ schemaId: 'x', lineage: {}, tableStructure: {} })).toEqual([
    'ignored: metadata message',
  ])
})

test('an update tells its time, what the row was before, and its transaction', () => {
  const message = { data: { id: 2 }, beforeData: { id: 1 }, headers: HEADERS, table: 't' }
  expect(details('qlik-json', { value: { message } })).toBe(
    "time timestamp(2023-11-01T10:15:00Z) · before id=1 · _op='UPDATE' _table='t' _tx_id='0A'",
  )
})

test('other operations, and those without a row, are refused', () => {
  expect(read({ headers: { operation: 'MERGE' }, data: {} })).toEqual([
    'ENVELOPE unknown operation "MERGE"',
  ])
  expect(read({ headers: HEADERS })).toEqual(['ENVELOPE the UPDATE has no row'])
  expect(read({ data: {} })).toEqual(['ENVELOPE the message has no "headers"'])
})
