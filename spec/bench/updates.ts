import { copyFileSync, createWriteStream, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { agree } from './agreement.ts'
import type { Extent } from './extent.ts'
import { eventOf, generate, type FeedSpec } from './generate.ts'
import { lineOf, type Line } from './line.ts'
import { inFolder, ours, script, writeFlow, type Measured } from './measure.ts'

/** The table has so many times the events that are asked for, and the updates are a part of them. */
const KEYS = 5
const UPDATES = 1 / 50

/** What do a few updates cost, scattered over a large table? */
export async function updates({ feeds, events, runs }: Extent): Promise<Line> {
  const keyCount = events * KEYS
  const count = Math.max(1, Math.floor(events * UPDATES))
  const all: FeedSpec = { events: keyCount, keys: 'ascending', keyCount, late: 0, sparse: false }
  const feed = await generate(feeds, all)
  return inFolder(async (folder) => {
    const feedFolder = join(folder, 'feed')
    const [mine, loop] = [join(folder, 'ours.db'), join(folder, 'loop.db')]
    mkdirSync(feedFolder)
    symlinkSync(feed.file, join(feedFolder, '1.ndjson'))
    const flow = writeFlow(folder, 'feed/*.ndjson', { stored_as_scd_type: 1 })
    await ours('run', flow)
    await script('baselines/scd1.mjs', feed.file, loop, pageSizeOf(mine))
    for (const store of [mine, loop]) copyFileSync(store, `${store}.before`)
    const file = join(feedFolder, '2.ndjson')
    await writeUpdates(file, { ...all, keys: 'random' }, count)

    const taken = { mine: [] as Measured[], loop: [] as Measured[] }
    for (let run = 0; run < runs; run += 1) {
      for (const store of [mine, loop]) {
        for (const side of ['-wal', '-shm']) rmSync(store + side, { force: true })
        copyFileSync(`${store}.before`, store)
      }
      const base = async () => taken.loop.push(await script('baselines/scd1.mjs', file, loop))
      // Who goes first changes, so that neither always finds the machine as the other left it.
      if (run % 2 === 1) await base()
      taken.mine.push(await ours('run', flow))
      if (run % 2 === 0) await base()
    }
    const rows = agree(
      'updates',
      { store: mine, rows: 'latest' },
      { store: loop, rows: 'loopLatest' },
    )
    const subject = {
      name: 'updates',
      question: `${count} random updates of a table of ${keyCount} keys, against an upsert each in pages as large`,
      against: 'scd1 loop',
      aim: 1.5,
      note: `${rows} rows alike`,
    }
    return lineOf(subject, taken.mine, taken.loop)
  })
}

/** Events after all that a table was filled with. */
async function writeUpdates(file: string, spec: FeedSpec, count: number): Promise<void> {
  const out = createWriteStream(file)
  for (let i = 1; i <= count; i += 1) {
    out.write(`${JSON.stringify(eventOf(spec, spec.events + i))}\n`)
  }
  out.end()
  await once(out, 'finish')
}

function pageSizeOf(store: string): string {
  const db = new Database(store, { readonly: true })
  try {
    return String(db.pragma('page_size', { simple: true }))
  } finally {
    db.close()
  }
}
