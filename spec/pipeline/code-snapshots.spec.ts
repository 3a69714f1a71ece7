import { expect, test } from 'vitest'
import { jsonText, openTidemark, parseFlows } from '../../src/index.ts'
import type { CodeSnapshot, Tidemark, Value } from '../../src/index.ts'

function open(source: Readonly<Record<string, unknown>> = {}): Tidemark {
  const flow = { target: 't', keys: 'id', stored_as_scd_type: 2 }
  return openTidemark(
    parseFlows(
      { store: { memory: true }, flows: [{ ...flow, source: { snapshots: true, ...source } }] },
      '.',
    ),
  )
}

/** A flow of events that a program hands over. */
function ofEvents(): Tidemark {
  const flow = { target: 't', keys: 'id', sequence_by: 's', source: { events: true } }
  return openTidemark(parseFlows({ store: { memory: true }, flows: [flow] }, '.'))
}

function rows(tidemark: Tidemark): string[] {
  return Array.from(tidemark.rows('t'), ({ values }) => values.map(jsonText).join(' '))
}

/** Gives these one after the other, and notes what it was asked with. */
function feeder(...snapshots: readonly CodeSnapshot[]) {
  const asked: Value[] = []
  const coming = [...snapshots]
  const next = (last: Value): CodeSnapshot | undefined => {
    asked.push(last)
    return coming.shift()
  }
  return { asked, next }
}

test('a program is asked for the next snapshot after the last version until it has none', async () => {
  using tidemark = open()
  const { asked, next } = feeder(
    { version: 1, rows: [{ id: 'a', v: 1 }] },
    {
      version: 10,
      rows: [
        { id: 'a', v: 2 },
        { id: 'b', v: 1 },
      ],
    },
  )
  const { accepted, changes, snapshots } = await tidemark.applySnapshots('t', next)
  expect({ accepted, changes, asked }).toEqual({ accepted: 3, changes: 3, asked: [null, 1, 10] })
  expect(snapshots?.map(({ name, version, outcome }) => [name, version, outcome])).toEqual([
    ['snapshot 1', '1', 'applied'],
    ['snapshot 10', '10', 'applied'],
  ])
  expect(rows(tidemark)).toEqual(['"a" 1 1 10', '"a" 2 10 null', '"b" 1 10 null'])
})

test('rows may come asynchronously, and versions be dates', async () => {
  using tidemark = open()
  async function* many() {
    for (let id = 0; id < 2500; id += 1) yield await Promise.resolve({ id })
  }
  const version = new Date('2024-01-02T03:04:05Z')
  const { asked, next } = feeder({ version, rows: many(), rowCount: 2500 })
  expect((await tidemark.applySnapshots('t', next)).accepted).toBe(2500)
  expect(asked).toEqual([null, { type: 'timestamp', text: '2024-01-02T03:04:05Z' }])
})

test('guards judge a snapshot from code as any other, and what was applied before stays', async () => {
  using tidemark = open()
  const { next } = feeder(
    { version: 1, rows: [{ id: 'a', v: 1 }] },
    { version: 2, rows: [{ id: 'a', v: 2 }], rowCount: 2 },
    { version: 3, rows: [{ id: 'a', v: 3 }] },
  )
  await expect(tidemark.applySnapshots('t', next)).rejects.toThrow(
    'INCOMPLETE_SNAPSHOT: snapshot 2 of flow "t" (snapshot 2) is not applied: it has 1 rows and declares 2',
  )
  expect(rows(tidemark)).toEqual(['"a" 1 1 null'])
})

test('a snapshot that was applied before ends the run, so that a program that repeats itself is not asked for ever', async () => {
  using tidemark = open()
  let times = 0
  const again = (): CodeSnapshot => {
    times += 1
    return { version: 1, rows: [{ id: 'a' }] }
  }
  const { snapshots } = await tidemark.applySnapshots('t', again)
  expect(snapshots?.map(({ outcome }) => outcome)).toEqual(['applied', 'replayed'])
  expect(times).toBe(2)
})

test('a snapshot from code may be limited to a scope, and lift guards', async () => {
  using tidemark = open({ scope: 'p' })
  const { next } = feeder(
    {
      version: 1,
      rows: [
        { id: 1, p: 'x' },
        { id: 2, p: 'y' },
      ],
    },
    { version: 2, rows: [], scope: ['x'], force: ['empty'] },
  )
  await tidemark.applySnapshots('t', next)
  expect(rows(tidemark)).toEqual(['1 "x" 1 2', '2 "y" 1 null'])
})

test('a flow that a program feeds has nothing to run, and others cannot be fed', async () => {
  using tidemark = open()
  await expect(tidemark.run({ mode: 'bounded' })).rejects.toThrow(
    'USAGE: flow "t" is fed from code; there is nothing to run',
  )
  using other = ofEvents()
  await expect(other.applySnapshots('t', () => null)).rejects.toThrow(
    'USAGE: flow "t" is none of snapshots',
  )
  expect(() => open({ version: 'modified' })).toThrow(
    'SPEC_INVALID: flows[0].source.version: is said by the program that hands snapshots over',
  )
})

test('a date of an event is an instant as any other, and one that is none is refused', () => {
  using tidemark = ofEvents()
  const at = new Date('2024-01-02T03:04:05Z')
  const { accepted, quarantined } = tidemark.apply('t', [
    { id: 1, s: 1, at },
    { id: 2, s: 1, at: new Date(Number.NaN) },
    { id: 3, s: 1, at: new Date(8.64e15) },
  ])
  expect({ accepted, quarantined }).toEqual({ accepted: 1, quarantined: 2 })
  expect(rows(tidemark)).toEqual(['1 1 "2024-01-02T03:04:05Z"'])
})

test('a scope may be a column of any name', async () => {
  using tidemark = open({ scope: 'constructor' })
  const rowsOf = (...ids: readonly number[]) => ids.map((id) => ({ id, constructor: 'a' }))
  const { next } = feeder(
    { version: 1, rows: rowsOf(1, 2), scope: ['a'] },
    { version: 2, rows: rowsOf(2), scope: ['a'] },
  )
  await tidemark.applySnapshots('t', next)
  expect(rows(tidemark)).toEqual(['1 "a" 1 2', '2 "a" 1 null'])
})

test('the life of a key names the snapshots that tell of it', async () => {
  using tidemark = open()
  const { next } = feeder(
    { version: 1, name: 'users-1.csv', rows: [{ id: 'a', v: 1 }] },
    { version: 2, name: 'users-2.csv', rows: [{ id: 'a', v: 2 }] },
    { version: 3, rows: [{ id: 'b', v: 3 }] },
  )
  await tidemark.applySnapshots('t', next)
  const { events, versions } = tidemark.history('t', { id: 'a' })
  expect(events.map(({ op, origin }) => [op, origin])).toEqual([
    ['upsert', 'users-1.csv'],
    ['upsert', 'users-2.csv'],
    ['delete', 'snapshot 3'],
  ])
  expect(versions.map(({ writers }) => writers)).toEqual([
    { id: 'users-1.csv', v: 'users-1.csv' },
    { id: 'users-2.csv', v: 'users-2.csv' },
  ])
})

test('an event that no column can hold is refused, whatever it is, and keeps no other from its place', () => {
  using tidemark = ofEvents()
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const odd: readonly unknown[] = [() => 1, Symbol('x'), cyclic, new Map([[1, 2]]), [new Set()]]
  const none: readonly unknown[] = [null, undefined, 7, 'text', [], () => 1]
  const events = [
    ...odd.map((v, id) => ({ id, s: 1, v })),
    ...none,
    { id: 9, s: 1, v: [{ a: null }] },
  ]
  const counts = tidemark.apply('t', events as Readonly<Record<string, unknown>>[])
  expect(counts).toMatchObject({ read: 12, accepted: 1, quarantined: 11 })
  expect([...tidemark.quarantine('t')].map(({ code }) => code)).toEqual(
    Array.from({ length: 11 }, () => 'UNDECODABLE'),
  )
})
