import { expect, test } from 'vitest'
import type { Neighbourhood } from '../../../src/core/neighbourhood.ts'
import { draw, drawEntry, gone, put, sequenceOf } from '../../core/drawing.ts'
import { Desk, key, scd2, T, type Open } from './desk.ts'

const ANN = { name: 'Ann' }
const BOB = { name: 'Bob' }
const K = key(1)

/** What a history gives of its surroundings to a change that is to be woven in. */
export function neighbourhoods(open: Open): void {
  test('near the first change of a key there is nothing', () => {
    using desk = new Desk(open(), scd2())
    expect(drawNear(desk.store.historyTable(T).near(K, sequenceOf(5)))).toEqual({
      before: null,
      version: null,
      atEnd: true,
      after: [],
    })
  })

  test('near a change stand the entry before it, its version, and what comes from it on', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(K, put(2, ANN), put(4, ANN), put(6, BOB), gone(8), put(10, ANN), put(12, ANN))
    const near = (at: number) => drawNear(desk.store.historyTable(T).near(K, sequenceOf(at)))
    const after = ['2 Ann hidden', '4 Ann', '6 Bob', '8 gone hidden', '10 Ann hidden', '12 Ann']
    expect(near(1)).toEqual({ before: null, version: null, atEnd: false, after })
    expect(near(2)).toEqual({ before: null, version: null, atEnd: false, after })
    expect(near(3)).toEqual({
      before: '2 Ann',
      version: '[2, 6) Ann',
      atEnd: false,
      after: after.slice(1),
    })
    expect(near(5)).toEqual({
      before: '4 Ann',
      version: '[2, 6) Ann',
      atEnd: false,
      after: after.slice(2),
    })
    expect(near(9)).toEqual({
      before: '8 gone',
      version: null,
      atEnd: false,
      after: after.slice(4),
    })
    expect(near(11)).toEqual({
      before: '10 Ann',
      version: '[10, ∞) Ann',
      atEnd: false,
      after: after.slice(5),
    })
    expect(near(13)).toEqual({ before: '12 Ann', version: '[10, ∞) Ann', atEnd: true, after: [] })
  })

  test('after a deletion nothing lies beyond the end either', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(K, put(2, ANN), gone(8))
    const near = (at: number) => drawNear(desk.store.historyTable(T).near(K, sequenceOf(at)))
    expect(near(9)).toEqual({ before: '8 gone', version: null, atEnd: true, after: [] })
    expect(near(8)).toEqual({
      before: '2 Ann',
      version: '[2, 8) Ann',
      atEnd: false,
      after: ['8 gone hidden'],
    })
  })

  test('of several entries at one sequence the last in order stands before a change', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(
      K,
      put(4, ANN, { file: 'f10' }),
      put(4, BOB, { file: 'f9' }),
      put(4, { name: 'Cyd' }, { file: 'f9', number: 5 }),
    )
    const near = desk.store.historyTable(T).near(K, sequenceOf(5))
    expect(drawNear(near)).toEqual({
      before: '4 Ann',
      version: '[4, ∞) Ann',
      atEnd: true,
      after: [],
    })
  })

  test('the version at a sequence is the one whose interval holds it', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(K, put(2, ANN), put(6, BOB), put(10, ANN))
    const { versionAt } = desk.store.historyTable(T).near(K, sequenceOf(1))
    const drawAt = (at: number) => {
      const version = versionAt(sequenceOf(at))
      return version === null ? null : draw(version)
    }
    expect([2, 5, 6, 9, 10, 99].map(drawAt)).toEqual([
      '[2, 6) Ann',
      '[2, 6) Ann',
      '[6, 10) Bob',
      '[6, 10) Bob',
      '[10, ∞) Ann',
      '[10, ∞) Ann',
    ])
    expect(drawAt(1)).toBe(null)
  })

  test('a long history is read in order from any place on, shown and hidden entries together', () => {
    using desk = new Desk(open(), scd2())
    const long = Array.from({ length: 3_000 }, (_, n) => put(n, { name: `v${Math.floor(n / 3)}` }))
    desk.weave(K, ...long)
    for (const first of [0, 1, 2, 1_499, 2_998]) {
      const { after } = desk.store.historyTable(T).near(K, sequenceOf(first))
      expect([...after].map(({ entry }) => entry.change.number)).toEqual(
        long.slice(first).map(({ number }) => number),
      )
    }
  })

  test('any number of entries at one sequence is read, each once', () => {
    using desk = new Desk(open(), scd2())
    const tied = Array.from({ length: 1_500 }, (_, number) =>
      put(5, { name: `v${number}` }, { number }),
    )
    desk.weave(K, put(4, ANN), ...tied, gone(6), put(7, BOB))
    const { after } = desk.store.historyTable(T).near(K, sequenceOf(5))
    const numbers = [...after].map(({ entry }) => entry.change.number)
    expect(numbers.slice(0, 1_500).toSorted((a, b) => a - b)).toEqual(
      tied.map(({ number }) => number),
    )
    expect(numbers.slice(1_500)).toEqual([6, 7])
  })
}

function drawNear({ before, version, atEnd, after }: Neighbourhood) {
  return {
    before: before === null ? null : drawEntry(before),
    version: version === null ? null : draw(version),
    atEnd,
    after: [...after].map(
      ({ entry, version: shows }) => `${drawEntry(entry)}${shows === null ? ' hidden' : ''}`,
    ),
  }
}
