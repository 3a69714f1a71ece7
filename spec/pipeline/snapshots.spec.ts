import { expect, test } from 'vitest'
import { dump, StoreFile } from '../../property-tests/engine/store-file.ts'
import {
  offerOf,
  OPEN_GUARDS,
  SnapshotsUnderTest,
} from '../../property-tests/engine/snapshots-under-test.ts'
import type { ModelChange } from '../../property-tests/models/snapshots.ts'

const HISTORY = { stored_as_scd_type: 2 }
const TEN = Array.from({ length: 10 }, (_, i) => ({ id: i + 1, v: 1 }))

/** What became of snapshots that were offered one after the other: counts, or why not. */
async function outcomes(
  source: Readonly<Record<string, unknown>>,
  ...offers: readonly Parameters<typeof offerOf>[]
): Promise<string[]> {
  using engine = new SnapshotsUnderTest({ both: HISTORY, source })
  const out: string[] = []
  for (const [version, rows, more] of offers) out.push(await outcome(engine, version, rows, more))
  return out
}

async function outcome(
  engine: SnapshotsUnderTest,
  ...[version, rows, more]: Parameters<typeof offerOf>
): Promise<string> {
  const result = await engine.offer(offerOf(version, rows, more))
  if (typeof result === 'string') return result
  return result
    .map(({ outcome: word, inserted, updated, deleted, unchanged }) =>
      word === 'applied' ? `+${inserted} ~${updated} -${deleted} =${unchanged}` : word,
    )
    .join()
}

test('a snapshot counts what it inserts, updates, deletes and leaves as it was', async () => {
  const next = [...TEN.slice(2), { id: 11, v: 1 }].map((row) =>
    row.id === 3 ? { id: 3, v: 2 } : row,
  )
  expect(await outcomes({ guards: {} }, [1, TEN], [2, next])).toEqual([
    '+10 ~0 -0 =0',
    '+1 ~1 -2 =7',
  ])
})

test('the same version with the same rows in any order is replayed, with others refused', async () => {
  expect(
    await outcomes({ guards: {} }, [1, TEN], [1, TEN.toReversed()], [1, TEN.slice(1)]),
  ).toEqual(['+10 ~0 -0 =0', 'replayed', 'VERSION_CONFLICT'])
})

test('a version conflict is reported before every other guard but a missing version', async () => {
  expect(
    await outcomes(
      { guards: {} },
      [1, TEN],
      [1, [], { declaredRows: 7 }],
      [null, [], { declaredRows: 7 }],
    ),
  ).toEqual(['+10 ~0 -0 =0', 'VERSION_CONFLICT', 'NULL_VERSION'])
})

test('a snapshot older than one that was applied is inserted, refused or skipped', async () => {
  const late = [
    [2, TEN],
    [1, TEN.slice(1)],
  ] as const
  const tell = (out_of_order: string) =>
    outcomes({ guards: { out_of_order } }, [...late[0]], [...late[1]])
  expect(await tell('insert')).toEqual(['+10 ~0 -0 =0', '+9 ~0 -0 =0'])
  expect(await tell('refuse')).toEqual(['+10 ~0 -0 =0', 'OUT_OF_ORDER_SNAPSHOT'])
  expect(await tell('skip')).toEqual(['+10 ~0 -0 =0', 'skipped'])
})

test('rows that are declared and not there make a snapshot incomplete, unless nobody counts', async () => {
  expect(await outcomes({ guards: {} }, [1, TEN, { declaredRows: 11 }])).toEqual([
    'INCOMPLETE_SNAPSHOT',
  ])
  expect(
    await outcomes({ guards: { row_count: 'ignore' } }, [1, TEN, { declaredRows: 11 }]),
  ).toEqual(['+10 ~0 -0 =0'])
})

test('a null key refuses the snapshot, or only its row', async () => {
  const rows = [...TEN, { id: null, v: 1 }]
  expect(await outcomes({ guards: {} }, [1, rows])).toEqual(['NULL_KEY'])
  expect(await outcomes({ guards: { null_key: 'quarantine' } }, [1, rows])).toEqual([
    '+10 ~0 -0 =0',
  ])
})

test('two rows of a key refuse the snapshot as the flow says', async () => {
  const copies = [
    { id: 1, v: 1 },
    { id: 1, v: 1 },
  ]
  const others = [
    { id: 1, v: 1 },
    { id: 1, v: 2 },
  ]
  const tell = (duplicate_key: string, rows: readonly object[]) =>
    outcomes({ guards: { duplicate_key } }, [1, rows], [2, [{ id: 1, v: 2 }]])
  expect(await tell('refuse_conflicting', copies)).toEqual(['+1 ~0 -0 =0', '+0 ~1 -0 =0'])
  expect(await tell('refuse_conflicting', others)).toEqual(['DUPLICATE_KEY', '+1 ~0 -0 =0'])
  expect(await tell('refuse', copies)).toEqual(['DUPLICATE_KEY', '+1 ~0 -0 =0'])
  expect(await tell('first', others)).toEqual(['+1 ~0 -0 =0', '+0 ~1 -0 =0'])
  expect(await tell('last', others)).toEqual(['+1 ~0 -0 =0', '+0 ~0 -0 =1'])
})

test('a row outside the declared scope refuses the snapshot', async () => {
  expect(
    await outcomes(
      { scope: 'v', guards: {} },
      [1, TEN, { scope: [2] }],
      [1, TEN, { scope: [1, 2] }],
    ),
  ).toEqual(['ROW_OUT_OF_SCOPE', '+10 ~0 -0 =0'])
})

test('a column that was written up to the version and that the snapshot lacks refuses it', async () => {
  const bare = TEN.map(({ id }) => ({ id }))
  expect(
    await outcomes(
      { guards: {} },
      [5, TEN],
      [6, bare],
      [4, bare],
      [7, bare, { force: ['column_missing'] }],
    ),
  ).toEqual(['+10 ~0 -0 =0', 'COLUMN_MISSING', '+10 ~0 -0 =0', '+0 ~10 -0 =0'])
})

test('an empty snapshot that would delete is refused unless allowed or forced, and then deletes all', async () => {
  expect(await outcomes({ guards: {} }, [1, []], [2, TEN], [3, []])).toEqual([
    '+0 ~0 -0 =0',
    '+10 ~0 -0 =0',
    'EMPTY_SNAPSHOT',
  ])
  expect(await outcomes({ guards: { empty: 'allow' } }, [1, TEN], [2, []])).toEqual([
    '+10 ~0 -0 =0',
    '+0 ~0 -10 =0',
  ])
  expect(await outcomes({ guards: {} }, [1, TEN], [2, [], { force: ['empty'] }])).toEqual([
    '+10 ~0 -0 =0',
    '+0 ~0 -10 =0',
  ])
})

test('exactly the share of deletions passes, more is refused, few rows are not judged', async () => {
  expect(await outcomes({ guards: {} }, [1, TEN], [2, TEN.slice(3)], [2, TEN.slice(2)])).toEqual([
    '+10 ~0 -0 =0',
    'DELETE_THRESHOLD',
    '+0 ~0 -2 =8',
  ])
  expect(await outcomes({ guards: {} }, [1, TEN.slice(1)], [2, TEN.slice(9)])).toEqual([
    '+9 ~0 -0 =0',
    '+0 ~0 -8 =1',
  ])
  expect(
    await outcomes({ guards: {} }, [1, TEN], [2, TEN.slice(3), { force: ['deletes'] }]),
  ).toEqual(['+10 ~0 -0 =0', '+0 ~0 -3 =7'])
})

test('more changed rows than the share are refused where there is one, untracked columns included', async () => {
  const changed = TEN.map(({ id, v }) => ({ id, v: id > 5 ? 2 : v }))
  const guards = { max_change_fraction: 0.4 }
  expect(
    await outcomes({ guards }, [1, TEN], [2, changed], [2, changed, { force: ['changes'] }]),
  ).toEqual(['+10 ~0 -0 =0', 'CHANGE_THRESHOLD', '+0 ~5 -0 =5'])
})

test('forcing lifts only what it names', async () => {
  expect(
    await outcomes({ guards: {} }, [1, TEN], [2, TEN.slice(3), { force: ['changes', 'empty'] }]),
  ).toEqual(['+10 ~0 -0 =0', 'DELETE_THRESHOLD'])
})

test('a row that cannot be read makes the snapshot incomplete: its key is not one that is gone', async () => {
  using engine = new SnapshotsUnderTest({
    both: { ...HISTORY, columns: { v: 'integer' } },
    source: { guards: {} },
  })
  expect(await outcome(engine, 1, [...TEN, { id: 11, v: 'x' }])).toBe('INCOMPLETE_SNAPSHOT')
})

test('a refused snapshot leaves everything as it was, and is not remembered', async () => {
  using file = new StoreFile()
  const leaving = { tables: ['snapshots', 'flows'] }
  using engine = new SnapshotsUnderTest({ path: file.path, both: HISTORY, source: { guards: {} } })
  await engine.offer(offerOf(1, TEN))
  const before = dump(file.path, leaving)

  const refused = TEN.slice(5).map((row) => ({ ...row, fresh: 1 }))
  expect(await outcome(engine, 2, refused)).toBe('DELETE_THRESHOLD')
  expect(dump(file.path, leaving)).toEqual(before)
  expect(await outcome(engine, 2, TEN)).toBe('+0 ~0 -0 =10')
  const records = engine.store.snapshotRecords('snapshots')
  expect(records.map(({ outcome: word, code }) => [word, code])).toEqual([
    ['applied', null],
    ['refused', 'DELETE_THRESHOLD'],
    ['applied', null],
  ])
})

test('an unchanged row writes nothing', async () => {
  using file = new StoreFile()
  using engine = new SnapshotsUnderTest({ path: file.path, both: HISTORY })
  await engine.offer(offerOf(1, TEN))
  const leaving = { tables: ['snapshots', 'flows', 'commits', 'targets', 'sqlite_sequence'] }
  const before = dump(file.path, leaving)
  await engine.offer(offerOf(2, TEN))
  expect(dump(file.path, leaving)).toEqual(before)
})

test('a snapshot that is refused keeps no other from being applied', async () => {
  using engine = new SnapshotsUnderTest({ both: HISTORY, source: { guards: {} } })
  expect(await engine.offer(offerOf(1, TEN), offerOf(2, []), offerOf(3, TEN.slice(1)))).toBe(
    'EMPTY_SNAPSHOT',
  )
  const records = engine.store.snapshotRecords(null)
  expect(records.map(({ outcome: word }) => word)).toEqual(['applied', 'refused', 'applied'])
})

/** Ten rows that stay, and one whose key comes and goes. */
const present = [...TEN, { id: 11, v: 1 }]

/** The interval of the key 11 after snapshots in an order of arrival, the versions that have it being told. */
async function lives(having: readonly number[], arrived: readonly number[]): Promise<string[]> {
  using engine = new SnapshotsUnderTest({
    both: HISTORY,
    source: { guards: {}, delete_after: 3 },
  })
  for (const version of arrived) {
    await engine.offer(offerOf(version, having.includes(version) ? present : TEN))
  }
  return engine.intervals({ id: 11 })
}

test('a key is deleted once enough snapshots that follow each other lack it, dated at the first', async () => {
  expect(await lives([1], [1, 2, 3])).toEqual(['[1, ∞)'])
  expect(await lives([1], [1, 2, 3, 4])).toEqual(['[1, 2)'])
  expect(await lives([1, 3], [1, 2, 3, 4, 5])).toEqual(['[1, ∞)'])
  expect(await lives([1, 3], [1, 2, 3, 4, 5, 6])).toEqual(['[1, 4)'])
})

test('a late snapshot that has the key again undoes the count, one that lacks it completes it', async () => {
  expect(await lives([1, 3], [1, 2, 4, 5])).toEqual(['[1, 2)'])
  expect(await lives([1, 3], [1, 2, 4, 5, 3])).toEqual(['[1, ∞)'])
  expect(await lives([1], [1, 2, 4])).toEqual(['[1, ∞)'])
  expect(await lives([1], [1, 2, 4, 3])).toEqual(['[1, 2)'])
  expect(await lives([1], [4, 3, 2, 1])).toEqual(['[1, 2)'])
})

test('a late snapshot undoes a deletion also where it agrees with what a feed said since', async () => {
  using engine = new SnapshotsUnderTest({ both: HISTORY, source: { delete_after: 2 } })
  for (const version of [1, 2, 6]) {
    await engine.offer(offerOf(version, version === 1 ? present : TEN))
  }
  engine.feed([{ kind: 'upsert', at: 4, number: 1, row: { id: 11, p: null, v: 1 } }])
  expect(engine.intervals({ id: 11 })).toEqual(['[1, 2)', '[4, ∞)'])
  await engine.offer(offerOf(5, present))
  expect(engine.intervals({ id: 11 })).toEqual(['[1, ∞)'])
})

test('what a feed says between snapshots that lack a key does not keep them from deleting it', async () => {
  const tell = async (...changes: readonly ModelChange[]) => {
    using engine = new SnapshotsUnderTest({ both: HISTORY, source: { delete_after: 2 } })
    await engine.offer(offerOf(1, present))
    await engine.offer(offerOf(2, TEN))
    engine.feed(changes)
    await engine.offer(offerOf(6, TEN))
    return engine.intervals({ id: 11 })
  }
  expect(await tell({ kind: 'delete', at: 4, number: 1, id: 11 })).toEqual(['[1, 2)'])
  const again = { id: 11, p: null, v: 1 }
  expect(await tell({ kind: 'upsert', at: 4, number: 1, row: again })).toEqual(['[1, 2)', '[4, ∞)'])
})

test('a deletion that waits is judged by the guards of the snapshot that completes it', async () => {
  const source = { guards: {}, delete_after: 2 }
  const few = TEN.slice(3)
  expect(await outcomes(source, [1, TEN], [2, few], [3, few], [3, TEN], [4, few])).toEqual([
    '+10 ~0 -0 =0',
    '+0 ~0 -0 =7',
    'DELETE_THRESHOLD',
    '+0 ~0 -0 =10',
    '+0 ~0 -0 =7',
  ])
  expect(await outcomes(source, [1, TEN], [3, few], [2, few])).toEqual([
    '+10 ~0 -0 =0',
    '+0 ~0 -0 =7',
    'DELETE_THRESHOLD',
  ])
  expect(await outcomes(source, [1, TEN], [2, []], [3, []])).toEqual([
    '+10 ~0 -0 =0',
    '+0 ~0 -0 =0',
    'EMPTY_SNAPSHOT',
  ])
  expect(await outcomes(source, [1, TEN], [2, TEN.slice(1)], [3, TEN.slice(1)])).toEqual([
    '+10 ~0 -0 =0',
    '+0 ~0 -0 =9',
    '+0 ~0 -1 =9',
  ])
})

test('only snapshots whose scope holds the row count towards its deletion', async () => {
  const rows = [
    { id: 1, v: 1 },
    { id: 2, v: 2 },
  ]
  const source = { scope: 'v', guards: OPEN_GUARDS, delete_after: 2 }
  expect(
    await outcomes(
      source,
      [1, rows],
      [2, [], { scope: [1] }],
      [3, [], { scope: [2] }],
      [4, [], { scope: [1] }],
    ),
  ).toEqual(['+2 ~0 -0 =0', '+0 ~0 -0 =0', '+0 ~0 -0 =0', '+0 ~0 -1 =0'])
})
