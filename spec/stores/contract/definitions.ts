import { expect, test } from 'vitest'
import { TidemarkError } from '../../../src/core/errors.ts'
import { put, set } from '../../core/drawing.ts'
import { bitemporal, Desk, facts, key, scd2, T, type Open } from './desk.ts'

/** Targets: made, widened, found. */
export function definitions(open: Open): void {
  test('a store has no targets at first', () => {
    using store = open()
    expect(store.targets()).toEqual([])
    expect(store.target(T)).toBe(null)
  })

  test('a target that is defined is known by all its facts', () => {
    using store = open()
    const [one, two, both] = [
      facts({ name: 'one' }),
      scd2({ name: 'two' }),
      bitemporal({ timed: true }),
    ]
    store.transact(() => {
      for (const each of [one, two, both]) store.define(each)
    })
    expect(store.targets()).toEqual([one, two, both])
    expect(store.target('two')).toEqual(two)
  })

  test('a store finds nothing wrong with itself or the tables that it made', () => {
    using store = open()
    const made = [facts({ name: 'one' }), scd2({ name: 'two' }), bitemporal({ timed: true })]
    store.transact(() => {
      for (const each of made) store.define(each)
    })
    expect(store.integrity()).toEqual([])
    expect(made.flatMap(({ name }) => [...store.tableFaults(name)])).toEqual([])
  })

  test('a target that is not there is answered by name', () => {
    using store = open()
    expect(() => store.currentRows('nowhere')).toThrow(
      'NOT_FOUND: the store has no target "nowhere"',
    )
  })

  test.each(['__tidemark_x', '__TIDEMARK_x', 'sqlite_x'])('the name %s is reserved', (name) => {
    using store = open()
    expect(codeOf(() => store.transact(() => store.define(facts({ name }))))).toBe(
      'TARGET_OCCUPIED',
    )
    expect(store.targets()).toEqual([])
  })

  test('two names that differ only in case cannot both be targets', () => {
    using store = open()
    store.transact(() => store.define(facts({ name: 'Users' })))
    expect(codeOf(() => store.transact(() => store.define(facts({ name: 'users' }))))).toBe(
      'TARGET_OCCUPIED',
    )
  })

  test('targets and columns may have any name', () => {
    using store = open()
    const name = 'a"; DROP TABLE t; --'
    const columns = [name, 'select', "it's", '[x]', 'k', 'tags', 'c0', 'rowid', ' ', '😀']
    store.transact(() => {
      store.define(scd2({ name, columns }))
      const commit = store.commit('flow', 1n)
      const stream = store.stream('flow', 'file', 0)
      const change = { ...put(1, {}), stream, row: columns }
      const entry = { change, row: columns, commit: commit.id }
      const version = {
        startAt: change.sequence,
        endAt: null,
        startTime: null,
        endTime: null,
        entry,
      }
      store.historyTable(name).replace(change.key, {
        versions: [{ ...version, since: null }],
        hidden: [],
        disbelieved: [],
      })
    })
    const rows = [...store.rows(name, { valid: null, system: null }, null)]
    expect(rows.map(({ row }) => row)).toEqual([columns])
  })

  test('a column that comes later is null in the rows before it', () => {
    using desk = new Desk(open(), facts({ columns: ['name'] }))
    desk.latest({ ...put(1, {}), row: ['Ann'], key: key(1) })
    widen(desk, facts({ columns: ['name', 'city'] }))
    desk.latest({ ...put(1, {}), row: ['Bob', 'Oslo'], key: key(2) })
    expect(desk.drawn).toEqual(['Ann', 'Bob Oslo'])
  })

  test('a column that comes later is null in versions, in what is hidden, and in what is no longer believed', () => {
    using desk = new Desk(open(), bitemporal({ columns: ['name'] }))
    desk.weave(key(1), { ...put(1, {}), row: ['Ann'] }, { ...put(2, {}), row: ['Ann'] })
    desk.weave(key(1), { ...put(3, {}), row: ['Bob'] })
    widen(desk, bitemporal({ columns: ['name', 'city'] }))
    desk.weave(key(1), { ...put(4, {}), row: ['Bob', 'Oslo'] })
    const { versions, hidden, disbelieved } = desk.store.historyTable(T).history(key(1))
    const rows = [...versions, ...disbelieved].map(({ entry }) => entry.row[1] ?? null)
    expect([...rows, ...hidden.map(({ row }) => row?.[1] ?? null)]).toEqual([
      null,
      null,
      'Oslo',
      null,
      null,
      null,
    ])
  })

  test('facts that the first record decides are learnt later', () => {
    using desk = new Desk(open(), scd2({ sequenceType: null }))
    widen(desk, scd2())
    expect(desk.store.target(T)).toEqual(scd2())
  })

  test('a column that is excluded is emptied in current rows', () => {
    using desk = new Desk(open(), facts())
    desk.latest({ ...put(1, { name: 'Ann', city: 'Oslo' }), key: key(1) })
    widen(desk, facts({ excluded: ['name'] }))
    widen(desk, facts())
    expect(desk.drawn).toEqual(['∅ Oslo'])
  })

  test('a column that is excluded is emptied where columns have writers of their own, until it is written again', () => {
    using desk = new Desk(open(), facts({ layout: 'registers' }))
    desk.registers(key(1), put(1, { name: 'Ann', city: 'Oslo' }), set(2, { name: 'Bob' }))
    widen(desk, facts({ layout: 'registers', excluded: ['name'] }))
    widen(desk, facts({ layout: 'registers' }))
    expect(desk.drawn).toEqual(['∅ Oslo'])
    desk.registers(key(1), set(3, { name: 'Cyd' }))
    expect(desk.drawn).toEqual(['Cyd Oslo'])
  })

  test('a column that is excluded stays in a history, for it is told again without it', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(key(1), put(1, { name: 'Ann', city: 'Oslo' }))
    widen(desk, scd2({ excluded: ['name'] }))
    expect(desk.versions(key(1))).toEqual(['[1, ∞) Ann Oslo'])
  })

  test('rows that one event wrote whole can get columns with writers of their own', () => {
    using desk = new Desk(open(), facts())
    desk.latest({ ...put(1, { name: 'Ann', city: 'Oslo' }), key: key(1) })
    widen(desk, facts({ layout: 'registers' }))
    desk.registers(key(1), set(2, { name: 'Bob' }), set(0, { city: 'late' }))
    expect(desk.drawn).toEqual(['Bob Oslo'])
  })
}

function widen(desk: Desk, to: ReturnType<typeof facts>): void {
  desk.store.transact(() => {
    desk.store.define(to)
  })
}

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    return error instanceof TidemarkError ? error.code : String(error)
  }
  return 'no fault'
}
