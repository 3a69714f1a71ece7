import { expect, test } from 'vitest'
import { replay } from '../../src/core/key-history.ts'
import {
  NOTHING,
  sameContent,
  step,
  timelineOf,
  join,
  type State,
} from '../../src/core/timeline.ts'
import type { Change } from '../../src/core/change.ts'
import { drawEntry, drawRow, gone, json, merged, put, set, truncated } from './drawing.ts'

test('a timeline has the changes of a key in order, in whatever order they came', () => {
  expect(timelineOf([put(9, {}), gone(5), put(2, {})], 'ordered')).toEqual([
    put(2, {}),
    gone(5),
    put(9, {}),
  ])
})

test('a change that comes again is there once', () => {
  expect(timelineOf([put(5, {}), gone(7), put(5, {})], 'ordered')).toEqual([put(5, {}), gone(7)])
})

test('joining timelines is the union of their changes', () => {
  expect(join([put(2, {}), gone(5)], [gone(5), put(7, {})], 'ordered')).toEqual([
    put(2, {}),
    gone(5),
    put(7, {}),
  ])
})

test('replaying a timeline gives the row after each change', () => {
  expect(
    replayed(
      put(2, { name: 'Ann', city: 'Oslo' }),
      set(4, { city: 'Rome' }),
      gone(6),
      set(8, { name: 'Bob' }),
    ),
  ).toEqual(['2 Ann Oslo', '4 Ann Rome', '6 gone', '8 Bob'])
})

test('what was before a deletion is forgotten: a later partial upsert inherits nothing', () => {
  expect(rowAfter(put(2, { name: 'Ann', city: 'Oslo' }), gone(4), set(6, { city: 'Rome' }))).toBe(
    '∅ Rome',
  )
  expect(
    rowAfter(put(2, { name: 'Ann', city: 'Oslo' }), truncated(4), set(6, { city: 'Rome' })),
  ).toBe('∅ Rome')
})

test('a truncate ends the key, but nothing at its own sequence', () => {
  expect(rowAfter(put(2, { name: 'Ann' }), truncated(4))).toBe('gone')
  expect(rowAfter(put(4, { name: 'Ann' }, { number: 1 }), truncated(4, { number: 9 }))).toBe('Ann')
})

test('a truncate that reaches its flow ends the keys that its flow wrote last', () => {
  const cut = truncated(6, { reach: 'flow', flow: 'a' })
  expect(rowAfter(put(2, { name: 'Ann' }, { flow: 'a' }), cut)).toBe('gone')
  expect(rowAfter(put(2, { name: 'Ann' }, { flow: 'b' }), cut)).toBe('Ann')
  expect(
    rowAfter(put(2, { name: 'Ann' }, { flow: 'a' }), set(4, { city: 'Rome' }, { flow: 'b' }), cut),
  ).toBe('Ann Rome')
})

test('a delete says whose a key is as an upsert does', () => {
  expect(step(NOTHING, gone(5, { flow: 'a' }))).toEqual({ row: null, flow: 'a' })
})

test('a truncate that does not reach a key is none of its events', () => {
  const state: State = { row: ['Ann'], flow: 'b' }
  expect(step(state, truncated(6, { reach: 'flow', flow: 'a' }))).toBe(state)
})

test('where a sequence names one change, equal content at one sequence is one event with its lowest position', () => {
  const [first, again] = [
    put(5, { name: 'Ann' }, { number: 1 }),
    put(5, { name: 'Ann' }, { number: 2 }),
  ]
  expect(timelineOf([again, first], 'named')).toEqual([first])
  expect(timelineOf([again, first], 'ordered')).toEqual([first, again])
})

test('where a sequence names one change, other content at one sequence is another event', () => {
  const changes = [
    put(5, { name: 'Ann' }, { number: 1 }),
    gone(5, { number: 2 }),
    put(5, { name: 'Bob' }, { number: 3 }),
    gone(5, { number: 4 }),
    put(5, { name: 'Ann' }, { number: 5 }),
  ]
  expect(timelineOf(changes, 'named')).toEqual(changes.slice(0, 3))
})

test('where a sequence names one change, equal content at another sequence is another event', () => {
  const changes = [put(5, { name: 'Ann' }), put(6, { name: 'Ann' })]
  expect(timelineOf(changes, 'named')).toEqual(changes)
})

test('changes say the same if operation, values and written columns are the same', () => {
  expect(sameContent(gone(5), gone(6))).toBe(true)
  expect(sameContent(gone(5), put(5, {}))).toBe(false)
  expect(sameContent(put(5, { name: 'Ann' }), put(6, { name: 'Ann' }))).toBe(true)
  expect(sameContent(put(5, { name: 'Ann' }), put(5, { name: 'Bob' }))).toBe(false)
  expect(sameContent(put(5, { name: 'Ann' }), set(5, { name: 'Ann' }))).toBe(false)
  expect(sameContent(set(5, { name: 'Ann' }), set(5, { name: 'Ann', city: null }))).toBe(false)
  const info = json({ a: 1 })
  expect(sameContent(set(5, { info }), merged(5, { info }))).toBe(false)
})

function replayed(...changes: readonly Change[]): string[] {
  return replay(timelineOf(changes, 'ordered'), () => 1).map(drawEntry)
}

function rowAfter(...changes: readonly Change[]): string {
  return drawRow(timelineOf(changes, 'ordered').reduce(step, NOTHING).row)
}
