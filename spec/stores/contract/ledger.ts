import { expect, test } from 'vitest'
import { NO_COUNTS } from '../../../src/core/counts.ts'
import type { FlowRecord, Quarantined, Store } from '../../../src/ports/store.ts'
import type { UnsettledMove } from '../../../src/ports/moves.ts'
import { sequenceOf } from '../../core/drawing.ts'
import { key, type Open } from './desk.ts'

/** Checkpoints, records of flows, and what is set aside. */
export function ledger(open: Open): void {
  test('a flow that never ran has no checkpoints and no record', () => {
    using store = open()
    expect(store.checkpoints('flow')).toEqual([])
    expect(store.flow('flow')).toBe(null)
  })

  test('checkpoints of the streams that moved replace the earlier ones', () => {
    using store = open()
    save(store, 'flow', ['b', 0, 1, 'x'], ['a', 1, 1, ''], ['a', 0, 1, ''])
    save(store, 'flow', ['b', 0, 9_007_199_254_740_991, 'y'])
    expect(store.checkpoints('flow')).toEqual([
      { name: 'a', partition: 0, next: 1, state: '' },
      { name: 'a', partition: 1, next: 1, state: '' },
      { name: 'b', partition: 0, next: 9_007_199_254_740_991, state: 'y' },
    ])
  })

  test('each flow has checkpoints of its own', () => {
    using store = open()
    save(store, 'one', ['a', 0, 1, ''])
    save(store, 'two', ['a', 0, 2, ''])
    expect(store.checkpoints('one')).toEqual([{ name: 'a', partition: 0, next: 1, state: '' }])
  })

  test('the record of a flow comes back whole, the last one written', () => {
    using store = open()
    const written = {
      ...record('flow'),
      counts: { ...NO_COUNTS, read: 5, accepted: 4, quarantined: 1 },
      violations: { 'a "quoted" name': 3 },
      done: true,
      lastRunAt: '2026-01-01T00:00:00Z',
      lastSystemTime: '2026-01-01T00:00:01Z',
      lastFault: '',
      tails: [{ name: 'a', partition: 1, read: 7, deleted: key(1) }],
    }
    store.transact(() => {
      store.saveFlow(record('flow'))
      store.saveFlow(written)
      store.saveFlow(record('other'))
    })
    expect(store.flow('flow')).toEqual(written)
  })

  test('a change of keys is kept until it is forgotten, by target, key and sequence', () => {
    using store = open()
    const none = { mode: 'only', columns: [] } as const
    const nothing: UnsettledMove = { half: 'left', row: null, owed: none }
    const left: UnsettledMove = {
      half: 'left',
      row: [1, null, 'x'],
      owed: { mode: 'only', columns: [1] },
    }
    const arrived = store.transact((): UnsettledMove => {
      const stream = store.stream('flow', 'topic', 3)
      const stamp = { sequence: sequenceOf(6), rank: 0, system: null, stream, number: 9, part: 1 }
      const time = { type: 'timestamp', text: '2026-01-01T00:00:00Z' } as const
      const lacking = { mode: 'except', columns: [0, 2] } as const
      const heirs = [{ to: key(2), sequence: sequenceOf(7), columns: lacking }]
      return { half: 'met', stamp, parts: 2, time, lacking, heirs }
    })
    store.transact(() => {
      store.saveMove('t', key(1), sequenceOf(6), arrived)
      store.saveMove('t', key(1), sequenceOf(5), nothing)
      store.saveMove('t', key(1), sequenceOf(5), left)
      store.saveMove('u', key(1), sequenceOf(5), nothing)
    })
    expect(store.move('t', key(1), sequenceOf(5))).toEqual(left)
    expect(store.move('t', key(1), sequenceOf(6))).toEqual(arrived)
    expect(store.move('u', key(1), sequenceOf(5))).toEqual(nothing)
    expect(store.move('t', key(2), sequenceOf(5))).toBe(null)
    expect(store.movesTo('t', key(1))).toEqual([left, arrived])
    expect(store.movesTo('t', key(2))).toEqual([])

    store.transact(() => {
      store.saveMove('t', key(1), sequenceOf(5), null)
    })
    expect(store.move('t', key(1), sequenceOf(5))).toBe(null)
    expect(store.movesTo('t', key(1))).toEqual([arrived])
  })

  test('records set aside come back in the order in which they were, with every byte', () => {
    using store = open()
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const records = [refusedRecord(1), { ...refusedRecord(2), flow: 'other', bytes }]
    store.transact(() => {
      store.setAside(records)
    })
    expect([...store.quarantine(null)]).toEqual([
      { ...records[0], id: 1 },
      { ...records[1], id: 2 },
    ])
    expect([...store.quarantine('other')]).toEqual([{ ...records[1], id: 2 }])
  })

  test('more records than a page of them are set aside and come back, of one flow or all', () => {
    using store = open()
    const records = Array.from({ length: 1_203 }, (_, i) => ({
      ...refusedRecord(i),
      flow: i % 3 === 0 ? 'third' : 'flow',
    }))
    store.transact(() => {
      store.setAside(records)
    })
    expect([...store.quarantine(null)].map(({ number }) => number)).toEqual(
      records.map(({ number }) => number),
    )
    expect([...store.quarantine('third')].map(({ number }) => number)).toEqual(
      records.filter(({ flow }) => flow === 'third').map(({ number }) => number),
    )
  })

  test('names may be made of anything', () => {
    using store = open()
    const name = 'a"; DROP TABLE t; -- \' % _ \n [] 😀'
    save(store, name, [name, 0, 1, name])
    store.transact(() => {
      store.saveFlow(record(name))
      store.setAside([{ ...refusedRecord(1), flow: name, stream: name, reason: name }])
    })
    expect(store.checkpoints(name)).toEqual([{ name, partition: 0, next: 1, state: name }])
    expect(store.flow(name)).toEqual(record(name))
    expect([...store.quarantine(name)].map(({ stream, reason }) => [stream, reason])).toEqual([
      [name, name],
    ])
  })

  test('a sound store finds nothing wrong with itself', () => {
    using store = open()
    expect(store.integrity()).toEqual([])
  })
}

/** The record of a flow that has not done anything. */
export function record(name: string): FlowRecord {
  return {
    name,
    target: 't',
    spec: '{}',
    counts: NO_COUNTS,
    violations: {},
    done: false,
    lastRunAt: null,
    lastSystemTime: null,
    lastFault: null,
    tails: [],
  }
}

/** A record that cannot be decoded. */
export function refusedRecord(number: number): Omit<Quarantined, 'id'> {
  return {
    flow: 'flow',
    stream: 'file',
    partition: 0,
    number,
    code: 'UNDECODABLE',
    reason: 'broken',
    bytes: new Uint8Array(),
    at: '2026-01-01T00:00:00Z',
  }
}

function save(
  store: Store,
  flow: string,
  ...checkpoints: readonly (readonly [
    name: string,
    partition: number,
    next: number,
    state: string,
  ])[]
): void {
  store.transact(() => {
    store.saveCheckpoints(
      flow,
      checkpoints.map(([name, partition, next, state]) => ({ name, partition, next, state })),
    )
  })
}
