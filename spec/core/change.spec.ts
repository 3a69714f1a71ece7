import { expect, test } from 'vitest'
import {
  compareChanges,
  compareNatural,
  compareStamps,
  compareStreams,
  sameStamp,
  type Change,
} from '../../src/core/change.ts'
import { gone, put, truncated, type Where } from './drawing.ts'

test('changes are in the order of their sequences', () => {
  expect(inOrder({ c: put(10, {}), a: put(2, {}), b: gone(9) })).toEqual(['a', 'b', 'c'])
})

test('at one sequence a truncate comes first, whatever else says otherwise', () => {
  expect(
    inOrder({
      second: put(5, {}, { rank: -1, number: 1 }),
      first: truncated(5, { rank: 3, number: 9 }),
    }),
  ).toEqual(['first', 'second'])
})

test('at one sequence the rank that the format gives decides next', () => {
  expect(
    inOrder({
      streamed: put(5, {}, { number: 1 }),
      snapshot: put(5, {}, { rank: -1, number: 2 }),
    }),
  ).toEqual(['snapshot', 'streamed'])
})

test('at one sequence and rank the system time of the data decides next', () => {
  expect(
    inOrder({
      learntLater: put(5, {}, { system: 8, number: 1 }),
      learntEarlier: gone(5, { system: 7, number: 2 }),
    }),
  ).toEqual(['learntEarlier', 'learntLater'])
})

test('what the source published later wins otherwise, an upsert and a delete alike', () => {
  expect(inOrder({ b: gone(5, { number: 2 }), a: put(5, {}, { number: 1 }) })).toEqual(['a', 'b'])
  expect(inOrder({ b: put(5, {}, { number: 2 }), a: gone(5, { number: 1 }) })).toEqual(['a', 'b'])
})

test('a position is flow, file in natural order, partition, record, part of the record', () => {
  expect(
    inOrder({
      f: tied({ flow: 'b', file: 'day1', number: 1 }),
      e: tied({ flow: 'a', file: 'day10', number: 1 }),
      d: tied({ flow: 'a', file: 'day9', partition: 1, number: 1 }),
      c: tied({ flow: 'a', file: 'day9', number: 2 }),
      b: tied({ flow: 'a', file: 'day9', number: 1, part: 1 }),
      a: tied({ flow: 'a', file: 'day9', number: 1, part: 0 }),
    }),
  ).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test('streams are in the order of their names, never of their numbers', () => {
  const later = { id: 1, flow: 'f', name: 'file10', partition: 0 }
  const earlier = { id: 2, flow: 'f', name: 'file9', partition: 0 }
  expect(compareStreams(earlier, later)).toBeLessThan(0)
  expect(compareStreams(later, { ...later })).toBe(0)
})

test('two changes are one event exactly if they have the same place in the order', () => {
  expect(compareChanges(put(5, { name: 'Ann' }), put(5, { name: 'Bob' }))).toBe(0)
  expect(sameStamp(put(5, {}), gone(5))).toBe(true)
  expect(sameStamp(put(5, {}), put(5, {}, { part: 1 }))).toBe(false)
  expect(sameStamp(put(5, {}), put(5, {}, { rank: 1 }))).toBe(false)
  expect(sameStamp(put(5, {}), put(5, {}, { system: 1 }))).toBe(false)
  expect(sameStamp(put(5, {}), put(5, {}, { file: 'other' }))).toBe(false)
  expect(sameStamp(put(5, {}), put(5, {}, { number: 6 }))).toBe(false)
  expect(sameStamp(put(5, {}), put(6, {}, { number: 5 }))).toBe(false)
})

test('stamps are in the order of changes, but for truncates', () => {
  expect(compareStamps(put(5, {}), put(5, {}, { rank: 1, number: 1 }))).toBeLessThan(0)
  expect(compareStamps(truncated(5, { number: 9 }), put(5, {}))).toBeGreaterThan(0)
})

test('in natural order runs of ASCII digits compare as integers', () => {
  expect(['f10.json', 'f9.json', 'f2b', 'f2a'].toSorted(compareNatural)).toEqual([
    'f2a',
    'f2b',
    'f9.json',
    'f10.json',
  ])
})

test('in natural order numbers of any length are exact', () => {
  expect(compareNatural('9007199254740993', '9007199254740992')).toBeGreaterThan(0)
  expect(compareNatural('10000000000000000000000', '9999999999999999999999')).toBeGreaterThan(0)
})

test('in natural order everything else compares by code point', () => {
  expect(['b', 'a', 'B', '😀', '\uffff', 'é'].toSorted(compareNatural)).toEqual([
    'B',
    'a',
    'b',
    'é',
    '\uffff',
    '😀',
  ])
})

test('in natural order a name comes before the longer ones that it begins', () => {
  expect(['a1b', 'a1', 'a', ''].toSorted(compareNatural)).toEqual(['', 'a', 'a1', 'a1b'])
})

test('in natural order digits come before letters', () => {
  expect(['day', '7', 'a7'].toSorted(compareNatural)).toEqual(['7', 'a7', 'day'])
})

test('names that are equal so far are in the order of code points of the whole', () => {
  expect(['f1', 'f01', 'f001'].toSorted(compareNatural)).toEqual(['f001', 'f01', 'f1'])
  expect(compareNatural('f0', 'f00')).toBeLessThan(0)
  expect(compareNatural('f1', 'f1')).toBe(0)
})

test('only ASCII digits are numbers', () => {
  expect(compareNatural('٢', '١٠')).toBeGreaterThan(0)
})

/** The names of changes in their total order. */
function inOrder(changes: Readonly<Record<string, Change>>): string[] {
  return Object.entries(changes)
    .toSorted(([, a], [, b]) => compareChanges(a, b))
    .map(([name]) => name)
}

function tied(where: Where): Change {
  return put(5, {}, where)
}
