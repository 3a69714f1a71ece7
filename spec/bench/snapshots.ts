import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

import { extracts, type Extracts, type RowOrder } from './extracts.ts'
import type { Extent } from './extent.ts'
import { lineOf, plainLine, type Line } from './line.ts'
import { inFolder, median, ours, script, type Measured } from './measure.ts'

/** The cases of {@link snapshots}. */
export const SNAPSHOTS = ['snapshot', 'snapshot-any', 'snapshot-memory'] as const

/** What an extract is held against, each in a process of its own. */
const BASELINES = ['parse', 'except', 'duckdb'] as const

/** The ratio to parsing alone that is aimed at. */
const AIMS: Readonly<Record<RowOrder, number>> = { 'by key': 2.5, any: 3.5 }

/**
 * What does the next extract of a table cost, of whose rows a hundredth changed? Against parsing
 * its file, against loading both into SQLite and EXCEPT both ways, and against a full outer join
 * of DuckDB's. The counts of all have to be those that the files were made with.
 */
export async function snapshots(
  extent: Extent,
  isChosen: (name: string) => boolean,
): Promise<Line[]> {
  const lines: Line[] = []
  if (isChosen('snapshot')) lines.push(...(await compared('snapshot', 'by key', extent)))
  if (isChosen('snapshot-any')) lines.push(...(await compared('snapshot-any', 'any', extent)))
  if (isChosen('snapshot-memory')) lines.push(await memory(extent))
  return lines
}

async function compared(name: string, order: RowOrder, { feeds, events, runs }: Extent) {
  const given = await extracts(feeds, events, order)
  const mine: Measured[] = []
  const others = BASELINES.map((): Measured[] => [])
  await inFolder(async (folder) => {
    await begin(folder, given)
    for (let run = 0; run < runs; run += 1) {
      mine.push(await next(folder, given, name))
      for (const [i, baseline] of BASELINES.entries()) {
        const result = join(folder, `${baseline}-${run}`)
        const words = [given.before, given.after, result]
        others[i]?.push(await script(`baselines/${baseline}.mjs`, ...words))
        if (baseline !== 'parse') {
          const counts: unknown = JSON.parse(readFileSync(result, 'utf8'))
          hold(`${name}, ${baseline}`, counts, given)
        }
      }
    }
  })
  return BASELINES.map((baseline, i) =>
    lineOf(
      {
        name,
        question: `the next extract of ${events} rows, in ${order === 'any' ? 'any order' : 'the order of its keys'}`,
        against: baseline,
        aim: baseline === 'parse' ? AIMS[order] : null,
        note: `${given.updated} rows changed, ${given.inserted} came, ${given.deleted} went`,
      },
      mine,
      others[i] ?? [],
    ),
  )
}

/** Does memory stay flat? Peak at five times the rows to that of the rows. */
async function memory({ feeds, events, runs }: Extent): Promise<Line> {
  const peaks = { small: [] as number[], large: [] as number[] }
  for (const [size, into] of [
    [events, peaks.small],
    [events * 5, peaks.large],
  ] as const) {
    const given = await extracts(feeds, size, 'by key')
    await inFolder(async (folder) => {
      await begin(folder, given)
      for (let run = 0; run < Math.min(runs, 3); run += 1) {
        into.push((await next(folder, given, 'snapshot-memory')).peakMb)
      }
    })
  }
  return plainLine(
    {
      name: 'snapshot-memory',
      question: 'peak of an extract of five times the rows to the peak at once',
      against: 'at once',
      aim: 1.15,
      note: `${events * 5} rows and ${events}`,
    },
    { ours: median(peaks.large), base: median(peaks.small), unit: 'MB' },
  )
}

/** Applies the first extract, and keeps the store as it then is. */
async function begin(folder: string, { before }: Extracts): Promise<void> {
  mkdirSync(join(folder, 'extracts'))
  symlinkSync(before, join(folder, 'extracts', '1.ndjson'))
  const flow = {
    target: 'target',
    keys: ['id'],
    stored_as_scd_type: 2,
    source: {
      snapshots: 'extracts/*.ndjson',
      version: { file_name: String.raw`(\d+)\.ndjson$`, type: 'integer' },
    },
  }
  writeFileSync(
    join(folder, 'flow.json'),
    JSON.stringify({ store: { sqlite: 'ours.db' }, flows: [flow] }),
  )
  await ours('run', join(folder, 'flow.json'))
  copyFileSync(join(folder, 'ours.db'), join(folder, 'begun.db'))
}

/** Applies the second one on top of that. @throws Error if it does not count what changed */
async function next(folder: string, given: Extracts, name: string): Promise<Measured> {
  const second = join(folder, 'extracts', '2.ndjson')
  copyFileSync(join(folder, 'begun.db'), join(folder, 'ours.db'))
  try {
    symlinkSync(given.after, second)
  } catch {
    // It is there from the run before.
  }
  const took = await ours('run', join(folder, 'flow.json'))
  hold(name, counted(join(folder, 'ours.db')), given)
  return took
}

/** What the last snapshot of a store counted. */
function counted(store: string): unknown {
  const db = new Database(store, { readonly: true })
  try {
    const text = db
      .prepare<[], string>(
        'SELECT record FROM __tidemark_snapshots WHERE record IS NOT NULL ORDER BY id DESC LIMIT 1',
      )
      .pluck()
      .get()
    return JSON.parse(text ?? '{}')
  } finally {
    db.close()
  }
}

function hold(what: string, counts: unknown, { inserted, updated, deleted }: Extracts): void {
  const told = { inserted, updated, deleted }
  for (const [name, count] of Object.entries(told)) {
    const found: unknown =
      typeof counts === 'object' && counts !== null ? Reflect.get(counts, name) : null
    if (found !== count) throw new Error(`${what}: ${String(found)} ${name}, ${count} are`)
  }
}
