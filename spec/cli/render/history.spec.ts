import { expect, test } from 'vitest'
import { historyJson } from '../../../src/cli/render/history-json.ts'
import { historyText } from '../../../src/cli/render/history.ts'
import {
  encodeEpochSequence,
  encodeSequence,
  epochSequenceType,
  sequenceTypeOf,
} from '../../../src/core/sequence.ts'
import type {
  KeyLife,
  LifeEvent,
  LifeVersion,
  OutputRow,
  TargetInfo,
  Value,
} from '../../../src/index.ts'

const LOOK = { drawing: 80, table: Infinity }

/** A target with key `id` and columns `name` and `city`. */
function target(kind: TargetInfo['kind']): TargetInfo {
  return { name: 'users', kind, keys: ['id'], columns: ['id', 'name', 'city'], systemColumns: [] }
}

function life(
  kind: TargetInfo['kind'],
  events: readonly LifeEvent[],
  versions: readonly LifeVersion[],
): KeyLife {
  return { target: target(kind), key: { names: ['id'], values: [1] }, events, versions }
}

/** An event of the line with the number of its sequence. */
function event(op: LifeEvent['op'], sequence: number, more: Partial<LifeEvent> = {}): LifeEvent {
  const origin = `a.ndjson:${sequence}`
  const order = orderOf(sequence) ?? ''
  const rest = { flow: 'users', commit: 1, written: 'all', row: null } as const
  return { op, sequence, order, origin, ...rest, ...more }
}

/** Sequences, and system times, are in the order of these texts. */
function orderOf(value: Value): string | null {
  const type = sequenceTypeOf(value)
  return type === null ? null : encodeSequence(value, type)
}

function behind(epoch: number, place: number): string {
  const type = epochSequenceType(epoch, [place], null)
  return (type === null ? null : encodeEpochSequence(epoch, [place], type)) ?? ''
}

function row(name: Value, city: Value): OutputRow {
  return { names: ['id', 'name', 'city'], values: [1, name, city] }
}

/** A version, its columns written by the lines named. */
function version(
  [startAt, endAt]: readonly [Value, Value],
  [name, nameFrom]: readonly [Value, number],
  [city, cityFrom]: readonly [Value, number],
  more: Partial<LifeVersion> = {},
): LifeVersion {
  const { systemStartAt = null, systemEndAt = null } = more
  return {
    startAt,
    endAt,
    order: {
      startAt: orderOf(startAt),
      endAt: orderOf(endAt),
      systemStartAt: orderOf(systemStartAt),
      systemEndAt: orderOf(systemEndAt),
    },
    systemStartAt: null,
    systemEndAt: null,
    startTime: null,
    endTime: null,
    row: row(name, city),
    writers: { name: `a.ndjson:${nameFrom}`, city: `a.ndjson:${cityFrom}` },
    ...more,
  }
}

test('SCD type 2 draws versions as bars over the events that made them', () => {
  const events = [
    event('upsert', 1),
    event('upsert', 2, { written: ['city'], commit: 3 }),
    event('upsert', 5, { written: [] }),
    event('delete', 6),
    event('upsert', 8),
  ]
  const versions = [
    version([1, 2], ['Ann', 1], ['Oslo', 1]),
    version([2, 6], ['Ann', 1], [null, 2]),
    version([8, null], ['Ann', 8], ['7', 8]),
  ]
  expect(historyText(life(2, events, versions), LOOK)).toBe(`\
users · SCD type 2 · id = 1

sequence  1   2   5   6   8
event     ●   ●   ●   ✕   ●
       1  ├───┤
       2      ├───•───┤
       3                  ├───▶

● upsert  ✕ delete  • event that opened no version

1  [1, 2)
     name  Ann   a.ndjson:1
     city  Oslo  a.ndjson:1
2  [2, 6)
     name  Ann   a.ndjson:1
   ▸ city  ∅     a.ndjson:2
3  [8, ∞)
     name  Ann   a.ndjson:8
     city  "7"   a.ndjson:8

sequence  event     wrote        from        commit
1         ● upsert  all columns  a.ndjson:1       1
2         ● upsert  city         a.ndjson:2       3
5         ● upsert  no column    a.ndjson:5       1
6         ✕ delete  –            a.ndjson:6       1
8         ● upsert  all columns  a.ndjson:8       1
`)
})

test('a place that starts again behind a hidden epoch is a later one, though its number is not', () => {
  const [early, high, again] = [behind(0, 5), behind(0, 900), behind(1, 5)]
  const open = { systemStartAt: null, systemEndAt: null }
  const events = [
    event('upsert', 5, { order: early }),
    event('upsert', 900, { order: high }),
    event('upsert', 5, { order: again }),
  ]
  const versions = [
    version([900, 5], ['Ann', 900], [null, 900], {
      order: { ...open, startAt: high, endAt: again },
    }),
    version([5, null], ['Bob', 5], [null, 5], { order: { ...open, startAt: again, endAt: null } }),
  ]
  expect(historyText(life(2, events, versions), LOOK)).toContain(`
sequence  5    900  5
event     ●    ●    ●
       1       ├────┤
       2            ├────▶
`)
})

test('events at one sequence stand beside each other, in order', () => {
  const events = [event('truncate', 3), event('upsert', 3), event('delete', 3)]
  expect(historyText(life(2, events, []), LOOK)).toBe(`\
users · SCD type 2 · id = 1

sequence  3
event     ⊘●✕

● upsert  ✕ delete  ⊘ truncate

no row now

sequence  event       wrote        from        commit
3         ⊘ truncate  –            a.ndjson:3       1
3         ● upsert    all columns  a.ndjson:3       1
3         ✕ delete    –            a.ndjson:3       1
`)
})

test('a line too long for the width is cut into strips, its places numbered', () => {
  const events = [100_000, 200_000, 300_000, 400_000].map((at) => event('upsert', at))
  const versions = [
    version([100_000, 300_000], ['Ann', 1], [null, 1]),
    version([300_000, null], ['Bob', 3], [null, 1]),
  ]
  expect(historyText(life(2, events, versions), { drawing: 24, table: Infinity })).toBe(`\
users · SCD type 2 · id = 1

sequence  #1  #2
event     ●   ●
       1  ├───•───┄

sequence  #3  #4
event     ●   ●
       1  ┤
       2  ├───•───▶

● upsert  • event that opened no version

1  [100000, 300000)
     name  Ann  a.ndjson:1
     city  ∅    a.ndjson:1
2  [300000, ∞)
   ▸ name  Bob  a.ndjson:3
     city  ∅    a.ndjson:1

 #  sequence  event     wrote        from             commit
#1  100000    ● upsert  all columns  a.ndjson:100000       1
#2  200000    ● upsert  all columns  a.ndjson:200000       1
#3  300000    ● upsert  all columns  a.ndjson:300000       1
#4  400000    ● upsert  all columns  a.ndjson:400000       1
`)
})

test('times stand beside sequences where the target has them', () => {
  const at = (day: number): Value => ({ type: 'date', text: `2026-01-0${day}` })
  const versions = [
    version([1, 2], ['Ann', 1], [null, 1], { startTime: at(1), endTime: at(2) }),
    version([2, null], ['Bob', 2], [null, 2], { startTime: at(2) }),
  ]
  const text = historyText(life(2, [], versions), LOOK)
  expect(text).toContain('\n1  [1, 2)  from 2026-01-01 until 2026-01-02\n')
  expect(text).toContain('\n2  [2, ∞)  from 2026-01-02 until ∞\n')
})

test('SCD type 1 shows the row of now, and which event wrote each column', () => {
  const events = [event('upsert', 1), event('upsert', 4, { written: ['city'], flow: 'cities' })]
  const versions = [version([null, null], ['Ann', 1], ['Oslo', 4])]
  expect(historyText(life(1, events, versions), LOOK)).toBe(`\
users · SCD type 1 · id = 1

sequence  1   4
event     ●   ●

● upsert

row  now
       name  Ann   a.ndjson:1
       city  Oslo  a.ndjson:4

sequence  event     wrote        from        flow    commit
1         ● upsert  all columns  a.ndjson:1  users        1
4         ● upsert  city         a.ndjson:4  cities       1
`)
})

test('a key without a row shows the deletion', () => {
  expect(historyText(life(1, [event('delete', 4)], []), LOOK)).toBe(`\
users · SCD type 1 · id = 1

sequence  4
event     ✕

✕ delete

no row now

sequence  event     wrote  from        commit
4         ✕ delete  –      a.ndjson:4       1
`)
})

test('a bitemporal life is drawn on both axes', () => {
  const believed = (from: number, to: number | null): Partial<LifeVersion> => ({
    systemStartAt: from,
    systemEndAt: to,
  })
  const versions = [
    version([1, 5], ['Ann', 1], ['Oslo', 1], believed(20, null)),
    version([5, null], ['Ann', 5], ['Bergen', 5], believed(20, 30)),
    version([5, 9], ['Ann', 5], ['Bergen', 5], believed(30, null)),
    version([1, null], ['Ann', 1], ['Oslo', 1], believed(10, 20)),
  ]
  const events = [
    event('upsert', 1),
    event('upsert', 5, { commit: 2 }),
    event('delete', 9, { commit: 3 }),
  ]
  expect(historyText(life('bitemporal', events, versions), LOOK)).toBe(`\
users · bitemporal · id = 1

believed ↓  valid →
            1    5    9
10          ┌───────────────┄
            │ A
20          ├────┬──────────┄
            │ B  │ C
30          │    ├────┬─────┄
            │    │ D  │
            ┆    ┆    ┆

A  valid [1, ∞)  believed [10, 20)
     name  Ann     a.ndjson:1
     city  Oslo    a.ndjson:1
B  valid [1, 5)  believed [20, ∞)
     name  Ann     a.ndjson:1
     city  Oslo    a.ndjson:1
C  valid [5, ∞)  believed [20, 30)
     name  Ann     a.ndjson:5
     city  Bergen  a.ndjson:5
D  valid [5, 9)  believed [30, ∞)
     name  Ann     a.ndjson:5
     city  Bergen  a.ndjson:5

sequence  event     wrote        from        commit
1         ● upsert  all columns  a.ndjson:1       1
5         ● upsert  all columns  a.ndjson:5       2
9         ✕ delete  –            a.ndjson:9       3
`)
})

test('intervals that do not fit one line take two', () => {
  const at = (day: number): Value => ({ type: 'timestamp', text: `2026-01-0${day}T00:00:00Z` })
  const more = { systemStartAt: at(1), systemEndAt: at(2) }
  const versions = [version([at(1), null], ['Ann', 1], [null, 1], more)]
  const text = historyText(life('bitemporal', [], versions), { drawing: 80, table: 80 })
  expect(text).toContain(
    '\nA  valid [2026-01-01T00:00:00Z, ∞)\n   believed [2026-01-01T00:00:00Z, 2026-01-02T00:00:00Z)\n     name',
  )
})

test('a row that ends on both axes is a closed rectangle', () => {
  const versions = [
    version([1, 5], ['Ann', 1], [null, 1], { systemStartAt: 10, systemEndAt: 20 }),
    version([3, 9], ['Bob', 1], [null, 1], { systemStartAt: 30, systemEndAt: 40 }),
  ]
  const text = historyText(life('bitemporal', [], versions), LOOK)
  expect(text).toContain(`
believed ↓  valid →
            1    3    5    9
10          ┌─────────┐
            │ A       │
20          └─────────┘

30               ┌─────────┐
                 │ B       │
40               └─────────┘

A  valid [1, 5)  believed [10, 20)
`)
})

test('a key of which nothing is kept says so', () => {
  expect(historyText(life(2, [], []), LOOK)).toBe(
    'users · SCD type 2 · id = 1\n\nnothing is kept of this key\n',
  )
})

test('hostile names and values cannot leave their place', () => {
  const versions = [version([1, null], ['a\u001b[2J\nb', 1], ['', 1])]
  const text = historyText(life(2, [], versions), LOOK)
  expect(text).toContain('     name  a\\u001b[2J\\nb  a.ndjson:1\n     city  ""')
})

test('a life as JSON is one line with every event and version', () => {
  const events = [event('upsert', 1, { row: row('Ann', null) }), event('delete', 2)]
  const versions = [version([1, 2], ['Ann', 1], [12345678901234567890n, 1])]
  expect(historyJson(life(2, events, versions))).toBe(
    '{"target":"users","kind":2,"key":{"id":1},' +
      '"events":[' +
      '{"op":"upsert","sequence":1,"origin":"a.ndjson:1","flow":"users","commit":1,"written":"all","row":{"id":1,"name":"Ann","city":null}},' +
      '{"op":"delete","sequence":2,"origin":"a.ndjson:2","flow":"users","commit":1,"written":"all","row":null}],' +
      '"versions":[{"start_at":1,"end_at":2,"start_time":null,"end_time":null,"system_start_at":null,"system_end_at":null,' +
      '"row":{"id":1,"name":"Ann","city":12345678901234567890},' +
      '"writers":{"name":"a.ndjson:1","city":"a.ndjson:1"}}]}\n',
  )
})
