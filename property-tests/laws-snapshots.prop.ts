import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeSequence } from '../src/core/sequence.ts'
import { modelText, SnapshotsUnderTest, type SnapshotSetup } from './engine/snapshots-under-test.ts'
import {
  modelTable,
  type ModelChange,
  type ModelItem,
  type ModelRow,
  type ModelRules,
  type ModelSnapshot,
} from './models/snapshots.ts'

const RUNS = Number(process.env['FC_RUNS'] ?? 150)

// Three keys, two partitions, three values and eight sequences: so that everything meets.
const partition = fc.constantFrom('a', 'b')
const rowOf = (id: number, p: fc.Arbitrary<string | null>): fc.Arbitrary<ModelRow> =>
  fc.record({ id: fc.constant(id), p, v: fc.constantFrom(null, 1, 2) })
const at = fc.integer({ min: 1, max: 8 })
const rowsIn = (p: fc.Arbitrary<string | null>) =>
  fc
    .tuple(...[1, 2, 3].map((id) => fc.option(rowOf(id, p))))
    .map((rows) => rows.filter((row) => row !== null))

const anySnapshot: fc.Arbitrary<ModelSnapshot> = at.chain((version) =>
  fc.oneof(
    rowsIn(partition).map(
      (rows) => ({ kind: 'snapshot', at: version, scope: null, rows }) as const,
    ),
    partition.chain((p) =>
      rowsIn(fc.constant(p)).map(
        (rows) => ({ kind: 'snapshot', at: version, scope: [p], rows }) as const,
      ),
    ),
  ),
)

const change: fc.Arbitrary<Omit<ModelChange, 'number'>> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('upsert'),
      at,
      row: fc.integer({ min: 1, max: 3 }).chain((id) => rowOf(id, fc.option(partition))),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('delete'), at, id: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('truncate'), at }) },
)

/** Snapshots of which no two state the same, and changes, in some order of arrival. */
const items = fc
  .tuple(fc.array(anySnapshot, { minLength: 1, maxLength: 5 }), fc.array(change, { maxLength: 8 }))
  .chain(([snapshots, changes]) => {
    const numbered = changes.map((each, i) => ({ ...each, number: i + 1 }) as ModelChange)
    const all: ModelItem[] = [...snapshots.filter(isFirst).map(withoutShared), ...numbered]
    return fc.shuffledSubarray(all, { minLength: all.length })
  })

const rules: fc.Arbitrary<ModelRules> = fc.record({
  feedKeeps: fc.boolean(),
  snapshotsKeep: fc.boolean(),
  missingRows: fc.constantFrom('delete', 'delete', 'ignore'),
  deleteAfter: fc.constantFrom(1, 2, 2, 3),
  tracksValue: fc.boolean(),
})

for (const kind of [1, 2, 'bitemporal'] as const) {
  test(`S1 snapshots and changes in any order of arrival give the table of all of them: ${kind}`, async () => {
    await fc.assert(
      fc.asyncProperty(items, rules, async (arrived, given) => {
        using engine = new SnapshotsUnderTest(setupOf(given, kind))
        for (const [i, item] of arrived.entries()) {
          await engine.deliver(item)
          const expected = modelText(modelTable(arrived.slice(0, i + 1), given), kind, encoded)
          expect(engine.table()).toEqual(expected)
        }
        expect(engine.findings()).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })
}

test('S2 a bitemporal table answers for every past moment what it said then', async () => {
  await fc.assert(
    fc.asyncProperty(items, rules, async (arrived, given) => {
      using engine = new SnapshotsUnderTest(setupOf(given, 'bitemporal'))
      const moments: { system: ReturnType<typeof engine.store.timeOf>; table: string[] }[] = []
      for (const item of arrived) {
        await engine.deliver(item)
        moments.push({ system: engine.store.timeOf(moments.length + 1), table: engine.table() })
      }
      for (const { system, table } of moments) expect(engine.table(system)).toEqual(table)
    }),
    { numRuns: RUNS },
  )
})

/** Snapshots of the whole table, one a version, in order. */
const successive = fc
  .array(rowsIn(fc.option(partition)), { minLength: 1, maxLength: 6 })
  .map((tables) =>
    tables.map((rows, i): ModelSnapshot => ({ kind: 'snapshot', at: i + 1, scope: null, rows })),
  )

for (const kind of [1, 2, 'bitemporal'] as const) {
  test(`6 applying the snapshots of a table is applying the change feed that leads from one to the next: ${kind}`, async () => {
    await fc.assert(
      fc.asyncProperty(successive, fc.boolean(), async (snapshots, tracksValue) => {
        const given = { ...PLAIN, tracksValue }
        using stated = new SnapshotsUnderTest(setupOf(given, kind))
        using told = new SnapshotsUnderTest(setupOf(given, kind))
        for (const [i, snapshot] of snapshots.entries()) {
          await stated.deliver(snapshot)
          const changes = feedBetween(snapshots[i - 1]?.rows ?? [], snapshot, 10 * i)
          if (changes.length > 0) told.feed(changes)
          expect(stated.table()).toEqual(told.table())
        }
      }),
      { numRuns: RUNS },
    )
  })
}

/** Every column is written, and what a snapshot lacks is gone. */
const PLAIN = {
  feedKeeps: false,
  snapshotsKeep: false,
  missingRows: 'delete',
  deleteAfter: 1,
} as const

/** The changes that lead from some rows to those of a snapshot, by brute force. */
function feedBetween(
  before: readonly ModelRow[],
  { at: version, rows }: ModelSnapshot,
  from: number,
): ModelChange[] {
  const gone = before.filter(({ id }) => !rows.some((row) => row.id === id))
  const written = rows.filter(
    (row) => !before.some(({ id, p, v }) => id === row.id && p === row.p && v === row.v),
  )
  return [
    ...gone.map(({ id }, i) => ({ kind: 'delete', at: version, number: from + i, id }) as const),
    ...written.map(
      (row, i) => ({ kind: 'upsert', at: version, number: from + gone.length + i, row }) as const,
    ),
  ]
}

function isFirst(snapshot: ModelSnapshot, i: number, all: readonly ModelSnapshot[]): boolean {
  return !all
    .slice(0, i)
    .some(
      (other) =>
        other.at === snapshot.at &&
        (other.scope === null ||
          snapshot.scope === null ||
          other.scope.some((p) => snapshot.scope?.includes(p) === true)),
    )
}

/** A key has one row at a version, in one partition. */
function withoutShared(
  snapshot: ModelSnapshot,
  i: number,
  all: readonly ModelSnapshot[],
): ModelSnapshot {
  const taken = all.slice(0, i).filter((other) => other.at === snapshot.at)
  const ids = new Set(taken.flatMap(({ rows }) => rows.map(({ id }) => id)))
  return { ...snapshot, rows: snapshot.rows.filter(({ id }) => !ids.has(id)) }
}

function setupOf(given: ModelRules, kind: 1 | 2 | 'bitemporal'): SnapshotSetup {
  const untracked =
    given.tracksValue || kind === 1 ? {} : { track_history_except_column_list: ['v'] }
  return {
    both: { stored_as_scd_type: kind, columns: { p: 'text', v: 'integer' }, ...untracked },
    feed: { ignore_null_updates: given.feedKeeps },
    snapshots: { ignore_null_updates: given.snapshotsKeep },
    source: {
      scope: 'p',
      missing_rows: given.missingRows,
      // Where nothing is deleted there is nothing to wait for.
      ...(given.missingRows === 'delete' ? { delete_after: given.deleteAfter } : {}),
    },
  }
}

function encoded(sequence: number): string {
  return encodeSequence(sequence, { parts: ['number'], list: false }) ?? ''
}
