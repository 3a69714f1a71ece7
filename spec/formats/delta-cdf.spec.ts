import { expect, test } from 'vitest'
import { details, rows } from './feed-drawing.ts'

function read(type: string | null, version: unknown = 4): string[] {
  return rows('delta-cdf', {
    value: { id: 1, v: 'a', _change_type: type, _commit_version: version },
  })
}

test('an insert and the image after an update are the row at the version of their commit', () => {
  expect(read('insert')).toEqual(["upsert (4): id=1 v='a'"])
  expect(read('update_postimage')).toEqual(["upsert (4): id=1 v='a'"])
})

test('a deletion goes before an insert of the same commit', () => {
  expect(read('delete')).toEqual(["delete (4) rank -1: id=1 v='a'"])
})

test('the image before an update is ignored', () => {
  expect(read('update_preimage')).toEqual(['ignored: preimage of an update'])
})

test('a missing version is no sequence', () => {
  expect(read('insert', null)).toEqual(["upsert (null): id=1 v='a'"])
})

test('the time is that of the commit, as text or in milliseconds', () => {
  const value = { id: 1, _change_type: 'insert', _commit_version: 4 }
  expect(details('delta-cdf', { value: { ...value, _commit_timestamp: 1700000000000 } })).toBe(
    "time timestamp(2023-11-14T22:13:20Z) · _op='insert' _change_type='insert' _commit_version=4 _commit_timestamp=1700000000000",
  )
  expect(
    details('delta-cdf', { value: { ...value, _commit_timestamp: '2023-11-14T22:13:20.5+01:00' } }),
  ).toBe(
    "time timestamp(2023-11-14T21:13:20.5Z) · _op='insert' _change_type='insert' _commit_version=4 _commit_timestamp='2023-11-14T22:13:20.5+01:00'",
  )
})

test('a message without a value is a tombstone of the columns in its key', () => {
  expect(rows('delta-cdf', { key: { id: 1 }, value: null })).toEqual(['tombstone key id: id=1'])
})

test('a row that says no change is refused', () => {
  expect(read(null)).toEqual(['ENVELOPE unknown _change_type null'])
  expect(read('merge')).toEqual(['ENVELOPE unknown _change_type "merge"'])
})
