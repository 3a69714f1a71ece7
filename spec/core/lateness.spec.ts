import { expect, test } from 'vitest'
import { Life } from './life.ts'
import { gone, put, truncated } from './drawing.ts'

const ANN = { name: 'Ann' }
const BOB = { name: 'Bob' }

const lateIn = (life: Life) => life.edits.flatMap(({ late }) => late)
const tiesIn = (life: Life) => life.edits.reduce((sum, { ties }) => sum + ties, 0)

test('the first changes of a key are not late, in whatever order they are', () => {
  expect(lateIn(new Life().commit(put(5, ANN), put(3, BOB), gone(7)))).toEqual([])
})

test('every change below the newest stored one is late, those above are not', () => {
  const life = new Life().commit(put(2, ANN), put(9, BOB))
  expect(lateIn(life.commit(put(1, BOB), put(3, ANN), put(5, BOB), put(10, ANN)))).toEqual([
    put(1, BOB),
    put(3, ANN),
    put(5, BOB),
  ])
})

test('a change below a later one is late though weaving stops at once', () => {
  const life = new Life().commit(put(2, ANN), put(5, BOB), put(9, ANN))
  expect(lateIn(life.commit(put(5, BOB, { number: 6 })))).toEqual([put(5, BOB, { number: 6 })])
})

test('a change at the newest sequence is a tie and not late', () => {
  const life = new Life().commit(put(5, ANN))
  life.commit(put(5, BOB, { number: 6 }))
  expect([lateIn(life), tiesIn(life)]).toEqual([[], 1])
})

test('of changes that come together at one sequence all but the first tie', () => {
  const together = [1, 2, 3].map((number) => put(5, ANN, { number }))
  expect(tiesIn(new Life().commit(put(4, ANN), ...together, put(6, BOB)))).toBe(2)
})

test('changes at sequences of their own do not tie', () => {
  expect(tiesIn(new Life().commit(put(1, ANN), put(2, BOB), gone(3)))).toBe(0)
  expect(tiesIn(new Life().commit(put(1, ANN)).commit(put(2, BOB), gone(3)))).toBe(0)
})

test('a truncate neither ties nor comes late', () => {
  const life = new Life().commit(put(5, ANN), put(7, BOB))
  life.commit(truncated(5), truncated(6))
  expect([lateIn(life), tiesIn(life)]).toEqual([[], 0])
})
