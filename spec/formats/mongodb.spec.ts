import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'

const EVENT = {
  _id: { _data: '8263' },
  ns: { db: 'shop', coll: 'orders' },
  documentKey: { _id: { $oid: '5c' } },
  clusterTime: { $timestamp: { t: 1700000000, i: 3 } },
}

function read(operationType: string, members: object = {}): string[] {
  return rows('mongodb-json', { value: { ...EVENT, operationType, ...members } })
}

const AT = '(1700000000, 3) key _id'
const DOCUMENT = { _id: { $oid: '5c' }, n: { $numberLong: '9007199254740993' } }

test('inserted, replaced and looked up documents are whole rows', () => {
  const drawn = [`upsert ${AT}: _id='5c' n=9007199254740993n`]
  expect(read('insert', { fullDocument: DOCUMENT })).toEqual(drawn)
  expect(read('replace', { fullDocument: DOCUMENT })).toEqual(drawn)
  expect(read('update', { fullDocument: DOCUMENT, updateDescription: {} })).toEqual(drawn)
})

test('an update without the document writes what changed', () => {
  const updateDescription = {
    updatedFields: { a: { $date: '2024-01-02T00:00:00Z' }, 'b.c': 1 },
    removedFields: ['d'],
    truncatedArrays: [],
  }
  expect(read('update', { updateDescription })).toEqual([
    `upsert ${AT} partial merge b: _id='5c' a=timestamp(2024-01-02T00:00:00Z) b=json({"c":1}) d=null`,
  ])
})

test('a path that the event itself takes apart is read as it says', () => {
  const update = (path: readonly unknown[]): string[] =>
    read('update', {
      updateDescription: { updatedFields: { 'a.0': 1 }, disambiguatedPaths: { 'a.0': path } },
    })
  expect(update(['a', '0'])).toEqual([`upsert ${AT} partial merge a: _id='5c' a=json({"0":1})`])
  expect(update(['a.0'])).toEqual([`upsert ${AT} partial: _id='5c' a.0=1`])
  expect(update(['a', 0])).toEqual([
    'ENVELOPE the update cannot be applied to columns: "a.0" is, or may be, an element of an array; let the feed send full documents',
  ])
})

test('a deletion is the document it was, or else its key', () => {
  expect(read('delete')).toEqual([`delete ${AT}: _id='5c'`])
  expect(read('delete', { fullDocumentBeforeChange: { _id: { $oid: '5c' }, n: 1 } })).toEqual([
    `delete ${AT}: _id='5c' n=1`,
  ])
})

test('documents copied before the stream began come first', () => {
  const members = { _id: { _id: 1, copyingData: true }, clusterTime: undefined }
  expect(read('insert', { ...members, fullDocument: { _id: 1 } })).toEqual([
    'upsert (0, 0) rank -1 key _id: _id=1',
  ])
})

test('the document may be a text, and have a schema around it', () => {
  const text = JSON.stringify({ ...EVENT, operationType: 'delete' })
  const drawn = [`delete ${AT}: _id='5c'`]
  expect(rows('mongodb-json', { value: JSON.stringify(text) })).toEqual(drawn)
  expect(rows('mongodb-json', { value: { schema: { type: 'string' }, payload: text } })).toEqual(
    drawn,
  )
})

test('what happens to collections is ignored', () => {
  expect(read('drop')).toEqual(['ignored: drop'])
  expect(read('invalidate')).toEqual(['ignored: invalidate'])
})

test('a message without a value is a tombstone where its key names a document', () => {
  expect(rows('mongodb-json', { key: { _id: { $oid: '5c' } }, value: null })).toEqual([
    "tombstone key _id: _id='5c'",
  ])
  expect(rows('mongodb-json', { key: { _id: { _data: '8263' } }, value: null })).toEqual([
    'ignored: tombstone whose key names no document',
  ])
})

test('the time is the wall clock of the server, or else that of the cluster', () => {
  const value = { ...EVENT, operationType: 'delete' }
  expect(details('mongodb-json', { value })).toBe(
    "time timestamp(2023-11-14T22:13:20Z) · _op='delete' _db='shop' _table='orders' _snapshot=false",
  )
  expect(
    details('mongodb-json', { value: { ...value, wallTime: { $date: '2023-11-14T22:13:20.5Z' } } }),
  ).toBe(
    "time timestamp(2023-11-14T22:13:20.5Z) · _op='delete' _db='shop' _table='orders' _snapshot=false",
  )
})

test('what is no such event is refused', () => {
  expect(read('merge')).toEqual(['ENVELOPE unknown operationType "merge"'])
  expect(read('insert')).toEqual(['ENVELOPE the insert has no "fullDocument"'])
  expect(read('update')).toEqual([
    'ENVELOPE the update has no "fullDocument", and does not say what changed',
  ])
  expect(read('delete', { documentKey: undefined })).toEqual([
    'ENVELOPE the deletion has no "documentKey"',
  ])
  expect(rows('mongodb-json', { value: { _id: 1 } })).toEqual([
    'ENVELOPE the document has no "operationType": whole documents alone are rows of the format json',
  ])
})
