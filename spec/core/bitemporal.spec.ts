import { expect, test } from 'vitest'
import { bitemporal } from '../../src/core/bitemporal.ts'
import type { Change } from '../../src/core/change.ts'
import { retell } from '../../src/core/key-history.ts'
import { timelineOf } from '../../src/core/timeline.ts'
import { ALL, drawBelieved, drawEntry, gone, NAME, put, set } from './drawing.ts'
import { Life } from './life.ts'

const ANN = { name: 'Ann' }
const BOB = { name: 'Bob' }
const BELIEF = {
  tracking: ALL,
  commitOf: () => 1,
  systemOf: ({ system, sequence }: Change) => system ?? sequence,
}

test('a row is believed from the commit that brought it', () => {
  expect(new Life('bitemporal').commit(put(5, ANN)).rectangles).toEqual([
    '[5, ∞) Ann believed [1, ∞)',
  ])
})

test('what a later commit ends was believed to go on until then', () => {
  expect(new Life('bitemporal').commit(put(5, ANN)).commit(put(9, BOB)).rectangles).toEqual([
    '[5, ∞) Ann believed [1, 2)',
    '[5, 9) Ann believed [2, ∞)',
    '[9, ∞) Bob believed [2, ∞)',
  ])
})

test('a late change corrects the past and leaves what was believed before', () => {
  const life = new Life('bitemporal').commit(put(5, ANN), put(15, BOB)).commit(gone(10))
  expect(life.rectangles).toEqual([
    '[5, 15) Ann believed [1, 2)',
    '[5, 10) Ann believed [2, ∞)',
    '[15, ∞) Bob believed [1, ∞)',
  ])
})

test('a row that looks the same to a reader is believed as before', () => {
  const life = new Life('bitemporal').commit(put(5, ANN)).commit(put(7, ANN))
  expect(life.rectangles).toEqual(['[5, ∞) Ann believed [1, ∞)'])
})

test('a row that was ended and comes to be the same again is believed anew', () => {
  const life = new Life('bitemporal')
    .commit(put(5, ANN))
    .commit(put(9, BOB))
    .commit(put(9, ANN, { number: 10 }))
  expect(life.rectangles).toEqual([
    '[5, ∞) Ann believed [1, 2)',
    '[5, 9) Ann believed [2, 3)',
    '[9, ∞) Bob believed [2, 3)',
    '[5, ∞) Ann believed [3, ∞)',
  ])
})

test('what one commit brings and takes back leaves no trace', () => {
  const life = new Life('bitemporal').commit(put(5, ANN), put(9, BOB), put(9, ANN, { number: 10 }))
  expect(life.rectangles).toEqual(['[5, ∞) Ann believed [1, ∞)'])
})

test('an untracked value that changes is another row to a reader', () => {
  const life = new Life('bitemporal', { tracking: { mode: 'only', columns: [NAME] } })
    .commit(put(5, { name: 'Ann', city: 'Oslo' }))
    .commit(set(7, { city: 'Rome' }))
  expect(life.rectangles).toEqual([
    '[5, ∞) Ann Oslo believed [1, 2)',
    '[5, ∞) Ann Rome believed [2, ∞)',
  ])
})

test('a redelivery is a no-op', () => {
  const life = new Life('bitemporal').commit(put(5, ANN), gone(7)).commit(put(5, ANN), gone(7))
  expect(life.rectangles).toEqual(['[5, 7) Ann believed [1, ∞)'])
})

test('where system time is in the data both axes come from it', () => {
  expect(
    rectangles(put(5, ANN, { system: 10 }), put(9, BOB, { system: 30 }), gone(7, { system: 20 })),
  ).toEqual([
    '[5, ∞) Ann believed [10, 20)',
    '[5, 7) Ann believed [20, ∞)',
    '[9, ∞) Bob believed [30, ∞)',
  ])
})

test('an event that the data says was known earlier changes what was believed then', () => {
  const known = [put(5, ANN, { system: 10 }), put(9, BOB, { system: 30 })]
  expect(rectangles(...known, put(7, { name: 'Cyd' }, { system: 20 }))).toEqual([
    '[5, ∞) Ann believed [10, 20)',
    '[7, ∞) Cyd believed [20, 30)',
    '[5, 7) Ann believed [20, ∞)',
    '[7, 9) Cyd believed [30, ∞)',
    '[9, ∞) Bob believed [30, ∞)',
  ])
})

test('events of one system time are one instant', () => {
  expect(rectangles(put(5, ANN, { system: 10 }), put(9, BOB, { system: 10 }))).toEqual([
    '[5, 9) Ann believed [10, ∞)',
    '[9, ∞) Bob believed [10, ∞)',
  ])
})

test('at one sequence the event that the data knew later wins', () => {
  expect(
    rectangles(put(5, ANN, { system: 20, number: 1 }), put(5, BOB, { system: 10, number: 2 })),
  ).toEqual(['[5, ∞) Bob believed [10, 20)', '[5, ∞) Ann believed [20, ∞)'])
})

test('a history told anew keeps what no row shows', () => {
  const { versions, hidden, disbelieved } = retell(
    [put(5, ANN, { system: 10 }), put(7, ANN, { system: 20 }), gone(9, { system: 30 })],
    'ordered',
    BELIEF,
  )
  expect(
    [...disbelieved, ...versions.map((version) => ({ ...version, until: null }))].map(drawBelieved),
  ).toEqual(['[5, ∞) Ann believed [10, 30)', '[5, 9) Ann believed [30, ∞)'])
  expect(hidden.map(drawEntry)).toEqual(['5 Ann', '9 gone'])
})

test('the plain form and the incremental form agree', () => {
  const life = new Life('bitemporal')
    .commit(put(5, ANN), put(15, BOB))
    .commit(gone(10))
    .commit(set(12, BOB))
  expect(life.rectangles.toSorted()).toEqual(
    rectangles(
      put(5, ANN, { system: 1 }),
      put(15, BOB, { system: 1 }),
      gone(10, { system: 2 }),
      set(12, BOB, { system: 3 }),
    ).toSorted(),
  )
})

function rectangles(...changes: readonly Change[]): string[] {
  return bitemporal(timelineOf(changes, 'ordered'), BELIEF).map(drawBelieved)
}
