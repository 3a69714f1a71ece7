import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'

const SOURCE = {
  connector: 'mongodb',
  name: 'f',
  ts_ms: 1558965508000,
  snapshot: 'false',
  db: 'inventory',
  collection: 'customers',
  ord: 31,
}

/** A change of the document with `_id` 1; texts of extended JSON are given as the objects they hold. */
function read(op: string, { after = null, update = null, before = null }: Change): string[] {
  const value = {
    before: textOf(before),
    after: textOf(after),
    updateDescription: update && { ...update, updatedFields: textOf(update.updatedFields ?? null) },
    source: SOURCE,
    op,
    ts_ms: 1558965508050,
  }
  return rows('debezium-mongodb', { key: { id: '1' }, value })
}

type Change = {
  readonly after?: object | null
  readonly before?: object | null
  readonly update?: { readonly updatedFields?: object; readonly [name: string]: unknown } | null
}

function textOf(document: object | null): string | null {
  return document && JSON.stringify(document)
}

const AT = '(1558965508000, 31) key _id'

test('a new document is a row of its fields, every digit kept', () => {
  expect(read('c', { after: { _id: { $numberLong: '9007199254740993' }, name: 'Anne' } })).toEqual([
    `upsert ${AT}: _id=9007199254740993n name='Anne'`,
  ])
})

test('a document read in a snapshot ranks below a streamed one', () => {
  expect(read('r', { after: { _id: 1 } })).toEqual([
    'upsert (1558965508000, 31) rank -1 key _id: _id=1',
  ])
})

test('an update with the document is the document', () => {
  expect(read('u', { after: { _id: 1, a: 2 }, update: { updatedFields: { a: 1 } } })).toEqual([
    `upsert ${AT}: _id=1 a=2`,
  ])
})

test('an update without the document writes what changed and clears what was removed', () => {
  const update = { updatedFields: { name: 'Anne Marie' }, removedFields: ['nick'] }
  expect(read('u', { update })).toEqual([`upsert ${AT} partial: _id=1 name='Anne Marie' nick=null`])
  expect(read('u', { update: { removedFields: ['nick'], truncatedArrays: [] } })).toEqual([
    `upsert ${AT} partial: _id=1 nick=null`,
  ])
})

test('what changed inside an object merges into it', () => {
  const updatedFields = { 'a.b': 1, 'a.c.d': [2], e: { f: 3 } }
  expect(read('u', { update: { updatedFields } })).toEqual([
    `upsert ${AT} partial merge a: _id=1 a=json({"b":1,"c":{"d":[2]}}) e=json({"f":3})`,
  ])
})

test('what merging cannot express is refused', () => {
  const because = (what: string): string[] => [
    `ENVELOPE the update cannot be applied to columns: ${what}; let the feed send full documents`,
  ]
  expect(read('u', { update: { updatedFields: { 'a.0': 1 } } })).toEqual(
    because('"a.0" is, or may be, an element of an array'),
  )
  expect(read('u', { update: { updatedFields: { 'a.b': null } } })).toEqual(
    because('"a.b" becomes null in its object'),
  )
  expect(read('u', { update: { updatedFields: { 'a.b': {} } } })).toEqual(
    because('"a.b" becomes another object'),
  )
  expect(read('u', { update: { removedFields: ['a.b'] } })).toEqual(
    because('"a.b" is removed from its object'),
  )
  expect(read('u', { update: { truncatedArrays: [{ field: 'a', newSize: 1 }] } })).toEqual(
    because('an array is truncated'),
  )
  expect(read('u', { update: { updatedFields: { 'a.b': 1, 'a.b.c': 1 } } })).toEqual(
    because('"a.b.c" and another path overlap'),
  )
})

test('a null "after" is no deletion', () => {
  expect(read('u', {})).toEqual(['ENVELOPE the update has neither "after" nor "updateDescription"'])
  expect(read('c', {})).toEqual(['ENVELOPE "after" of the new document is null'])
})

test('a deletion is the document it was, or else its key', () => {
  expect(read('d', {})).toEqual([`delete ${AT}: _id=1`])
  expect(read('d', { before: { _id: 1, a: 2 } })).toEqual([`delete ${AT}: _id=1 a=2`])
})

test('a message without a value is a tombstone of its key', () => {
  expect(rows('debezium-mongodb', { key: { id: '{"$oid": "5c"}' }, value: null })).toEqual([
    "tombstone key _id: _id='5c'",
  ])
  expect(rows('debezium-mongodb', { value: null })).toEqual([
    'ignored: tombstone whose key has no "id"',
  ])
})

test('key and value may each have their schema around them', () => {
  const schema = { type: 'struct' }
  const payload = { op: 'd', after: null, source: SOURCE }
  const key = { schema, payload: { id: '"x"' } }
  expect(rows('debezium-mongodb', { key, value: { schema, payload } })).toEqual([
    `delete ${AT}: _id='x'`,
  ])
  expect(rows('debezium-mongodb', { key, value: { schema: null, payload: null } })).toEqual([
    "tombstone key _id: _id='x'",
  ])
})

test('heartbeats and transaction metadata are ignored', () => {
  expect(rows('debezium-mongodb', { value: { ts_ms: 5 } })).toEqual(['ignored: heartbeat'])
  expect(rows('debezium-mongodb', { value: { status: 'END', id: '1', ts_ms: 5 } })).toEqual([
    'ignored: transaction metadata',
  ])
})

test('the time is that of the source, and expressions read operation, database and collection', () => {
  const value = { op: 'c', after: '{"_id": 1}', source: { ...SOURCE, connector: 'x' } }
  expect(details('debezium-mongodb', { value })).toBe(
    [
      'time timestamp(2019-05-27T13:58:28Z)',
      'origin f',
      `_op='c' _db='inventory' _table='customers' _snapshot='false' _ts_ms=1558965508000 ` +
        '_source=json({"collection":"customers","connector":"x","db":"inventory","name":"f","ord":31,"snapshot":"false","ts_ms":1558965508000})',
    ].join(' · '),
  )
})

test('what is no such record is refused', () => {
  expect(read('m', {})).toEqual(['ENVELOPE unknown op "m"'])
  expect(rows('debezium-mongodb', { value: { id: 1 } })).toEqual([
    'ENVELOPE the record has no "op"',
  ])
  expect(rows('debezium-mongodb', { value: { op: 'c', source: SOURCE, after: '{' } })).toEqual([
    'ENVELOPE broken extended JSON: expected a member name, at character 2 of it',
  ])
  expect(rows('debezium-mongodb', { value: { op: 'c', source: SOURCE, after: '5' } })).toEqual([
    'ENVELOPE "after" is no document',
  ])
  expect(rows('debezium-mongodb', { value: { op: 'd', source: SOURCE } })).toEqual([
    'ENVELOPE the deletion does not say of which "_id"',
  ])
})
