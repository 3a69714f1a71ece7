import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TidemarkError } from '../../../src/core/errors.ts'
import { SqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts'
import { put } from '../../core/drawing.ts'
import { ALWAYS, Desk, facts, key, scd2, T } from '../contract/desk.ts'
import { record } from '../contract/ledger.ts'
import { Place } from './on-disk.ts'

test('what was committed is there when the store is opened again', () => {
  using place = new Place()
  const stream = inStore(place, (store) => {
    const desk = new Desk(store, scd2({ timed: true }))
    desk.weave(
      key(1),
      put(5, { name: 'Ann', city: 'Oslo' }, { time: '09:00' }),
      put(9, { name: 'Bob' }),
    )
    store.transact(() => {
      store.saveFlow(record('flow'))
    })
    return store.transact(() => store.stream('flow', 'feed', 0))
  })
  inStore(place, (store) => {
    expect(store.targets()).toEqual([scd2({ timed: true })])
    expect([...store.rows(T, ALWAYS, null)].map(({ row }) => row)).toEqual([
      ['Ann', 'Oslo', null],
      ['Bob', null, null],
    ])
    expect(store.flow('flow')).toEqual(record('flow'))
    expect(store.transact(() => store.stream('flow', 'feed', 0))).toEqual(stream)
    expect(store.transact(() => store.commit('flow', 0n)).id).toBe(2)
  })
})

test('what was learnt of columns is there when the store is opened again', () => {
  using place = new Place()
  const nanos = { type: 'timestamp', text: '2026-01-02T03:04:05.000000001Z' } as const
  const seconds = { type: 'timestamp', text: '2026-01-02T03:04:05Z' } as const
  inStore(place, (store) => {
    new Desk(store, facts({ columns: ['v'] })).latest({ ...put(1, {}), key: key(1), row: [nanos] })
  })
  inStore(place, (store) => {
    const desk = new Desk(store, facts({ columns: ['v'] }))
    desk.latest(
      { ...put(1, {}), key: key(2), row: [seconds] },
      { ...put(1, {}), key: key(3), row: ['05Z'] },
    )
    expect(desk.rows).toEqual([[nanos], [seconds], ['05Z']])
  })
})

test('a second writer is refused while the first one is there, and only then', () => {
  using place = new Place()
  inStore(place, () => {
    expect(fault(() => new SqliteStore(place.file))).toBe(
      `STORE_BUSY: another process is writing to the store ${place.file}; wait for it to end, or stop it`,
    )
  })
  inStore(place, (store) => {
    expect(store.targets()).toEqual([])
  })
})

test('a second writer is refused by whatever name it calls the file', () => {
  using place = new Place()
  inStore(place, () => {
    const link = join(place.path, 'link.db')
    symlinkSync(place.file, link)
    expect(fault(() => new SqliteStore(link))).toMatch(/^STORE_BUSY: /)
  })
})

test('a refused writer leaves the first one to its work', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), facts())
  fault(() => new SqliteStore(place.file))
  desk.latest(put(1, { name: 'Ann' }))
  expect(desk.drawn).toEqual(['Ann'])
})

test('a reader needs no lock, and sees what is committed', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), facts())
  desk.latest(put(1, { name: 'Ann' }))
  using reader = new SqliteStore(place.file, 'read')
  expect([...reader.rows(T, ALWAYS, null)].map(({ row }) => row[0])).toEqual(['Ann'])
})

test('a reader sees the store as it was when it was opened, whatever is committed later', () => {
  using place = new Place()
  using desk = new Desk(new SqliteStore(place.file), facts())
  using early = new SqliteStore(place.file, 'read')
  desk.latest(put(1, { name: 'Ann' }))
  using late = new SqliteStore(place.file, 'read')
  expect([early, late].map((reader) => reader.currentRows(T))).toEqual([0, 1])
  expect([early, late].map((reader) => reader.checkpoints('flow'))).toEqual([[], []])
})

test('a reader of a store that does not exist is told so, and makes none', () => {
  using place = new Place()
  expect(fault(() => new SqliteStore(place.file, 'read'))).toMatch(/^NOT_FOUND: .*cannot be opened/)
  expect(fault(() => new SqliteStore(place.file, 'read'))).toMatch(/^NOT_FOUND: /)
})

test('a reader of a database into which nothing has run is told so', () => {
  using place = new Place()
  place.exec('CREATE TABLE theirs (a)')
  expect(fault(() => new SqliteStore(place.file, 'read'))).toBe(
    `NOT_FOUND: nothing has run into the store ${place.file} yet`,
  )
})

test('a store in a folder that does not exist is refused', () => {
  using place = new Place()
  const path = join(place.path, 'nowhere', 'store.db')
  expect(fault(() => new SqliteStore(path))).toMatch(/is its folder there and writable/)
})

test('a store of the layout before is read as it is, and ours once it is opened to write', () => {
  using place = new Place()
  inStore(place, () => null)
  place.exec(`UPDATE __tidemark_meta SET value = '1' WHERE name = 'layout'`)
  new SqliteStore(place.file, 'read')[Symbol.dispose]()
  expect(place.query('SELECT value FROM __tidemark_meta')).toEqual([{ value: '1' }])
  new SqliteStore(place.file)[Symbol.dispose]()
  expect(place.query('SELECT value FROM __tidemark_meta')).toEqual([{ value: '2' }])
})

test('a store of another layout is refused, and stays as it is', () => {
  using place = new Place()
  inStore(place, () => null)
  place.exec(`UPDATE __tidemark_meta SET value = '999' WHERE name = 'layout'`)
  const refusal = `STORE_UNKNOWN: the store ${place.file} has layout 999, this Tidemark knows 2`
  expect(fault(() => new SqliteStore(place.file))).toBe(refusal)
  expect(fault(() => new SqliteStore(place.file, 'read'))).toBe(refusal)
  expect(place.query('SELECT value FROM __tidemark_meta')).toEqual([{ value: '999' }])
})

test('a file that is no database is refused, and stays as it is', () => {
  using place = new Place()
  writeFileSync(place.file, 'id,name\n1,Ann\n'.repeat(100))
  const refusal = `STORE_UNKNOWN: ${place.file} is not an SQLite database`
  expect(fault(() => new SqliteStore(place.file))).toBe(refusal)
  expect(fault(() => new SqliteStore(place.file, 'read'))).toBe(refusal)
})

test('a refused file is not locked', () => {
  using place = new Place()
  writeFileSync(place.file, 'no database'.repeat(100))
  fault(() => new SqliteStore(place.file))
  rmSync(place.file)
  inStore(place, (store) => {
    expect(store.targets()).toEqual([])
  })
})

test('a directory is no store', () => {
  using place = new Place()
  mkdirSync(place.file)
  expect(fault(() => new SqliteStore(place.file))).toMatch(/^NOT_FOUND: /)
})

test('tables of others in the database are left alone', () => {
  using place = new Place()
  place.exec(`CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)`)
  using desk = new Desk(new SqliteStore(place.file), facts())
  desk.latest(put(1, { name: 'Ann' }))
  expect(place.query('SELECT * FROM theirs')).toEqual([{ a: 1n }])
})

test.each(['TABLE t (a)', 'TABLE T (a)', 'VIEW t AS SELECT 1'])(
  'a target does not take the place of somebody else: CREATE %s',
  (made) => {
    using place = new Place()
    place.exec(`CREATE ${made}`)
    using store = new SqliteStore(place.file)
    expect(
      fault(() => {
        store.transact(() => {
          store.define(facts())
        })
      }),
    ).toMatch(/^TARGET_OCCUPIED: the target "t" cannot be made in .*choose another$/)
    expect(store.targets()).toEqual([])
  },
)

test('a database that is damaged says what is wrong', () => {
  using place = new Place()
  inStore(place, (store) => {
    new Desk(store, scd2()).weave(key(1), put(5, { name: 'Ann' }), put(9, { name: 'Bob' }))
    expect(store.integrity()).toEqual([])
  })
  place.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = '__tidemark_t1_hidden_k')
    WHERE name = '__tidemark_t1_closed_k'`)
  using reader = new SqliteStore(place.file, 'read')
  expect(reader.integrity()).not.toEqual([])
})

function inStore<T>(place: Place, work: (store: SqliteStore) => T): T {
  using store = new SqliteStore(place.file)
  return work(store)
}

/** The message of the fault that stops the work. */
function fault(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof TidemarkError) return error.message
    throw error
  }
  return 'no fault'
}
