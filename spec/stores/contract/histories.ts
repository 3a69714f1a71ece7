import { expect, test } from 'vitest'
import { joinChange, EMPTY } from '../../../src/core/registers.ts'
import {
  draw,
  drawBelieved,
  drawEntry,
  drawRow,
  drawTimed,
  gone,
  json,
  merged,
  put,
  sequenceOf,
  set,
  truncated,
} from '../../core/drawing.ts'
import {
  ALWAYS,
  bitemporal,
  Desk,
  drawStored,
  facts,
  key,
  manyKeys,
  scd2,
  T,
  type Open,
} from './desk.ts'

const ANN = { name: 'Ann' }
const BOB = { name: 'Bob' }
const K = key(1)

/** Versions, what is hidden behind them, and truncates. */
export function histories(open: Open): void {
  test('versions and what is hidden behind them come back', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(K, put(5, ANN), put(6, ANN), gone(7), put(9, BOB, { number: 1 }), put(9, BOB))
    const { versions, hidden, disbelieved } = desk.store.historyTable(T).history(K)
    expect(versions.map(draw)).toEqual(['[5, 7) Ann', '[9, ∞) Bob'])
    expect(hidden.map(drawEntry)).toEqual(['5 Ann', '7 gone', '9 Bob'])
    expect(disbelieved).toEqual([])
  })

  test('the newest entry of a key is the last in order, shown or hidden', () => {
    using desk = new Desk(open(), scd2())
    const newest = () => {
      const entry = desk.store.historyTable(T).newest(K)
      return entry === null ? null : drawEntry(entry)
    }
    expect(newest()).toBe(null)
    desk.weave(K, put(5, ANN), put(7, BOB))
    expect(newest()).toBe('7 Bob')
    desk.weave(K, gone(9), put(6, ANN))
    expect(newest()).toBe('9 gone')
    desk.weave(K, put(9, BOB, { number: 10 }), gone(9, { number: 11 }))
    expect(newest()).toBe('9 gone')
    desk.weave(K, put(9, ANN, { number: 12 }))
    expect(newest()).toBe('9 Ann')
  })

  test('of a key that nobody wrote nothing is kept', () => {
    using desk = new Desk(open(), scd2())
    const table = desk.store.historyTable(T)
    expect(table.history(K)).toEqual({ versions: [], hidden: [], disbelieved: [] })
    expect([...table.keys()]).toEqual([])
  })

  test('an entry comes back whole: its place in the order, what it wrote, its commit', () => {
    using desk = new Desk(open(), scd2({ timed: true }))
    const where = {
      rank: -1,
      system: 3,
      file: 'file',
      partition: 2,
      number: 7,
      part: 4,
      time: '09:00',
    }
    const changes = [
      put(2, ANN),
      set(5, { city: 'Oslo', info: null }, where),
      gone(6, where),
      merged(7, { info: json({ a: null }) }, where),
      { ...set(8, {}), writes: { mode: 'except', columns: [1], merge: [2] } as const },
    ]
    desk.weave(K, put(1, BOB))
    desk.weave(K, ...changes)
    const { versions, hidden } = desk.store.historyTable(T).history(K)
    const entries = [...versions.map(({ entry }) => entry), ...hidden]
    const told = entries.map(({ change, commit }) => ({ change, commit }))
    expect(told.toSorted((a, b) => (a.change.sequence < b.change.sequence ? -1 : 1))).toEqual([
      { change: desk.of(put(1, BOB), K), commit: 1 },
      ...changes.map((change) => ({ change: desk.of(change, K), commit: 2 })),
    ])
  })

  test('versions have the times of the changes that open and end them', () => {
    using desk = new Desk(open(), scd2({ timed: true }))
    desk.weave(K, put(5, ANN, { time: '09:00' }), gone(7, { time: '10:00' }), put(9, BOB))
    expect(desk.store.historyTable(T).history(K).versions.map(drawTimed)).toEqual([
      '[5, 7) Ann 09:00 to 10:00',
      '[9, ∞) Bob ∅ to ∅',
    ])
  })

  test('what a commit ends was believed until then; the rest is believed still', () => {
    using desk = new Desk(open(), bitemporal())
    desk.weave(K, put(5, ANN))
    desk.weave(K, put(9, BOB))
    const { versions, disbelieved } = desk.store.historyTable(T).history(K)
    expect(
      [...disbelieved, ...versions.map((each) => ({ ...each, until: null }))].map(believed),
    ).toEqual([
      '[5, ∞) Ann believed [1, 2)',
      '[5, 9) Ann believed [2, ∞)',
      '[9, ∞) Bob believed [2, ∞)',
    ])
  })

  test('what one commit brings and takes back leaves no trace', () => {
    using desk = new Desk(open(), bitemporal())
    desk.commit((commit) => {
      const table = desk.store.historyTable(T)
      const change = desk.of(put(5, ANN), K)
      const entry = { change, row: change.row, commit: commit.id }
      const version = {
        startAt: change.sequence,
        endAt: null,
        startTime: null,
        endTime: null,
        entry,
        since: commit.now,
      }
      const none = {
        remove: [],
        put: [],
        disbelieved: [],
        unhide: [],
        hide: [],
        rest: [],
        late: [],
        ties: 0,
      }
      table.apply(K, { ...none, put: [version] }, commit)
      table.apply(K, { ...none, remove: [version], disbelieved: [version] }, commit)
    })
    expect(desk.store.historyTable(T).history(K)).toEqual({
      versions: [],
      hidden: [],
      disbelieved: [],
    })
  })

  test('rows of a history come by key, then by start', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(key('b'), put(1, ANN))
    desk.weave(key('a'), put(5, ANN), put(9, BOB))
    desk.weave(key('a'), put(2, { name: 'Cyd' }))
    expect([...desk.store.rows(T, ALWAYS, null)].map(drawStored)).toEqual([
      'Cyd [2, 5)',
      'Ann [5, 9)',
      'Bob [9, ∞)',
      'Ann [1, ∞)',
    ])
    expect([...desk.store.rows(T, ALWAYS, key('b'))].map(drawStored)).toEqual(['Ann [1, ∞)'])
  })

  test('rows as of a sequence are those that hold then, start included and end not', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(K, put(5, ANN), gone(7), put(9, BOB))
    const rows = (at: number) =>
      [...desk.store.rows(T, { valid: sequenceOf(at), system: null }, null)].map(drawStored)
    expect([4, 5, 6, 7, 9].map(rows)).toEqual([
      [],
      ['Ann [5, 7)'],
      ['Ann [5, 7)'],
      [],
      ['Bob [9, ∞)'],
    ])
  })

  test('rows as of a system time are those that were believed then, on both axes if asked', () => {
    using desk = new Desk(open(), bitemporal())
    desk.weave(K, put(5, ANN))
    desk.weave(K, put(9, BOB))
    const { store } = desk
    const rows = (system: number | null, valid: number | null) =>
      [
        ...store.rows(
          T,
          {
            valid: valid === null ? null : sequenceOf(valid),
            system: system === null ? null : store.timeOf(system),
          },
          null,
        ),
      ].map(drawStored)
    expect(rows(null, null)).toEqual([
      'Ann [5, ∞) [1, 2)',
      'Ann [5, 9) [2, ∞)',
      'Bob [9, ∞) [2, ∞)',
    ])
    expect(rows(1, null)).toEqual(['Ann [5, ∞) [1, 2)'])
    expect(rows(2, null)).toEqual(['Ann [5, 9) [2, ∞)', 'Bob [9, ∞) [2, ∞)'])
    expect(rows(1, 9)).toEqual(['Ann [5, ∞) [1, 2)'])
    expect(rows(2, 9)).toEqual(['Bob [9, ∞) [2, ∞)'])
  })

  test('the current rows of a history are counted', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(key(1), put(5, ANN), put(9, BOB))
    desk.weave(key(2), put(5, ANN), gone(9))
    expect(desk.store.currentRows(T)).toBe(1)
  })

  test('an SCD type 1 target with a timeline shows its current rows and keeps the rest', () => {
    using desk = new Desk(
      open(),
      facts({ layout: 'timeline', tracking: { mode: 'only', columns: [] } }),
    )
    desk.weave(key(1), put(5, ANN), gone(7), put(9, BOB))
    desk.weave(key(2), put(5, ANN), gone(7))
    expect([...desk.store.rows(T, ALWAYS, null)].map(drawStored)).toEqual(['Bob'])
    expect(desk.store.currentRows(T)).toBe(1)
    expect(desk.versions(key(2))).toEqual(['[5, 7) Ann'])
  })

  test('keys alive before a sequence are those whose row holds just before it', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(key('open'), put(5, ANN))
    desk.weave(key('opens then'), put(8, ANN))
    desk.weave(key('ends then'), put(5, ANN), gone(8))
    desk.weave(key('ended'), put(5, ANN), gone(7))
    desk.weave(key('changes then'), put(5, ANN), put(8, BOB))
    desk.weave(key('ends later'), put(5, ANN), gone(9))
    desk.weave(key('never was'), gone(5))
    expect([...desk.store.historyTable(T).keysAliveBefore(sequenceOf(8))].toSorted()).toEqual(
      ['changes then', 'ends later', 'ends then', 'open'].map(key),
    )
  })

  test('more keys than a page of them are alive, each met once, while their rows end', () => {
    using desk = new Desk(open(), scd2())
    const keys = manyKeys(10_003)
    const table = desk.store.historyTable(T)
    desk.commit((commit) => {
      const change = desk.of(put(1, ANN))
      const entry = { change, row: change.row, commit: commit.id }
      const since = null
      const version = {
        startAt: change.sequence,
        endAt: null,
        startTime: null,
        endTime: null,
        entry,
        since,
      }
      for (const each of keys)
        table.replace(each, { versions: [version], hidden: [], disbelieved: [] })
    })
    const met = desk.commit((commit) => {
      const cut = { remove: [], disbelieved: [], unhide: [], hide: [], rest: [], late: [], ties: 0 }
      return [...table.keysAliveBefore(sequenceOf(5))].map((each) => {
        const [version] = table.history(each).versions
        if (version === undefined) throw new Error('there is no version')
        const ended = { ...version, endAt: sequenceOf(5) }
        table.apply(each, { ...cut, remove: [version], put: [ended] }, commit)
        return each
      })
    })
    expect(met.toSorted()).toEqual(keys.toSorted())
    expect([...table.keys()].toSorted()).toEqual(keys.toSorted())
    expect(desk.store.currentRows(T)).toBe(0)
  })

  test('another history takes the place of all that is kept of a key, and of no other', () => {
    using desk = new Desk(open(), bitemporal())
    desk.weave(key(1), put(5, ANN), put(6, ANN))
    desk.weave(key(1), gone(9))
    desk.weave(key(2), put(5, BOB), put(6, BOB))
    desk.weave(key(2), gone(7))
    const table = desk.store.historyTable(T)
    desk.commit(() => {
      table.replace(key(1), { ...table.history(key(1)), hidden: [], disbelieved: [] })
    })
    const told = (n: number) => {
      const { versions, hidden, disbelieved } = table.history(key(n))
      return [versions.map(draw), hidden.map(drawEntry), disbelieved.map(draw)]
    }
    expect(told(1)).toEqual([['[5, 9) Ann'], [], []])
    expect(told(2)).toEqual([['[5, 7) Bob'], ['5 Bob', '7 gone'], ['[5, ∞) Bob']])
    desk.commit(() => {
      table.replace(key(1), { versions: [], hidden: [], disbelieved: [] })
    })
    expect([...table.keys()]).toEqual([key(2)])
  })

  test('truncates come back in order, with their reach, time and commit', () => {
    using desk = new Desk(open(), scd2())
    const [later, earlier] = [
      truncated(9, { reach: 'flow', time: '10:00', rank: 1, system: 4, part: 2 }),
      truncated(5),
    ]
    desk.truncate(later)
    desk.truncate(earlier)
    expect(desk.store.truncates(T)).toEqual([
      { truncate: desk.of(earlier), commit: 2 },
      { truncate: desk.of(later), commit: 1 },
    ])
  })

  test('a truncate of one target is none of another', () => {
    using desk = new Desk(open(), scd2())
    desk.store.transact(() => {
      desk.store.define(scd2({ name: 'other' }))
    })
    desk.truncate(truncated(5))
    expect(desk.store.truncates('other')).toEqual([])
  })

  test('targets of one store do not meet, whatever their keys', () => {
    using desk = new Desk(open(), scd2())
    desk.store.transact(() => {
      desk.store.define(facts({ name: 'other', layout: 'registers' }))
      const commit = desk.store.commit('flow', 99n)
      const change = desk.of(put(1, BOB), K)
      desk.store.registersTable('other').put(K, joinChange(EMPTY, change), commit, 'nothing')
    })
    desk.weave(K, put(5, ANN))
    expect(desk.drawn).toEqual(['Ann'])
    const other = [...desk.store.rows('other', ALWAYS, null)]
    expect(other.map(({ row }) => drawRow(row))).toEqual(['Bob'])
  })
}

/** The system interval in microseconds since 1970. */
function believed(version: Parameters<typeof drawBelieved>[0]): string {
  const micros = (time: typeof version.until) =>
    time === null ? null : sequenceOf(Number(time.slice(20).padEnd(6, '0')))
  return drawBelieved({ ...version, since: micros(version.since), until: micros(version.until) })
}
