import { join } from 'node:path'
import Database from 'better-sqlite3'
import { loadFlows, openTidemark } from '../../src/index.ts'
import type { Extent } from './extent.ts'
import { generate } from './generate.ts'
import { plainLine, type Line } from './line.ts'
import { inFolder, median, ours, writeFlow } from './measure.ts'

const COLUMNS = 'id, name, city, email, amount, qty, active, note, rank'
const VERSIONS = 20
const LEAST_SCANS = 5

/** What does reading the rows that hold now cost beside their history, against a table of those rows alone? */
export async function scan({ feeds, events, runs }: Extent): Promise<Line> {
  const keyCount = Math.max(1, Math.floor(events / VERSIONS))
  const feed = await generate(feeds, { events, keys: 'random', keyCount, late: 0, sparse: false })
  return inFolder(async (folder) => {
    await ours('run', writeFlow(folder, feed.file, { stored_as_scd_type: 2 }))
    const now = `SELECT ${COLUMNS} FROM target WHERE __END_AT IS NULL`
    using mine = opened(join(folder, 'ours.db'))
    using plain = opened(join(folder, 'plain.db'))
    plain.db.prepare('ATTACH ? AS ours').run(join(folder, 'ours.db'))
    plain.db.exec(`CREATE TABLE plain (id INTEGER PRIMARY KEY, ${COLUMNS.slice(4)})`)
    plain.db.exec(`INSERT INTO plain ${now.replace('target', 'ours.target')}`)

    const took = { mine: [] as number[], plain: [] as number[] }
    let rows = 0
    for (let run = 0; run < Math.max(runs, LEAST_SCANS); run += 1) {
      took.mine.push(timeOf(mine.db, now, (count) => (rows = count)))
      took.plain.push(
        timeOf(
          plain.db,
          `SELECT ${COLUMNS} FROM plain`,
          same(() => rows),
        ),
      )
    }
    return plainLine(
      {
        name: 'scan',
        question: `the current rows of a history of ${VERSIONS} versions a key, by plain SQL`,
        against: 'a table of them',
        aim: 1.2,
        note: `${rows} rows`,
      },
      { ours: median(took.mine), base: median(took.plain), unit: 'ms' },
    )
  })
}

/** What does it cost to read what held then, as it was believed then, against reading what holds now? */
export async function asOf(
  { feeds, events, runs }: Extent,
  isChosen: (name: string) => boolean,
): Promise<Line[]> {
  const keyCount = Math.max(1, Math.floor(events / VERSIONS))
  const feed = await generate(feeds, { events, keys: 'random', keyCount, late: 0.1, sparse: false })
  return inFolder(async (folder) => {
    const batch = Math.ceil(events / VERSIONS)
    const flow = writeFlow(folder, feed.file, { stored_as_scd_type: 'bitemporal' }, batch)
    await ours('run', flow)
    using store = opened(join(folder, 'ours.db'))
    using tidemark = openTidemark(loadFlows(flow, {}), { readOnly: true })
    const system = middleOf(store.db)
    const valid = Math.floor(events / 4)
    const now = `SELECT ${COLUMNS} FROM target WHERE __END_AT IS NULL AND __SYSTEM_END_AT IS NULL`
    const then = `SELECT ${COLUMNS} FROM target WHERE __START_AT <= ${valid} AND (__END_AT > ${valid} OR __END_AT IS NULL)
      AND __SYSTEM_START_AT <= '${system}' AND (__SYSTEM_END_AT > '${system}' OR __SYSTEM_END_AT IS NULL)`

    const shown = { asOf: valid, systemAsOf: { type: 'timestamp', text: system } } as const
    const took = { now: [] as number[], sql: [] as number[], show: [] as number[] }
    let rows = 0
    for (let run = 0; run < Math.max(runs, LEAST_SCANS); run += 1) {
      took.now.push(timeOf(store.db, now, () => undefined))
      took.sql.push(timeOf(store.db, then, (count) => (rows = count)))
      const started = performance.now()
      const found = [...tidemark.rows('target', shown)].length
      took.show.push(performance.now() - started)
      if (found !== rows) throw new Error(`as-of: show has ${found} rows, plain SQL ${rows}`)
    }
    const base = median(took.now)
    return AS_OF.filter(isChosen).map((name) =>
      plainLine(
        {
          name,
          question: `all keys as of a sequence, as believed then, ${VERSIONS} versions a key`,
          against: 'scan of the current rows',
          aim: name === 'as-of' ? 3 : 6,
          note: `${rows} rows`,
        },
        { ours: median(name === 'as-of' ? took.show : took.sql), base, unit: 'ms' },
      ),
    )
  })
}

/** The cases of {@link asOf}: what `show` reads, and by plain SQL. */
export const AS_OF = ['as-of', 'as-of-sql'] as const

/** The system time in the middle of a target's commits. */
function middleOf(db: Database.Database): string {
  const times = db
    .prepare<[], string>('SELECT DISTINCT __SYSTEM_START_AT FROM target ORDER BY 1')
    .pluck()
    .all()
  return times[Math.floor(times.length / 2)] ?? ''
}

/** Milliseconds that reading all rows takes. */
function timeOf(db: Database.Database, sql: string, found: (rows: number) => void): number {
  const started = performance.now()
  found(db.prepare(sql).raw().all().length)
  return performance.now() - started
}

/** @throws Error if there are more or fewer */
function same(expected: () => number): (rows: number) => void {
  return (rows) => {
    if (rows !== expected()) throw new Error(`scan: ${expected()} rows of ours, ${rows} expected`)
  }
}

function opened(path: string): Disposable & { readonly db: Database.Database } {
  const db = new Database(path)
  return { db, [Symbol.dispose]: () => db.close() }
}
