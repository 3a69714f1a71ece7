import { expect, test } from 'vitest'
import { agree, sameVersion, versions, type Version } from '../../src/core/scd2.ts'
import { timelineOf } from '../../src/core/timeline.ts'
import type { Change } from '../../src/core/change.ts'
import {
  ALL,
  CITY,
  drawTimed,
  gone,
  history,
  historyBy,
  json,
  NAME,
  put,
  set,
  truncated,
} from './drawing.ts'

const NAME_ONLY = { mode: 'only', columns: [NAME] } as const
const ALL_BUT_CITY = { mode: 'except', columns: [CITY] } as const
const NOTHING_TRACKED = { mode: 'only', columns: [] } as const

test('each change opens a version, which ends where the next one starts', () => {
  expect(history(put(5, { name: 'Ann' }), put(12, { name: 'Bob' }))).toEqual([
    '[5, 12) Ann',
    '[12, ∞) Bob',
  ])
})

test('a key without changes has no version', () => {
  expect(history()).toEqual([])
})

test('changes that leave the row as it is open no version', () => {
  expect(
    history(put(5, { name: 'Ann' }), put(10, { name: 'Ann' }), put(12, { name: 'Bob' })),
  ).toEqual(['[5, 12) Ann', '[12, ∞) Bob'])
})

test('a delete leaves a gap until the key returns', () => {
  expect(history(put(5, { name: 'Ann' }), gone(7), put(9, { name: 'Ann' }))).toEqual([
    '[5, 7) Ann',
    '[9, ∞) Ann',
  ])
})

test('a delete of a key that does not exist shows nothing', () => {
  expect(history(gone(3), put(5, { name: 'Ann' }), gone(7), gone(8))).toEqual(['[5, 7) Ann'])
})

test('a truncate ends the version that it falls into', () => {
  expect(history(put(5, { name: 'Ann' }), truncated(7), put(9, { name: 'Ann' }))).toEqual([
    '[5, 7) Ann',
    '[9, ∞) Ann',
  ])
})

test('of several changes at one sequence only the state after the last one remains', () => {
  expect(
    history(
      put(5, { name: 'Ann' }, { number: 1 }),
      put(5, { name: 'Bob' }, { number: 2 }),
      set(5, { city: 'Oslo' }, { number: 3 }),
    ),
  ).toEqual(['[5, ∞) Bob Oslo'])
})

test('a key that is deleted at the sequence at which it came was never there', () => {
  expect(history(put(5, { name: 'Ann' }, { number: 1 }), gone(5, { number: 2 }))).toEqual([])
})

test('a delete and an upsert at one sequence touch, so equal rows are one version', () => {
  expect(
    history(
      put(2, { name: 'Ann' }),
      gone(5, { number: 1 }),
      put(5, { name: 'Ann' }, { number: 2 }),
    ),
  ).toEqual(['[2, ∞) Ann'])
})

test('a truncate and an upsert at one sequence touch, so equal rows are one version', () => {
  expect(history(put(2, { name: 'Ann' }), truncated(5), put(5, { name: 'Ann' }))).toEqual([
    '[2, ∞) Ann',
  ])
})

test('a partial upsert flows forward until a change that writes the column', () => {
  expect(
    history(
      put(2, { name: 'Ann', city: 'Oslo' }),
      set(5, { city: 'Rome' }),
      set(7, { name: 'Bob' }),
      put(9, { name: 'Bob' }),
    ),
  ).toEqual(['[2, 5) Ann Oslo', '[5, 7) Ann Rome', '[7, 9) Bob Rome', '[9, ∞) Bob'])
})

test('a version shows the last values of the columns that are not tracked', () => {
  expect(
    historyBy(
      { tracking: ALL_BUT_CITY },
      put(5, { name: 'Ann', city: 'Oslo' }),
      put(7, { name: 'Ann', city: 'Rome' }),
      put(9, { name: 'Bob', city: 'Bern' }),
    ),
  ).toEqual(['[5, 9) Ann Rome', '[9, ∞) Bob Bern'])
})

test('tracked columns can be listed: the others open no version', () => {
  expect(
    historyBy(
      { tracking: NAME_ONLY },
      put(5, { name: 'Ann', city: 'Oslo' }),
      put(7, { name: 'Ann', info: 3 }),
      put(9, { name: 'Bob' }),
    ),
  ).toEqual(['[5, 9) Ann ∅ 3', '[9, ∞) Bob'])
})

test('an empty list of tracked columns makes one version of each uninterrupted existence', () => {
  expect(
    historyBy(
      { tracking: NOTHING_TRACKED },
      put(5, { name: 'Ann' }),
      put(7, { name: 'Bob' }),
      gone(9),
      put(11, { name: 'Cyd' }),
    ),
  ).toEqual(['[5, 9) Bob', '[11, ∞) Cyd'])
})

test('tracked values are compared by type and content, null as a value', () => {
  expect(agree([1], ['1'], ALL)).toBe(false)
  expect(agree([true], [1], ALL)).toBe(false)
  expect(agree([null], [''], ALL)).toBe(false)
  expect(agree([json({ a: 1 })], ['{"a":1}'], ALL)).toBe(false)
  expect(agree([json({ a: 1 })], [json({ a: 1 })], ALL)).toBe(true)
})

test('a column that a row is too old for is null in it', () => {
  expect(agree(['Ann'], ['Ann', null], ALL)).toBe(true)
  expect(agree(['Ann'], ['Ann', 'Oslo'], ALL)).toBe(false)
  expect(agree(['Ann'], ['Ann', 'Oslo'], ALL_BUT_CITY)).toBe(true)
  expect(agree([], [null], NAME_ONLY)).toBe(true)
})

test('a version has the times of the changes that open and end it', () => {
  expect(
    timed(
      put(5, { name: 'Ann' }, { time: '09:00' }),
      put(7, { name: 'Ann' }, { time: '10:00' }),
      put(9, { name: 'Bob' }, { time: '11:00' }),
      gone(12, { time: '12:00' }),
    ),
  ).toEqual(['[5, 9) Ann 09:00 to 11:00', '[9, 12) Bob 11:00 to 12:00'])
})

test('of several changes at one sequence the last one gives the time', () => {
  expect(
    timed(
      put(5, { name: 'Ann' }, { number: 1, time: '09:00' }),
      put(5, { name: 'Bob' }, { number: 2, time: '10:00' }),
    ),
  ).toEqual(['[5, ∞) Bob 10:00 to ∅'])
})

test('a change without a time opens and ends versions without one', () => {
  expect(timed(put(5, { name: 'Ann' }), gone(7))).toEqual(['[5, 7) Ann ∅ to ∅'])
})

test('a truncate that does not reach a key gives its version no time', () => {
  expect(
    timed(
      put(5, { name: 'Ann' }, { flow: 'b', time: '09:00' }),
      truncated(7, { reach: 'flow', flow: 'a', time: '10:00' }),
      put(7, { name: 'Bob' }, { flow: 'b', time: '11:00' }),
    ),
  ).toEqual(['[5, 7) Ann 09:00 to 11:00', '[7, ∞) Bob 11:00 to ∅'])
})

test('two versions are one row to a reader if values, interval and times are the same', () => {
  const ann = only(put(5, { name: 'Ann' }, { time: '09:00' }))
  expect(sameVersion(ann, only(put(5, { name: 'Ann' }, { number: 8, time: '09:00' })))).toBe(true)
  expect(sameVersion(ann, only(put(5, { name: 'Ann' }, { time: '10:00' })))).toBe(false)
  expect(sameVersion(ann, only(put(5, { name: 'Bob' }, { time: '09:00' })))).toBe(false)
  expect(sameVersion(ann, only(put(6, { name: 'Ann' }, { time: '09:00' })))).toBe(false)
  expect(sameVersion(ann, only(put(5, { name: 'Ann' }, { time: '09:00' }), gone(7)))).toBe(false)
})

test('a change that comes again changes nothing, and neither does the order of arrival', () => {
  const changes = [
    put(5, { name: 'Ann' }),
    set(7, { city: 'Oslo' }),
    gone(9),
    put(11, { name: 'Bob' }),
  ]
  const rows = ['[5, 7) Ann', '[7, 9) Ann Oslo', '[11, ∞) Bob']
  expect(history(...changes)).toEqual(rows)
  expect(history(...changes.toReversed(), ...changes)).toEqual(rows)
})

function timed(...changes: readonly Change[]): string[] {
  return versions(timelineOf(changes, 'ordered'), ALL, () => 1).map(drawTimed)
}

function only(...changes: readonly Change[]): Version {
  const [version] = versions(timelineOf(changes, 'ordered'), ALL, () => 1)
  if (version === undefined) throw new Error('there is no version')
  return version
}
