import { expect, test } from 'vitest'
import type { Delete, Stamp, Truncate, Upsert } from '../../src/core/change.ts'
import { keyOf } from '../../src/core/key.ts'
import { latestOf } from '../../src/core/scd1.ts'
import { storedSequence } from '../../src/core/sequence.ts'

test('the first change of a key takes it over', () => {
  expect(latestOf(null, [put(5)], null)).toEqual(put(5))
})

test('of the changes of a batch the latest one takes the key over, wherever it stands', () => {
  expect(latestOf(null, [put(6), put(9), put(7)], null)).toEqual(put(9))
})

test('a delete takes a key over as an upsert does', () => {
  expect(latestOf({ stamp: at(5), exists: true }, [put(6), gone(7)], null)).toEqual(gone(7))
})

test('a delete of a key that nobody knows is kept, for an older upsert may still come', () => {
  expect(latestOf(null, [gone(7)], null)).toEqual(gone(7))
})

test('a late change leaves what is stored', () => {
  expect(latestOf({ stamp: at(5), exists: true }, [gone(4)], null)).toBe(null)
})

test('a late change does not bring a deleted key back', () => {
  expect(latestOf({ stamp: at(5), exists: false }, [put(4)], null)).toBe(null)
})

test('a change that comes again leaves what is stored', () => {
  expect(latestOf({ stamp: at(5), exists: true }, [put(5)], null)).toBe(null)
})

test('at one sequence the change that the source published later wins, a delete or an upsert alike', () => {
  expect(latestOf({ stamp: at(5, 1), exists: true }, [gone(5, 2)], null)).toEqual(gone(5, 2))
  expect(latestOf({ stamp: at(5, 2), exists: false }, [put(5, 1)], null)).toBe(null)
  expect(latestOf({ stamp: at(5, 2), exists: false }, [put(5, 3)], null)).toEqual(put(5, 3))
})

test('a change before a truncate changes nothing', () => {
  expect(latestOf(null, [put(4)], truncated(5))).toBe(null)
})

test('a change after a truncate takes the key over', () => {
  expect(latestOf(null, [put(6)], truncated(5))).toEqual(put(6))
})

test('at one sequence a truncate comes first, wherever the source published it', () => {
  expect(latestOf(null, [put(5, 1)], truncated(5, 9))).toEqual(put(5, 1))
})

test('without a change nothing takes the key over', () => {
  expect(latestOf({ stamp: at(5), exists: true }, [], truncated(6))).toBe(null)
})

function at(sequence: number, number = sequence): Stamp {
  return {
    sequence: storedSequence(String(sequence)),
    rank: 0,
    system: null,
    stream: STREAM,
    number,
    part: 0,
  }
}

function put(sequence: number, number = sequence): Upsert {
  const key = keyOf([1])
  return { ...at(sequence, number), op: 'upsert', key, row: [1], writes: 'all', time: null }
}

function gone(sequence: number, number = sequence): Delete {
  return { ...at(sequence, number), op: 'delete', key: keyOf([1]), time: null }
}

function truncated(sequence: number, number = sequence): Truncate {
  return { ...at(sequence, number), op: 'truncate', reach: 'target', time: null }
}

const STREAM = { id: 1, flow: 'f', name: 'a', partition: 0 }
