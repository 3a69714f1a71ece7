import { expect, test } from 'vitest'
import {
  offerOf,
  OPEN_GUARDS,
  SnapshotsUnderTest,
} from '../../property-tests/engine/snapshots-under-test.ts'

const SCOPED = { scope: 'p', guards: OPEN_GUARDS }

type Row = { readonly id: number; readonly p: string; readonly v: number }
const row = (id: number, p: string, v = 1): Row => ({ id, p, v })

type Offer = readonly [version: number, rows: readonly Row[], scope: readonly string[] | null]

/** The engine after some snapshots, and what became of each. */
async function after(
  source: Readonly<Record<string, unknown>>,
  ...offers: readonly Offer[]
): Promise<{ told: string[]; rows: string[] }> {
  using engine = new SnapshotsUnderTest({ both: { stored_as_scd_type: 2 }, source })
  const told: string[] = []
  for (const [version, rows, scope] of offers) {
    const result = await engine.offer(offerOf(version, rows, { scope }))
    told.push(typeof result === 'string' ? result : result.map(({ outcome }) => outcome).join())
  }
  const ids = [1, 2, 3]
  const drawn = ids.flatMap((id) => engine.intervals({ id }).map((interval) => `${id} ${interval}`))
  return { told, rows: drawn }
}

test('two snapshots of one version whose scopes share nothing are both applied, in any order', async () => {
  const whole: Offer = [1, [row(1, 'a'), row(2, 'b')], null]
  const ofA: Offer = [2, [row(1, 'a')], ['a']]
  const ofB: Offer = [2, [row(3, 'b')], ['b', 'c']]
  const expected = {
    told: ['applied', 'applied', 'applied'],
    rows: ['1 [1, ∞)', '2 [1, 2)', '3 [2, ∞)'],
  }
  expect(await after(SCOPED, whole, ofA, ofB)).toEqual(expected)
  expect(await after(SCOPED, ofB, ofA, whole)).toEqual(expected)
})

test('a row that moves from one scope to another at one version is not deleted by the first', async () => {
  const whole: Offer = [1, [row(1, 'a'), row(2, 'b')], null]
  const left: Offer = [2, [], ['a']]
  const entered: Offer = [2, [row(1, 'b'), row(2, 'b')], ['b']]
  const rows = ['1 [1, 2)', '1 [2, ∞)', '2 [1, ∞)']
  expect((await after(SCOPED, whole, left, entered)).rows).toEqual(rows)
  expect((await after(SCOPED, whole, entered, left)).rows).toEqual(rows)
})

test('a version that was seen for an overlapping scope is a conflict unless scope and rows are the same', async () => {
  const rows = [row(1, 'a')]
  const { told } = await after(
    SCOPED,
    [1, rows, ['a', 'b']],
    [1, rows, ['b', 'a']],
    [1, rows, ['a']],
    [1, rows, ['a', 'b', 'c']],
    [1, rows, null],
    [1, [row(1, 'a', 2)], ['a', 'b']],
    [1, [row(3, 'c')], ['c', 'd']],
  )
  expect(told).toEqual([
    'applied',
    'replayed',
    'VERSION_CONFLICT',
    'VERSION_CONFLICT',
    'VERSION_CONFLICT',
    'VERSION_CONFLICT',
    'applied',
  ])
})

test('a snapshot is late only behind a newer one whose scope overlaps', async () => {
  const guards = { ...OPEN_GUARDS, out_of_order: 'refuse' }
  const { told } = await after(
    { ...SCOPED, guards },
    [5, [row(1, 'a')], ['a', 'b']],
    [4, [row(3, 'c')], ['c', 'd']],
    [3, [row(2, 'b')], ['b', 'c']],
    [2, [row(2, 'b')], null],
  )
  expect(told).toEqual(['applied', 'applied', 'OUT_OF_ORDER_SNAPSHOT', 'OUT_OF_ORDER_SNAPSHOT'])
})

test('with reach: flow a snapshot deletes only keys that its own flow wrote last', async () => {
  using engine = new SnapshotsUnderTest({
    both: { stored_as_scd_type: 2 },
    snapshots: { reach: 'flow' },
  })
  await engine.offer(offerOf(1, [row(1, 'a'), row(2, 'b')]))
  engine.feed([
    { kind: 'upsert', at: 2, number: 1, row: row(2, 'b') },
    { kind: 'upsert', at: 2, number: 2, row: row(3, 'c') },
  ])
  await engine.offer(offerOf(3, []))
  expect([1, 2, 3].map((id) => engine.intervals({ id }))).toEqual([
    ['[1, 3)'],
    ['[1, ∞)'],
    ['[2, ∞)'],
  ])
})

test('a change of a feed at the version of a snapshot comes after it', async () => {
  using engine = new SnapshotsUnderTest({ both: { stored_as_scd_type: 2 } })
  engine.feed([{ kind: 'upsert', at: 2, number: 1, row: row(1, 'a', 2) }])
  await engine.offer(offerOf(2, [row(1, 'a', 1), row(2, 'a', 1)]))
  engine.feed([{ kind: 'delete', at: 2, number: 2, id: 2 }])
  expect(engine.intervals({ id: 1, v: 2 })).toEqual(['[2, ∞)'])
  expect(engine.intervals({ id: 1, v: 1 })).toEqual([])
  expect(engine.intervals({ id: 2 })).toEqual([])
})
