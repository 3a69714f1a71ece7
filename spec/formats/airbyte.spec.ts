import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'

const CDC = { _ab_cdc_lsn: 5, _ab_cdc_updated_at: '2024-01-02T03:04:05Z', _ab_cdc_deleted_at: null }

function read(value: unknown): string[] {
  return rows('airbyte', { value })
}

test('a row is ordered by its log position, and the columns of Airbyte are none of the row', () => {
  expect(read({ id: 1, name: 'x', ...CDC })).toEqual(["upsert (5): id=1 name='x'"])
})

test('a row that was deleted at some time is a deletion', () => {
  const deleted = { ...CDC, _ab_cdc_deleted_at: '2024-01-02T03:04:05Z' }
  expect(read({ id: 1, name: null, ...deleted })).toEqual(['delete (5): id=1 name=null'])
})

test('each source has the position that its connector gives', () => {
  expect(
    read({ id: 1, _ab_cdc_lsn: '00000027:00000ac0:0002', _ab_cdc_event_serial_no: '2' }),
  ).toEqual(["upsert ('00000027:00000ac0:0002', 2): id=1"])
  expect(read({ id: 1, _ab_cdc_log_file: 'binlog.000123', _ab_cdc_log_pos: 456 })).toEqual([
    'upsert (123, 456): id=1',
  ])
  expect(read({ id: 1, _ab_cdc_cursor: 9 })).toEqual(['upsert (9): id=1'])
})

test('a row that was read without change data capture has no sequence', () => {
  expect(read({ id: 1, _airbyte_extracted_at: '2024-01-02T03:04:05Z' })).toEqual(['upsert: id=1'])
})

test('the wrapper of the Kafka destination is taken off, be the data JSON or text', () => {
  const data = { id: 1, ...CDC }
  const wrapper = { _airbyte_ab_id: 'u', _airbyte_stream: 's', _airbyte_emitted_at: 5 }
  expect(read({ ...wrapper, _airbyte_data: data })).toEqual(['upsert (5): id=1'])
  expect(read({ ...wrapper, _airbyte_data: JSON.stringify(data) })).toEqual(['upsert (5): id=1'])
  expect(read({ ...wrapper, _airbyte_data: 'x' })).toEqual([
    'ENVELOPE "_airbyte_data" is no object',
  ])
})

test('of the messages of the protocol records are rows and the others ignored', () => {
  const record = { stream: 's', namespace: 'n', data: { id: 1, ...CDC }, emitted_at: 5 }
  expect(read({ type: 'RECORD', record })).toEqual(['upsert (5): id=1'])
  expect(read({ type: 'STATE', state: {} })).toEqual(['ignored: STATE message'])
  expect(details('airbyte', { value: { type: 'RECORD', record } })).toBe(
    "time timestamp(2024-01-02T03:04:05Z) · _ab_cdc_lsn=5 _ab_cdc_updated_at='2024-01-02T03:04:05Z' _op='upsert' _table='s' _schema='n'",
  )
})

test('a row with a column called type is a row', () => {
  expect(read({ type: 'RECORD', ...CDC })).toEqual(["upsert (5): type='RECORD'"])
  expect(read({ type: 'LOG', log: 1, ...CDC })).toEqual(["upsert (5): type='LOG' log=1"])
})
