import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { offerOf, SnapshotsUnderTest } from '../../property-tests/engine/snapshots-under-test.ts'
import { StoreFile } from '../../property-tests/engine/store-file.ts'
import { examine } from '../../src/inspect/doctor.ts'
import type { SourceSnapshot } from '../../src/ports/source.ts'
import { SqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'

const HISTORY = { stored_as_scd_type: 2 }
const ROWS = [
  { id: 1, v: 'a' },
  { id: 2, v: null },
]

/** The same records, counting how many of them anybody decodes. */
function watched(offer: SourceSnapshot, decoded: number[]): SourceSnapshot {
  return {
    ...offer,
    async *read(signal) {
      for await (const records of offer.read(signal)) {
        yield records.map((record) => ({
          ...record,
          get decoded() {
            decoded.push(record.number)
            return record.decoded
          },
        }))
      }
    },
  }
}

/** Which records of an offer are decoded, and what it comes to. */
async function looked(engine: SnapshotsUnderTest, offer: SourceSnapshot): Promise<string> {
  const decoded: number[] = []
  const result = await engine.offer(watched(offer, decoded))
  const told = typeof result === 'string' ? result : result.map(drawn).join()
  return `${[...new Set(decoded)].join()}: ${told}`
}

function drawn({ outcome, inserted, updated, deleted, unchanged }: Counted): string {
  return outcome === 'applied' ? `+${inserted} ~${updated} -${deleted} =${unchanged}` : outcome
}

type Counted = Readonly<Record<'inserted' | 'updated' | 'deleted' | 'unchanged', number>> & {
  readonly outcome: string
}

test('only records that the snapshot before did not have are looked into', async () => {
  using engine = new SnapshotsUnderTest({ both: HISTORY, source: { guards: {} } })
  expect(await looked(engine, offerOf(1, ROWS))).toBe('1,2: +2 ~0 -0 =0')
  expect(await looked(engine, offerOf(2, ROWS.toReversed()))).toBe(': +0 ~0 -0 =2')
  expect(await looked(engine, offerOf(3, [...ROWS, { id: 3, v: 'c' }]))).toBe('3: +1 ~0 -0 =2')
  expect(
    await looked(engine, offerOf(4, [{ v: 'a', id: 1 }, { id: 3, v: 'd' }, ROWS[1] ?? {}])),
  ).toBe('1,2: +0 ~1 -0 =2')
})

test('what another flow writes while a snapshot is read is found, though its record is known', async () => {
  using engine = new SnapshotsUnderTest({ both: HISTORY })
  await engine.offer(offerOf(1, ROWS))
  const offer = offerOf(3, ROWS)
  const withFeed: SourceSnapshot = {
    ...offer,
    async *read(signal) {
      yield* offer.read(signal)
      engine.feed([{ kind: 'delete', id: 1, at: 2, number: 1 }])
    },
  }
  expect(await looked(engine, withFeed)).toBe('1,2: +1 ~0 -0 =1')
  expect(engine.intervals({ id: 1 })).toEqual(['[1, 2)', '[3, ∞)'])
})

test('a snapshot that is read again, and not newer, is looked into as a whole', async () => {
  using engine = new SnapshotsUnderTest({ both: HISTORY })
  await engine.offer(offerOf(2, ROWS))
  expect(await looked(engine, offerOf(2, ROWS))).toBe('1,2: replayed')
  expect(await looked(engine, offerOf(1, ROWS.slice(1)))).toBe(
    '1,2: +1 ~0 -0 =0'.replace('1,2', '1'),
  )
})

test('two rows of one key are what they are, also where one of them was there before', async () => {
  using engine = new SnapshotsUnderTest({ both: HISTORY })
  await engine.offer(offerOf(1, ROWS))
  expect(await engine.offer(offerOf(2, [...ROWS, { id: 1, v: 'b' }]))).toBe('DUPLICATE_KEY')
  expect(engine.intervals({ id: 1 })).toEqual(['[1, ∞)'])
})

test('a column that only records from before have is not missing, one that none has is', async () => {
  using engine = new SnapshotsUnderTest({ both: HISTORY, source: { guards: {} } })
  const mixed = [
    { id: 1, v: 'a', w: 1 },
    { id: 2, v: 'b' },
  ]
  await engine.offer(offerOf(1, mixed))
  expect(await looked(engine, offerOf(2, [...mixed, { id: 3 }]))).toBe('3: +1 ~0 -0 =2')
  expect(await looked(engine, offerOf(3, [{ id: 2, v: 'b' }, { id: 3 }, { id: 4 }]))).toBe(
    '3: COLUMN_MISSING',
  )
})

test('records are looked into again once the flow reads other rows from them', async () => {
  using file = new StoreFile()
  const source = { guards: {} }
  {
    using engine = new SnapshotsUnderTest({ path: file.path, both: HISTORY, source })
    await engine.offer(offerOf(1, [{ id: 1, v: '1' }]))
  }
  using engine = new SnapshotsUnderTest({
    path: file.path,
    both: { ...HISTORY, columns: { v: 'integer' } },
    source,
  })
  expect(await looked(engine, offerOf(2, [{ id: 1, v: '1' }]))).toBe('1: +0 ~1 -0 =0')
})

test('so they are once a feed has changed the table', async () => {
  using engine = new SnapshotsUnderTest({ both: HISTORY })
  await engine.offer(offerOf(1, ROWS))
  engine.feed([{ kind: 'delete', at: 2, number: 1, id: 1 }])
  expect(await looked(engine, offerOf(3, ROWS))).toBe('1,2: +1 ~0 -0 =1')
})

test('a store of an earlier version goes on: the same snapshot is replayed, the next one told by its difference', async () => {
  using file = new StoreFile()
  {
    using engine = new SnapshotsUnderTest({ path: file.path, both: HISTORY })
    await engine.offer(offerOf(1, ROWS))
  }
  forgetFingerprints(file)
  const older = new Database(file.path)
  // What such a version wrote of these rows.
  const digest = 'f16c40002b52fb47916429a816248cf8320f9df71a0e9e010abcf57a52ff73e5'
  older.exec(`UPDATE __tidemark_snapshots SET applied = json_set(applied, '$.digest', '${digest}')
              WHERE applied IS NOT NULL`)
  older.close()

  using engine = new SnapshotsUnderTest({ path: file.path, both: HISTORY })
  expect(await looked(engine, offerOf(1, ROWS))).toBe('1,2: replayed')
  expect(await looked(engine, offerOf(2, ROWS.slice(0, 1)))).toBe('1: +0 ~0 -1 =1')
  expect(await looked(engine, offerOf(3, ROWS))).toBe('2: +1 ~0 -0 =1')
})

test('a snapshot of which most was known is replayed like any other', async () => {
  using engine = new SnapshotsUnderTest({ both: HISTORY })
  const next = [{ id: 1, v: 'b' }, ROWS[1] ?? {}]
  await engine.offer(offerOf(1, [...ROWS, { id: 3, v: 'c' }]))
  await engine.offer(offerOf(2, next))
  expect(await looked(engine, offerOf(2, next.toReversed()))).toBe('1,2: replayed')
  expect(await looked(engine, offerOf(2, ROWS))).toBe('1,2: VERSION_CONFLICT')
})

test('doctor finds what is known of records that are not there, or not known of all that are', async () => {
  using file = new StoreFile()
  {
    using engine = new SnapshotsUnderTest({ path: file.path, both: HISTORY })
    await engine.offer(offerOf(1, ROWS))
    expect(engine.findings()).toEqual([])
  }
  const damaged = new Database(file.path)
  damaged.exec(`UPDATE __tidemark_fingerprints SET keys = 'n1n3'`)
  damaged.exec(`UPDATE __tidemark_fingerprint_heads SET records = 3`)
  damaged.close()
  using engine = new SnapshotsUnderTest({ path: file.path, both: HISTORY })
  expect(engine.findings()).toEqual([
    'known: key id=3: a record of it is known, but no row is',
    'known: 3 records are known, of 2 rows',
  ])
})

test('a store of an earlier version is examined as it is', async () => {
  using file = new StoreFile()
  {
    using engine = new SnapshotsUnderTest({ path: file.path, both: HISTORY })
    await engine.offer(offerOf(1, ROWS))
  }
  forgetFingerprints(file)
  using reader = new SqliteStore(file.path, 'read')
  expect([...examine(reader, reader.targets(), ['snapshots'])]).toEqual([])
})

/** Leaves a store as versions did that took no fingerprints. */
function forgetFingerprints({ path }: StoreFile): void {
  const db = new Database(path)
  db.exec('DROP TABLE __tidemark_fingerprints; DROP TABLE __tidemark_fingerprint_heads')
  db.close()
}
