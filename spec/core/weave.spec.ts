import { expect, test } from 'vitest'
import { gone, json, merged, NAME, put, set, truncated } from './drawing.ts'
import { Life } from './life.ts'

const ANN = { name: 'Ann' }
const BOB = { name: 'Bob' }
const NAME_ONLY = { tracking: { mode: 'only', columns: [NAME] } } as const

test('the newest change ends the current version and opens the next one', () => {
  const life = new Life().commit(put(5, ANN)).commit(put(9, BOB))
  expect(life.rows).toEqual(['[5, 9) Ann', '[9, ∞) Bob'])
})

test('the newest change touches the newest version only, however long the history is', () => {
  const life = new Life()
    .commit(put(1, ANN), put(2, BOB), put(3, ANN), put(4, BOB))
    .commit(put(9, ANN))
  expect(life.touched).toEqual(['- [4, ∞) Bob', '+ [4, 9) Bob', '+ [9, ∞) Ann'])
  expect(life.pulled).toBe(0)
})

test('a late change splits the version that it falls into', () => {
  const known = [put(5, ANN), put(15, ANN), put(20, { name: 'Cyd' })]
  expect(new Life().commit(...known).rows).toEqual(['[5, 20) Ann', '[20, ∞) Cyd'])
  expect(new Life().commit(...known).commit(put(12, BOB)).rows).toEqual([
    '[5, 12) Ann',
    '[12, 15) Bob',
    '[15, 20) Ann',
    '[20, ∞) Cyd',
  ])
})

test('a late change that says what was so already is swallowed', () => {
  const life = new Life().commit(put(5, ANN), put(20, BOB)).commit(put(12, ANN))
  expect(life.rows).toEqual(['[5, 20) Ann', '[20, ∞) Bob'])
})

test('a late change rejoins what a change before it had split', () => {
  const life = new Life().commit(put(5, ANN), put(10, BOB), put(15, ANN))
  expect(life.commit(put(10, ANN, { number: 11 })).rows).toEqual(['[5, ∞) Ann'])
})

test('a late change before everything starts the history earlier', () => {
  const life = new Life().commit(put(5, ANN))
  expect(life.commit(put(2, BOB)).rows).toEqual(['[2, 5) Bob', '[5, ∞) Ann'])
  expect(life.commit(put(3, ANN)).rows).toEqual(['[2, 3) Bob', '[3, ∞) Ann'])
})

test('a late delete cuts a gap, up to the next change even if a run had swallowed it', () => {
  const life = new Life().commit(put(5, ANN), put(15, ANN)).commit(gone(10))
  expect(life.rows).toEqual(['[5, 10) Ann', '[15, ∞) Ann'])
})

test('a deletion of nothing is remembered: an upsert before it ends there', () => {
  const life = new Life().commit(gone(10)).commit(put(5, ANN))
  expect(life.rows).toEqual(['[5, 10) Ann'])
})

test('a late partial update flows forward until a change that wrote the column', () => {
  const life = new Life()
    .commit(
      put(2, { name: 'Ann', city: 'Oslo' }),
      set(8, BOB),
      put(10, { name: 'Bob', city: 'Bern' }),
    )
    .commit(set(5, { city: 'Rome' }))
  expect(life.rows).toEqual([
    '[2, 5) Ann Oslo',
    '[5, 8) Ann Rome',
    '[8, 10) Bob Rome',
    '[10, ∞) Bob Bern',
  ])
})

test('a late partial update does not flow past a deletion', () => {
  const life = new Life()
    .commit(put(2, ANN), gone(8), set(10, BOB))
    .commit(set(5, { city: 'Rome' }))
  expect(life.rows).toEqual(['[2, 5) Ann', '[5, 8) Ann Rome', '[10, ∞) Bob'])
})

test('a late object merges leaf by leaf under what newer ones wrote', () => {
  const life = new Life()
    .commit(merged(2, { info: json({ a: 1 }) }), merged(8, { info: json({ b: 2 }) }))
    .commit(merged(5, { info: json({ a: 7, b: 7 }) }))
  expect(life.rows).toEqual([
    '[2, 5) ∅ ∅ {"a":1}',
    '[5, 8) ∅ ∅ {"a":7,"b":7}',
    '[8, ∞) ∅ ∅ {"a":7,"b":2}',
  ])
})

test('a swallowed change shows its untracked value again when a late change cuts the run after it', () => {
  const life = new Life(2, NAME_ONLY)
    .commit(put(2, { name: 'Ann', city: 'Oslo' }), put(8, { name: 'Ann', city: 'Rome' }))
    .commit(put(5, { name: 'Bob', city: 'Bern' }))
  expect(life.rows).toEqual(['[2, 5) Ann Oslo', '[5, 8) Bob Bern', '[8, ∞) Ann Rome'])
})

test('a late change at a known sequence is woven in by position', () => {
  const known = new Life().commit(put(5, ANN, { number: 4 }), put(9, BOB))
  expect(known.commit(put(5, { name: 'Cyd' }, { number: 3 })).rows).toEqual([
    '[5, 9) Ann',
    '[9, ∞) Bob',
  ])
  expect(known.commit(put(5, { name: 'Dan' }, { number: 5 })).rows).toEqual([
    '[5, 9) Dan',
    '[9, ∞) Bob',
  ])
})

test('a partial update at one sequence with others joins them in their order', () => {
  const life = new Life()
    .commit(put(5, ANN, { number: 1 }), set(5, { city: 'Rome' }, { number: 3 }))
    .commit(set(5, { name: 'Bob', city: 'Oslo' }, { number: 2 }))
  expect(life.rows).toEqual(['[5, ∞) Bob Rome'])
})

test('a late truncate ends the version that it falls into', () => {
  const life = new Life().commit(put(5, ANN), put(15, ANN)).commit(truncated(10))
  expect(life.rows).toEqual(['[5, 10) Ann', '[15, ∞) Ann'])
})

test('a change before a truncate that is known ends there', () => {
  const life = new Life().commit(put(2, ANN)).commit(truncated(10))
  expect(life.commit(put(5, BOB)).rows).toEqual(['[2, 5) Ann', '[5, 10) Bob'])
})

test('a late change that takes a key away from a flow keeps it from the truncate of that flow', () => {
  const cut = truncated(10, { reach: 'flow', flow: 'a' })
  const life = new Life().commit(put(2, ANN, { flow: 'a' })).commit(cut)
  expect(life.rows).toEqual(['[2, 10) Ann'])
  expect(life.commit(put(5, ANN, { flow: 'b' })).rows).toEqual(['[2, ∞) Ann'])
})

test('a redelivery is a no-op: nothing is removed, put, hidden or unhidden', () => {
  const changes = [
    put(2, ANN),
    put(4, ANN),
    gone(6),
    set(8, BOB),
    gone(9, { number: 1 }),
    put(9, ANN),
  ]
  const life = new Life().commit(...changes).commit(...changes)
  expect(life.touched).toEqual([])
  expect(
    life.edits.flatMap(({ hide, unhide, disbelieved }) => [...hide, ...unhide, ...disbelieved]),
  ).toEqual([])
})

test('whatever order changes come in, the same is shown and kept', () => {
  const [a, b, c, d] = [put(2, ANN), put(4, ANN), gone(6), set(8, BOB)]
  const inOrder = new Life().commit(a, b, c, d)
  const backwards = new Life().commit(d).commit(c).commit(b).commit(a)
  expect(backwards.rows).toEqual(inOrder.rows)
  expect(backwards.hidden).toEqual(inOrder.hidden)
  expect(inOrder.rows).toEqual(['[2, 6) Ann', '[8, ∞) Bob'])
  expect(inOrder.hidden).toEqual(['2 Ann', '6 gone'])
})

test('a late whole row reads no further than the next entry, and the one that shows nothing differs', () => {
  const long = Array.from({ length: 50 }, (_, i) => put(10 * (i + 1), { name: `v${i}` }))
  const life = new Life().commit(...long).commit(put(105, BOB))
  expect(life.touched).toEqual(['- [100, 110) v9', '+ [100, 105) v9', '+ [105, 110) Bob'])
  expect(life.pulled).toBe(2)
})

test('a late partial update reads to the first change that wrote the column, and no further', () => {
  const life = new Life()
    .commit(
      put(10, { name: 'Ann', city: 'Oslo' }),
      set(20, BOB),
      set(30, ANN),
      set(40, { city: 'Bern' }),
      set(50, BOB),
      set(60, ANN),
    )
    .commit(set(15, { city: 'Rome' }))
  expect(life.touched).toEqual([
    '- [10, 20) Ann Oslo',
    '- [20, 30) Bob Oslo',
    '- [30, 40) Ann Oslo',
    '+ [10, 15) Ann Oslo',
    '+ [15, 20) Ann Rome',
    '+ [20, 30) Bob Rome',
    '+ [30, 40) Ann Rome',
  ])
  expect(life.pulled).toBe(4)
})

test('late changes far apart are woven region by region', () => {
  const long = Array.from({ length: 50 }, (_, i) => put(10 * (i + 1), { name: `v${i}` }))
  const life = new Life().commit(...long).commit(put(15, ANN), put(405, BOB))
  expect(life.edits.map(({ put: fresh }) => fresh.length)).toEqual([2, 2])
  expect(life.pulled).toBe(4)
})

test('a change that comes after a later one of its key is late', () => {
  const life = new Life().commit(put(5, ANN)).commit(put(3, BOB), put(7, BOB))
  expect(life.edits.flatMap(({ late }) => late)).toEqual([put(3, BOB)])
})

test('another change of a key at one sequence is a tie, a truncate is not', () => {
  const life = new Life().commit(put(5, ANN))
  expect(ties(life.commit(put(5, BOB, { number: 6 }), gone(5, { number: 7 })))).toBe(2)
  expect(ties(life.commit(put(5, BOB, { number: 6 })))).toBe(0)
  expect(ties(life.commit(truncated(5)))).toBe(0)
})

test('where a sequence names one change, equal content at one sequence is one event', () => {
  const named = new Life(2, { meaning: 'named' }).commit(
    put(5, ANN, { number: 1 }),
    put(5, BOB, { number: 2 }),
    put(5, ANN, { number: 3 }),
  )
  expect(named.rows).toEqual(['[5, ∞) Bob'])
  expect(named.commit(put(5, ANN, { number: 4 })).rows).toEqual(['[5, ∞) Bob'])
  expect(named.touched).toEqual([])
})

test('where a sequence names one change, a repetition with a lower position takes its place', () => {
  const named = new Life(2, { meaning: 'named' })
    .commit(put(5, ANN, { number: 3 }))
    .commit(put(5, BOB, { number: 2 }))
    .commit(put(5, ANN, { number: 1 }))
  expect(named.rows).toEqual(['[5, ∞) Bob'])
  expect(named.hidden).toEqual(['5 Ann'])
})

function ties(life: Life): number {
  return life.edits.reduce((sum, edits) => sum + edits.ties, 0)
}
