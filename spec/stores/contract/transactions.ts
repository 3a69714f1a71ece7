import { expect, test } from 'vitest'
import { encodeSequence } from '../../../src/core/sequence.ts'
import { ENGINE_TIME } from '../../../src/core/target.ts'
import type { Store } from '../../../src/ports/store.ts'
import { gone, put, sequenceOf, truncated } from '../../core/drawing.ts'
import { ALWAYS, Desk, facts, key, scd2, T, type Open } from './desk.ts'
import { record, refusedRecord } from './ledger.ts'

/** All or nothing, and the order of commits. */
export function transactions(open: Open): void {
  test('what a transaction writes is there after it, and it gives what its work gives', () => {
    using store = open()
    expect(
      store.transact(() => {
        store.define(facts())
        return 'done'
      }),
    ).toBe('done')
    expect(store.targets()).toEqual([facts()])
  })

  test('a transaction that fails leaves nothing behind, and says why', () => {
    using store = open()
    expect(() =>
      store.transact(() => {
        writeEverything(store)
        throw new RangeError('interrupted')
      }),
    ).toThrow(new RangeError('interrupted'))

    expect(everything(store)).toEqual({
      targets: [],
      target: null,
      checkpoints: [],
      flow: null,
      quarantine: [],
      move: null,
      nextCommit: 1,
    })
  })

  test('a transaction that fails takes back what was changed, removed and added', () => {
    using desk = new Desk(open(), facts())
    desk.latest(
      { ...put(1, { name: 'Ann' }), key: key(1) },
      { ...put(1, { name: 'Bob' }), key: key(2) },
    )
    desk.truncate(truncated(0))
    const { store } = desk
    store.transact(() => {
      store.saveCheckpoints('flow', [{ name: 'a', partition: 0, next: 5, state: 'x' }])
      store.saveFlow(record('flow'))
    })

    fail(store, () => {
      const commit = store.commit('flow', 50n)
      const table = store.latestTable(T)
      table.put(desk.of(put(2, { name: 'Cyd' }), key(1)), commit, table.latest(key(1)))
      table.bury(desk.of(gone(2), key(2)), commit, table.latest(key(2)))
      table.put(desk.of(put(2, { name: 'Dan' }), key(3)), commit, table.latest(key(3)))
      store.latestTable(T).truncate(desk.of(truncated(2)))
      store.addTruncate(T, desk.of(truncated(2)), commit)
      store.changed(T, commit)
      store.saveCheckpoints('flow', [{ name: 'a', partition: 0, next: 9, state: 'y' }])
      store.saveFlow({ ...record('flow'), done: true })
    })

    expect(desk.drawn).toEqual(['Ann', 'Bob'])
    expect(store.truncates(T).length).toBe(1)
    expect(store.version(T)).toBe(0)
    expect(store.checkpoints('flow')).toEqual([{ name: 'a', partition: 0, next: 5, state: 'x' }])
    expect(store.flow('flow')).toEqual(record('flow'))
  })

  test('a transaction that fails takes back what it wove into a history', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(key(1), put(5, { name: 'Ann' }), put(9, { name: 'Ann' }))
    fail(desk.store, () => {
      const commit = desk.store.commit('flow', 50n)
      const table = desk.store.historyTable(T)
      table.replace(key(1), { versions: [], hidden: [], disbelieved: [] })
      table.replace(key(2), table.history(key(1)))
      desk.store.changed(T, commit)
    })
    expect(desk.versions(key(1))).toEqual(['[5, ∞) Ann'])
    expect([...desk.store.historyTable(T).keys()]).toEqual([key(1)])
  })

  test('a transaction that fails leaves nothing in memory either: streams, columns, kinds, digits', () => {
    using desk = new Desk(open(), facts({ columns: ['name'] }))
    const { store } = desk
    fail(store, () => {
      store.define(facts({ columns: ['name', 'at'] }))
      const commit = store.commit('flow', 1n)
      const stream = store.stream('flow', 'interned and lost', 0)
      const row = [
        'text first',
        { type: 'timestamp', text: '2026-01-01T00:00:00.123456789Z' },
      ] as const
      store.latestTable(T).put({ ...put(1, {}), key: key(1), stream, row }, commit, null)
    })
    expect(store.target(T)).toEqual(facts({ columns: ['name'] }))

    store.transact(() => {
      store.define(facts({ columns: ['name', 'at'] }))
    })
    const stream = store.transact(() => store.stream('flow', 'interned for good', 0))
    const row = [7, { type: 'timestamp', text: '2026-01-01T00:00:00Z' }] as const
    desk.commit((commit) => {
      store.latestTable(T).put({ ...put(1, {}), key: key(1), stream, row }, commit, null)
    })
    expect(desk.rows).toEqual([row])
    expect(store.latestTable(T).latest(key(1))?.stamp.stream).toBe(stream)
  })

  test('after a transaction that failed the next one works as if it had never been', () => {
    using desk = new Desk(open(), facts())
    fail(desk.store, () => desk.store.commit('flow', 7n))
    const commit = desk.store.transact(() => desk.store.commit('flow', 3n))
    expect(commit.id).toBe(1)
    expect(commit.time.text).toBe('1970-01-01T00:00:00.000003Z')
  })

  test('commits are numbered from 1, and each has the time of the clock', () => {
    using store = open()
    const [first, second] = store.transact(() => [store.commit('a', 5n), store.commit('b', 9n)])
    expect(first.id).toBe(1)
    expect(first.time).toEqual({ type: 'timestamp', text: '1970-01-01T00:00:00.000005Z' })
    expect(second.id).toBe(2)
    expect(second.time).toEqual({ type: 'timestamp', text: '1970-01-01T00:00:00.000009Z' })
  })

  test('system time strictly increases even if the clock stalls or steps back', () => {
    using store = open()
    const micros = [5n, 5n, 3n, 1_000_000n, 999_999n, 2_000_000n]
    const commits = store.transact(() => micros.map((clock) => store.commit('flow', clock)))
    expect(commits.map(({ time }) => time.text)).toEqual([
      '1970-01-01T00:00:00.000005Z',
      '1970-01-01T00:00:00.000006Z',
      '1970-01-01T00:00:00.000007Z',
      '1970-01-01T00:00:01Z',
      '1970-01-01T00:00:01.000001Z',
      '1970-01-01T00:00:02Z',
    ])
  })

  test('the time of a commit is a sequence, and is known later', () => {
    using store = open()
    const { id, time, now } = store.transact(() => store.commit('flow', 1_000_000n))
    expect(now).toBe(encodeSequence(time, ENGINE_TIME))
    expect(store.timeOf(id)).toBe(now)
  })

  test('the version of a target counts the commits that changed it', () => {
    using desk = new Desk(open(), facts())
    const { store } = desk
    expect(store.version(T)).toBe(0)
    expect(desk.commit((commit) => store.changed(T, commit))).toBe(1)
    desk.commit(() => null)
    expect(desk.commit((commit) => store.changed(T, commit))).toBe(2)
    expect(store.version(T)).toBe(2)
  })

  test('a stream is one object, whoever asks', () => {
    using store = open()
    const [a, again, other] = store.transact(() => [
      store.stream('flow', 'file', 0),
      store.stream('flow', 'file', 0),
      store.stream('flow', 'file', 1),
    ])
    expect(again).toBe(a)
    expect(other).not.toBe(a)
    expect(a).toEqual({ id: a.id, flow: 'flow', name: 'file', partition: 0 })
    fail(store, () => store.stream('flow', 'another', 0))
    expect(store.transact(() => store.stream('flow', 'file', 0))).toBe(a)
  })

  test('streams that differ only in where their names are cut are different', () => {
    using store = open()
    const streams = store.transact(() => [
      store.stream('a', 'b/c', 0),
      store.stream('a/b', 'c', 0),
      store.stream('a', 'b', 0),
      store.stream('a","b', 'c', 0),
    ])
    expect(new Set(streams.map(({ id }) => id)).size).toBe(4)
  })
}

function fail(store: Store, work: () => unknown): void {
  expect(() =>
    store.transact(() => {
      work()
      throw new Error('interrupted')
    }),
  ).toThrow('interrupted')
}

function writeEverything(store: Store): void {
  store.define(facts())
  const commit = store.commit('flow', 1n)
  const stream = store.stream('flow', 'file', 0)
  store.latestTable(T).put({ ...put(1, { name: 'Ann' }), stream }, commit, null)
  store.latestTable(T).bury({ ...gone(1), key: key(2), stream }, commit, null)
  store.addTruncate(T, { ...truncated(0), stream }, commit)
  store.changed(T, commit)
  store.saveCheckpoints('flow', [{ name: 'file', partition: 0, next: 2, state: 's' }])
  store.saveFlow(record('flow'))
  store.setAside([refusedRecord(1)])
  const owed = { mode: 'only', columns: [] } as const
  store.saveMove(T, key(3), sequenceOf(1), { half: 'left', row: null, owed })
  expect([...store.rows(T, ALWAYS, null)].length).toBe(1)
}

function everything(store: Store) {
  return {
    targets: store.targets(),
    target: store.target(T),
    checkpoints: store.checkpoints('flow'),
    flow: store.flow('flow'),
    quarantine: [...store.quarantine(null)],
    move: store.move(T, key(3), sequenceOf(1)),
    nextCommit: store.transact(() => store.commit('flow', 1n)).id,
  }
}
