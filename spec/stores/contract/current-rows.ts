import { expect, test } from 'vitest'
import type { KeyChange } from '../../../src/core/change.ts'
import { NamedRegisters } from '../../../src/core/named-registers.ts'
import { pack } from '../../../src/core/packed-registers.ts'
import { EMPTY, joinChange, keptAs, rowOf } from '../../../src/core/registers.ts'
import { drawRow, gone, json, merged, put, set, truncated } from '../../core/drawing.ts'
import { ALWAYS, Desk, facts, key, manyKeys, T, type Open } from './desk.ts'

/** SCD type 1 tables. */
export function currentRows(open: Open): void {
  test('an upsert takes its key over and can be asked for its place in the order', () => {
    using desk = new Desk(open(), facts())
    const ann = desk.store.transact(() => desk.of(put(5, { name: 'Ann' }, TIED), key(1)))
    desk.latest(ann)
    const { sequence, rank, system, stream, number, part } = ann
    expect(table(desk).latest(key(1))).toEqual({
      stamp: { sequence, rank, system, stream, number, part },
      exists: true,
    })
    expect(table(desk).commitOf(key(1))).toBe(1)
    expect(desk.drawn).toEqual(['Ann'])
  })

  test('of a key that nobody wrote nothing is known', () => {
    using desk = new Desk(open(), facts())
    expect(table(desk).latest(key(1))).toBe(null)
    expect(table(desk).commitOf(key(1))).toBe(0)
    expect(table(desk).isBuriedAlive(key(1))).toBe(false)
  })

  test('a delete takes the row away and is remembered', () => {
    using desk = new Desk(open(), facts())
    desk.latest({ ...put(5, { name: 'Ann' }), key: key(1) })
    desk.latest({ ...gone(7), key: key(1) }, { ...gone(8), key: key(2) })
    expect(desk.drawn).toEqual([])
    expect(table(desk).latest(key(1))).toEqual({ stamp: stampOf(desk, gone(7)), exists: false })
    expect(table(desk).latest(key(2))).toEqual({ stamp: stampOf(desk, gone(8)), exists: false })
    expect(table(desk).commitOf(key(1))).toBe(2)
  })

  test('a key that returns has a row and no tombstone', () => {
    using desk = new Desk(open(), facts())
    desk.latest({ ...gone(5), key: key(1) })
    desk.latest({ ...put(7, { name: 'Ann' }), key: key(1) })
    expect(desk.drawn).toEqual(['Ann'])
    expect(table(desk).isBuriedAlive(key(1))).toBe(false)
    desk.latest({ ...gone(9), key: key(1) })
    expect(table(desk).isBuriedAlive(key(1))).toBe(false)
    expect(desk.drawn).toEqual([])
  })

  test('a truncate takes away every row and tombstone before it, none at its sequence', () => {
    using desk = new Desk(open(), facts())
    desk.latest(
      { ...put(4, { name: 'Ann' }), key: key(1) },
      { ...put(5, { name: 'Bob' }), key: key(2) },
      { ...gone(4), key: key(3) },
      { ...gone(5), key: key(4) },
    )
    desk.commit(() => {
      table(desk).truncate(desk.of(truncated(5)))
    })
    expect(desk.drawn).toEqual(['Bob'])
    expect([1, 2, 3, 4].map((n) => table(desk).latest(key(n))?.exists ?? null)).toEqual([
      null,
      true,
      null,
      false,
    ])
  })

  test('registers come back with what else was told at their sequences, alive and deleted', () => {
    using desk = new Desk(open(), facts({ layout: 'registers' }))
    const told = (n: number, ...changes: readonly KeyChange[]) => {
      const named = new NamedRegisters()
      desk.commit((commit) => {
        for (const change of changes) named.tell(desk.of(change, key(n)))
        desk.store.registersTable(T).put(key(n), named.registers(), commit, 'nothing')
      })
      const kept = desk.store.registersTable(T).registers(key(n))
      expect(kept?.told).toEqual(named.registers().told)
      return kept?.told?.size
    }
    expect(told(1, put(5, { name: 'Ann' }))).toBe(undefined)
    expect(told(2, put(5, { name: 'Ann' }), put(5, { name: 'Bob' }, { number: 6 }))).toBe(1)
    expect(told(3, put(5, { name: 'Ann', city: 'Oslo' }), set(7, { name: 'Bob' }))).toBe(2)
    expect(told(4, put(5, { name: 'Ann' }), gone(5, { number: 6 }))).toBe(1)
  })

  test('rows come in key order, integers by size, then texts by code point', () => {
    using desk = new Desk(open(), facts())
    const parts = ['b', 10, 'a', 9, -1, 'B', '10', '😀', '\uffff', 9_007_199_254_740_993n]
    for (const part of parts) desk.latest({ ...put(1, { name: part }), key: key(part) })
    expect(desk.rows.map(([name]) => name)).toEqual([
      -1,
      9,
      10,
      9_007_199_254_740_993n,
      '10',
      'B',
      'a',
      'b',
      '\uffff',
      '😀',
    ])
  })

  test('one row can be asked for by its key', () => {
    using desk = new Desk(open(), facts())
    desk.latest(
      { ...put(1, { name: 'Ann' }), key: key(1) },
      { ...put(1, { name: 'Bob' }), key: key(2) },
    )
    expect([...desk.store.rows(T, ALWAYS, key(2))].map(({ row }) => drawRow(row))).toEqual(['Bob'])
    expect([...desk.store.rows(T, ALWAYS, key(3))]).toEqual([])
  })

  test('a row of SCD type 1 has no intervals', () => {
    using desk = new Desk(open(), facts({ columns: ['name'] }))
    desk.latest({ ...put(1, {}), row: ['Ann'], key: key(1) })
    expect([...desk.store.rows(T, ALWAYS, null)]).toEqual([
      {
        row: ['Ann'],
        startAt: null,
        endAt: null,
        startTime: null,
        endTime: null,
        systemStartAt: null,
        systemEndAt: null,
      },
    ])
  })

  test('the current rows are counted', () => {
    using desk = new Desk(open(), facts())
    expect(desk.store.currentRows(T)).toBe(0)
    desk.latest(
      { ...put(1, {}), key: key(1) },
      { ...put(1, {}), key: key(2) },
      { ...gone(1), key: key(3) },
    )
    expect(desk.store.currentRows(T)).toBe(2)
  })

  test('registers come back so that no further change can tell', () => {
    using desk = new Desk(open(), facts({ layout: 'registers' }))
    const changes = [
      put(2, { name: 'Ann', info: json({ a: 1 }) }),
      set(5, { city: 'Oslo' }, TIED),
      merged(6, { info: json({ b: { c: 2 } }) }),
      gone(3),
      merged(7, { info: json({ b: { d: 3 } }) }, { file: 'other', part: 1 }),
      merged(8, { info: json({ b: { c: 4 } }) }),
    ]
    const written = desk.registers(key(1), ...changes)
    const read = registersOf(desk, 1)
    expect(pack(read)).toEqual(pack(written))
    expect(rowOf(read)).toEqual(rowOf(written))
    expect(desk.drawn).toEqual(['∅ Oslo {"b":{"c":4,"d":3}}'])

    for (const late of [put(4, { name: 'Bob' }), gone(6, { number: 7 }), set(9, { city: null })]) {
      const change = desk.of(late, key(1))
      expect(rowOf(joinChange(read, change))).toEqual(rowOf(joinChange(written, change)))
    }
  })

  test('registers of a deleted key come back, and show no row', () => {
    using desk = new Desk(open(), facts({ layout: 'registers' }))
    const written = desk.registers(key(1), put(2, { name: 'Ann' }), gone(3))
    expect(pack(registersOf(desk, 1))).toEqual(pack(written))
    expect(desk.drawn).toEqual([])
    expect(desk.store.registersTable(T).commitOf(key(1))).toBe(1)
  })

  test('registers that say nothing are forgotten', () => {
    using desk = new Desk(open(), facts({ layout: 'registers' }))
    desk.registers(key(1), put(2, { name: 'Ann' }))
    desk.registers(key(1), truncated(3))
    expect(desk.store.registersTable(T).registers(key(1))).toBe(null)
    expect([...desk.store.registersTable(T).keys()]).toEqual([])
    expect(desk.drawn).toEqual([])
  })

  test('a key that returns after a deletion has registers again', () => {
    using desk = new Desk(open(), facts({ layout: 'registers' }))
    desk.registers(key(1), put(2, { name: 'Ann' }), gone(3))
    desk.registers(key(1), set(4, { city: 'Oslo' }))
    expect(desk.drawn).toEqual(['∅ Oslo'])
    expect([...desk.store.registersTable(T).keys()]).toEqual([key(1)])
  })

  test('more keys than a page of them are walked, each once, while the table is written', () => {
    using desk = new Desk(open(), facts({ layout: 'registers' }))
    const keys = manyKeys(10_003)
    const store = desk.store.registersTable(T)
    desk.commit((commit) => {
      const change = desk.of(put(1, { name: 'Ann' }))
      const { registers, tombstone } = {
        registers: joinChange(EMPTY, change),
        tombstone: joinChange(EMPTY, desk.of(gone(1))),
      }
      for (const [i, each] of keys.entries())
        store.put(each, i % 2 === 0 ? registers : tombstone, commit, 'nothing')
    })
    const walked = desk.commit((commit) => {
      const cut = joinChange(EMPTY, desk.of(gone(2)))
      return [...store.keys()].map((each) => {
        store.put(each, cut, commit, keptAs(store.registers(each)))
        return each
      })
    })
    expect(walked.toSorted()).toEqual(keys.toSorted())
    expect(desk.store.currentRows(T)).toBe(0)
  })
}

/** A place in the order of which every part says something. */
const TIED = {
  rank: -1,
  system: 3,
  file: 'file',
  partition: 2,
  number: 9_007_199_254_740_991,
  part: 4,
}

function table(desk: Desk) {
  return desk.store.latestTable(T)
}

function registersOf(desk: Desk, n: number) {
  return desk.store.registersTable(T).registers(key(n)) ?? EMPTY
}

function stampOf(desk: Desk, change: ReturnType<typeof gone>) {
  const { sequence, rank, system, stream, number, part } = desk.of(change)
  return { sequence, rank, system, stream, number, part }
}
