import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SnapshotsUnderTest, spelledOffer } from './engine/snapshots-under-test.ts'
import type { ModelChange } from './models/snapshots.ts'

const RUNS = Number(process.env['FC_RUNS'] ?? 150)

// One row in several spellings, a column that may be missing, and now and then what is no row at all.
const id = fc.integer({ min: 1, max: 4 })
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

/** Extracts that mostly have each key once, as extracts do. */
const extract = fc.oneof(
  { weight: 4, arbitrary: fc.uniqueArray(record, { maxLength: 4, selector: keyIn }) },
  { weight: 1, arbitrary: fc.array(record, { maxLength: 5 }) },
)

const change = fc
  .record({ at: fc.integer({ min: 1, max: 9 }), id, v: fc.constantFrom(1, 2) })
  .map(({ at, id: key, v }) => ({ kind: 'upsert', at, row: { id: key, p: null, v } }) as const)

const step = fc.oneof(
  { weight: 12, arbitrary: extract.map((rows) => ({ rows })) },
  { weight: 2, arbitrary: fc.record({ rows: extract, at: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: change.map((each) => ({ change: each })) },
)

const setup = fc.record({
  kind: fc.constantFrom(1, 2, 'bitemporal'),
  guards: fc.constantFrom(
    { empty: 'allow', max_delete_fraction: null, column_missing: 'allow', null_key: 'quarantine' },
    { min_rows_for_fraction: 1, max_delete_fraction: 0.5, max_change_fraction: 0.5 },
    { empty: 'allow', max_delete_fraction: null, duplicate_key: 'last' },
    { empty: 'allow', max_delete_fraction: null, duplicate_key: 'refuse' },
  ),
})

/** The same, with sources that promise that bytes tell all, and with others. */
async function outcomes(
  { kind, guards }: { kind: string | number; guards: object },
  steps: readonly ({ rows: readonly string[]; at?: number } | { change: unknown })[],
  readWith: string | undefined,
): Promise<unknown[]> {
  using engine = new SnapshotsUnderTest({ both: { stored_as_scd_type: kind }, source: { guards } })
  const told: unknown[] = []
  for (const [i, each] of steps.entries()) {
    if ('change' in each) {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made above
      engine.feed([{ ...(each.change as ModelChange), number: i + 1 }])
    } else {
      const version = each.at ?? i + 1
      const result = await engine.offer(spelledOffer(version, each.rows, { readWith }))
      const records = typeof result === 'string' ? engine.store.snapshotRecords(null) : result
      told.push(records.map(({ seconds: _seconds, at: _at, ...rest }) => rest))
    }
    told.push(engine.table(), engine.findings())
  }
  return told
}

test('S3 that records are known by their bytes does not show', async () => {
  await fc.assert(
    fc.asyncProperty(
      setup,
      fc.array(step, { minLength: 1, maxLength: 8 }),
      async (given, steps) => {
        expect(await outcomes(given, steps, 'lines')).toEqual(
          await outcomes(given, steps, undefined),
        )
      },
    ),
    { numRuns: RUNS },
  )
})

function keyIn(text: string): string {
  return /"id":(\d)/.exec(text)?.[1] ?? text
}
