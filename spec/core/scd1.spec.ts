import { expect, test } from 'vitest'
import type { Delete, KeyChange, Stamp, Truncate, Upsert } from '../../src/core/change.ts'
import { keyOf } from '../../src/core/key.ts'
import { LatestFold, type Latest } from '../../src/core/scd1.ts'
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

test('a change that came after a newer one of its key is late, one that comes again is not', () => {
  expect(counted({ stamp: at(5), exists: true }, [put(4), put(6), put(5), put(6), put(7)])).toEqual(
    { late: 2, ties: 0 },
  )
})

test('a change at the newest sequence of its key ties with it, unless one record made both', () => {
  const twin = { ...gone(6, 1), part: 1 }
  expect(counted(null, [put(6, 1), twin, put(6, 2), put(6, 0), put(6, 2)])).toEqual({
    late: 0,
    ties: 2,
  })
})

test('what is kept of a key is asked once', () => {
  const asked: string[] = []
  const fold = new LatestFold((key) => {
    asked.push(key)
    return null
  })
  for (const change of [put(5), put(6), gone(7), { ...put(5), key: keyOf([2]) }]) fold.add(change)
  expect(asked).toEqual([keyOf([1]), keyOf([2])])
  expect(fold.keys).toEqual([keyOf([1]), keyOf([2])])
})

test('what is held of a newer change may be the memory of the older one', () => {
  const fold = new LatestFold(() => null, {
    replace: (older, newer) => (older === null ? newer : Object.assign(older, newer)),
    hold: noPlainOnes,
    make: noPlainOnes,
  })
  const first = put(5)
  for (const change of [first, put(7), put(6)]) fold.add(change)
  expect(fold.takeover(0, null)).toEqual({ kept: null, change: put(7) })
  expect(fold.takeover(0, null)?.change).toBe(first)
})

function noPlainOnes(): never {
  throw new Error('no change came plain')
}

/** The change that takes the key over; null if what is kept stays. */
function latestOf(
  kept: Latest | null,
  changes: readonly KeyChange[],
  truncate: Truncate | null,
): KeyChange | null {
  const fold = new LatestFold(() => kept)
  for (const change of changes) fold.add(change)
  return fold.takeover(0, truncate)?.change ?? null
}

function counted(
  kept: Latest | null,
  changes: readonly KeyChange[],
): { late: number; ties: number } {
  const { late, ties } = changes.reduce(
    (fold, change) => (fold.add(change), fold),
    new LatestFold(() => kept),
  )
  return { late, ties }
}

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
