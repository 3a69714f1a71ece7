import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'

const OPERATION = {
  table: 'OGG.EVENT',
  pos: '00000000000000000000143',
  primary_keys: ['id'],
  op_ts: '2020-05-13 15:40:06.000000',
}

function read(operation: object): string[] {
  return rows('ogg-json', { value: { ...OPERATION, ...operation } })
}

const AT = "('00000000000000000000143')"

test('an insert is what is after, a deletion what was before, in the order of the trail', () => {
  expect(read({ op_type: 'I', after: { id: 1, w: 3.14 } })).toEqual([
    `upsert ${AT} key id: id=1 w=3.14`,
  ])
  expect(read({ op_type: 'D', before: { id: 1, w: 3.14 } })).toEqual([
    `delete ${AT} key id: id=1 w=3.14`,
  ])
})

test('a compressed update has the columns that it has, null or not', () => {
  expect(read({ op_type: 'U', before: { id: 1, w: 1 }, after: { id: 1, w: null } })).toEqual([
    `upsert ${AT} key id: id=1 w=null`,
  ])
})

test('a key that only the image before has is the same after', () => {
  expect(read({ op_type: 'U', before: { id: 1 }, after: { w: 2 } })).toEqual([
    `upsert ${AT} key id: w=2 id=1`,
  ])
})

test('an update that changes the key deletes the old key first', () => {
  expect(read({ op_type: 'U', before: { id: 1, w: 1 }, after: { id: 2, w: 1 } })).toEqual([
    `delete ${AT} key id is (2): id=1 w=1`,
    `upsert ${AT} key id was (1): id=2 w=1`,
  ])
})

test('columns that older formatters mark as missing are unavailable, not null', () => {
  const after = {
    id: 1,
    id_isMissing: false,
    w: null,
    w_isMissing: true,
    v: null,
    v_isMissing: false,
  }
  expect(read({ op_type: 'U', before: null, after })).toEqual([
    `upsert ${AT} key id unavailable w: id=1 w=null v=null`,
  ])
})

test('a truncation has no rows', () => {
  expect(read({ op_type: 'T' })).toEqual([`truncate ${AT}:`])
})

test('a missing position is no sequence', () => {
  expect(read({ op_type: 'I', after: { id: 1 }, pos: undefined })).toEqual([
    'upsert (null) key id: id=1',
  ])
})

test('the time is that of the operation, and expressions read operation, schema and table', () => {
  const value = {
    ...OPERATION,
    table: 'CAT.S.T',
    op_type: 'U',
    before: { id: 1 },
    after: { id: 1 },
  }
  expect(details('ogg-json', { value })).toBe(
    "time timestamp(2020-05-13T15:40:06Z) · before id=1 · _op='U' _table='T' _schema='S' _db='CAT'",
  )
})

test('other operations, and those without a row, are refused', () => {
  expect(read({ op_type: 'DDL' })).toEqual(['ENVELOPE unknown op_type "DDL"'])
  expect(read({})).toEqual(['ENVELOPE unknown op_type null'])
  expect(read({ op_type: 'I' })).toEqual(['ENVELOPE "after" of the operation I is no object'])
  expect(read({ op_type: 'D' })).toEqual(['ENVELOPE "before" of the operation D is no object'])
})
