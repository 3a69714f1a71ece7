import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TidemarkError } from '../src/core/errors.ts'
import type { SourceSnapshot } from '../src/ports/source.ts'
import { SnapshotsUnderTest, spelledOffer } from './engine/snapshots-under-test.ts'
import type { ModelChange } from './models/snapshots.ts'

const RUNS = Number(process.env['FC_RUNS'] ?? 150)

// One row in several spellings, a column that may be missing, and now and then what is no row at all.
const id = fc.integer({ min: 1, max: 3 })
const row = fc
  .record({ id, v: fc.constantFrom(null, 1, 2), spelling: fc.constantFrom(0, 0, 0, 1, 2) })
  .map(({ id: key, v, spelling }) => {
    const spelled = [`{"id":${key},"v":${v}}`, `{"v":${v},"id":${key}.0}`, `{"id":${key}}`]
    return spelled[spelling] ?? ''
  })
const record = fc.oneof(
  { weight: 60, arbitrary: row },
  { weight: 1, arbitrary: fc.constantFrom('{"id":null}', '{"id":', '{"id":1,"w":1}') },
)

/** Extracts that mostly have each key once, as extracts do, and all of their file. */
const extract = fc.record({
  rows: fc.oneof(
    { weight: 4, arbitrary: fc.uniqueArray(record, { maxLength: 3, selector: keyIn }) },
    { weight: 1, arbitrary: fc.array(record, { maxLength: 4 }) },
  ),
  isCut: fc.integer({ min: 0, max: 15 }).map((lot) => lot === 0),
})

const at = fc.integer({ min: 1, max: 9 })
const change: fc.Arbitrary<Omit<ModelChange, 'number'>> = fc.oneof(
  fc.record({
    kind: fc.constant('upsert'),
    at,
    row: fc.record({ id, p: fc.constant(null), v: fc.constantFrom(1, 2) }),
  }),
  fc.record({ kind: fc.constant('delete'), at, id }),
  fc.record({ kind: fc.constant('truncate'), at }),
)

const step = fc.oneof(
  { weight: 12, arbitrary: extract },
  { weight: 2, arbitrary: fc.tuple(extract, at).map(([each, version]) => ({ ...each, version })) },
)

/** Most tables are told by extracts alone; some were told by a feed before, or are now and then. */
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.array(step, { minLength: 1, maxLength: 8 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.array(change, { minLength: 1, maxLength: 4 }), fc.array(step, { maxLength: 5 }))
      .map(([changes, rest]) => [...changes, ...rest]),
  },
  { weight: 1, arbitrary: fc.array(fc.oneof(step, change), { maxLength: 8 }) },
)

const setup = fc.record({
  kind: fc.constantFrom(1, 2, 'bitemporal'),
  guards: fc.constantFrom(
    { empty: 'allow', max_delete_fraction: null, column_missing: 'allow', null_key: 'quarantine' },
    { min_rows_for_fraction: 1, max_delete_fraction: 0.5, max_change_fraction: 0.5 },
    { empty: 'allow', max_delete_fraction: null, duplicate_key: 'last' },
    { empty: 'allow', max_delete_fraction: null, duplicate_key: 'refuse' },
    { empty: 'allow', max_delete_fraction: null, row_count: 'ignore' },
  ),
})

type Extract = {
  readonly rows: readonly string[]
  readonly isCut: boolean
  readonly version?: number
}

/** What is told and held after each step, with sources that promise that bytes tell all, or that do not. */
async function outcomes(
  { kind, guards }: { kind: string | number; guards: object },
  all: readonly (Extract | Omit<ModelChange, 'number'>)[],
  readWith: string | undefined,
): Promise<unknown[]> {
  using engine = new SnapshotsUnderTest({ both: { stored_as_scd_type: kind }, source: { guards } })
  const told: unknown[] = []
  for (const [i, each] of all.entries()) {
    if ('kind' in each) engine.feed([{ ...each, number: i + 1 } as ModelChange])
    else {
      const offer = spelledOffer(each.version ?? i + 1, each.rows, { readWith })
      const result = await engine.offer(each.isCut ? cutShort(offer) : offer)
      const records = typeof result === 'string' ? engine.store.snapshotRecords(null) : result
      told.push(records.map(({ seconds: _seconds, at: _at, ...rest }) => rest))
    }
    told.push(engine.table(), engine.findings())
  }
  return told
}

test('S3 that records are known by their bytes does not show', async () => {
  await fc.assert(
    fc.asyncProperty(setup, steps, async (given, all) => {
      expect(await outcomes(given, all, 'lines')).toEqual(await outcomes(given, all, undefined))
    }),
    { numRuns: RUNS },
  )
})

/** All rows, and then the end of the file where more should be. */
function cutShort(offer: SourceSnapshot): SourceSnapshot {
  return {
    ...offer,
    async *read(signal) {
      yield* offer.read(signal)
      throw new TidemarkError('FILE_BROKEN', 'it ends in the middle')
    },
  }
}

function keyIn(text: string): string {
  return /"id":(\d)/.exec(text)?.[1] ?? text
}
