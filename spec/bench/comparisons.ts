import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'

import { startPostgres } from '../kafka/postgres.ts'
import { agree } from './agreement.ts'
import type { Extent } from './extent.ts'
import { generate, type Feed } from './generate.ts'
import { lineOf, type Line } from './line.ts'
import {
  inFolder,
  median,
  ours,
  pythonScript,
  script,
  writeFlow,
  type Measured,
} from './measure.ts'
import { pythonWith } from './python-with.ts'

/** Does the work of {@link comparisons} in a folder; gives what it took and a file of its rows. */
type Rival = {
  readonly against: string
  readonly work: (feed: Feed, folder: string) => Promise<{ took: Measured; rows: string }>
}

/** It cannot be had here; says why. */
class Unavailable extends Error {}

const RIVALS: Readonly<Record<string, Rival>> = {
  'compare-duckdb': {
    against: 'DuckDB',
    work: (feed, folder) => duckdb(feed, folder, feed.events),
  },
  'compare-duckdb-batches': {
    against: 'DuckDB, 20,000',
    work: (feed, folder) => duckdb(feed, folder, Math.min(20_000, feed.events / 5)),
  },
  'compare-postgres': { against: 'PostgreSQL', work: postgres },
  'compare-dlt': { against: 'dlt', work: dlt },
}

/** The cases of {@link comparisons}. */
export const COMPARISONS: readonly string[] = Object.keys(RIVALS)

/** Those that need what npm does not install, and so only run when they are named. */
export const ON_REQUEST: readonly string[] = ['compare-postgres', 'compare-dlt']

/**
 * How long do others take for the feed of `scd1`, and how much memory? Without an aim: they keep
 * less than we do. Their rows have to be ours. One that cannot be had is left out, saying why.
 */
export async function comparisons(name: string, { feeds, events, runs }: Extent): Promise<Line[]> {
  const rival = RIVALS[name]
  if (rival === undefined) return []
  const keyCount = Math.max(1, Math.floor(events / 5))
  const feed = await generate(feeds, { events, keys: 'random', keyCount, late: 0, sparse: false })
  const taken = { mine: [] as Measured[], other: [] as Measured[] }
  let alike = 0
  try {
    for (let run = 0; run < runs; run += 1) {
      await inFolder(async (folder) => {
        const { took, rows } = await rival.work(feed, folder)
        taken.other.push(took)
        taken.mine.push(await ours('run', writeFlow(folder, feed.file, { stored_as_scd_type: 1 })))
        if (run > 0) return
        await store(rows, join(folder, 'theirs.db'))
        alike = agree(
          name,
          { store: join(folder, 'ours.db'), rows: 'latest' },
          { store: join(folder, 'theirs.db'), rows: 'loopLatest' },
        )
      })
    }
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    console.warn(`SKIPPED ${name}: ${error.message}`)
    return []
  }
  const peak = Math.round(median(taken.other.map(({ peakMb }) => peakMb)))
  const subject = {
    name,
    question: 'the feed of scd1, by others',
    against: rival.against,
    aim: null,
    note: `${alike} rows alike, their peak ${peak} MB`,
  }
  return [lineOf(subject, taken.mine, taken.other)]
}

async function duckdb(feed: Feed, folder: string, size: number) {
  const path = join(folder, 'theirs.duckdb')
  const rows = join(folder, 'theirs.ndjson')
  const words = [feed.file, feed.events.toString(), size.toString()]
  const took = await script('baselines/compare-duckdb.mjs', 'apply', path, ...words)
  await script('baselines/compare-duckdb.mjs', 'rows', path, rows)
  return { took, rows }
}

async function dlt(feed: Feed, folder: string) {
  const python = await pythonWith('dlt', 'dlt[duckdb]').catch(unavailable)
  const path = join(folder, 'theirs.duckdb')
  const rows = join(folder, 'theirs.ndjson')
  const took = await pythonScript(python, 'baselines/compare_dlt.py', feed.file, path, folder)
  await pythonScript(python, 'baselines/duckdb_rows.py', path, rows)
  return { took, rows }
}

/** The server is started before and its start not timed; its own share is told by the client. */
async function postgres(feed: Feed, folder: string) {
  const settings = { shared_buffers: '256MB', max_wal_size: '4GB', synchronous_commit: 'off' }
  await using server = await startPostgres(settings).catch(unavailable)
  const told = join(folder, 'server.json')
  const words = [server.port.toString(), feed.file, told]
  const client = await script('baselines/compare-postgres.mjs', ...words)
  const process = JSON.parse(readFileSync(told, 'utf8')) as Omit<Measured, 'wall'>
  const rows = join(folder, 'theirs.ndjson')
  const found = await server.rows(
    'SELECT id, name, city, email, amount, qty, active::int, note, rank FROM target',
  )
  writeFileSync(rows, found.join('\n'))
  const { wall, cpu, peakMb } = client
  return { took: { wall, cpu: cpu + process.cpu, peakMb: peakMb + process.peakMb }, rows }
}

function unavailable(error: unknown): never {
  throw new Unavailable(error instanceof Error ? error.message : String(error))
}

/** Puts rows of NDJSON into a table of SQLite, to be compared with ours. */
async function store(rows: string, path: string): Promise<void> {
  const db = new Database(path)
  try {
    db.exec('CREATE TABLE target (id, name, city, email, amount, qty, active, note, rank); BEGIN')
    const values = ['id', 'name', 'city', 'email', 'amount', 'qty', 'active', 'note', 'rank']
    const add = db.prepare(
      `INSERT INTO target SELECT ${values.map((c) => `$row ->> '${c}'`).join(', ')}`,
    )
    for await (const row of createInterface(createReadStream(rows))) add.run({ row })
    db.exec('COMMIT')
  } finally {
    db.close()
  }
}
