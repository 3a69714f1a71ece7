import { join } from 'node:path'
import Database from 'better-sqlite3'
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
