import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { agree, told, type Side } from './agreement.ts'
import type { Case } from './cases.ts'
import { generate, type Feed } from './generate.ts'
import type { Extent } from './extent.ts'
import { lineOf, type Line } from './line.ts'
import { inFolder, ours, script, writeFlow, type Measured } from './measure.ts'

/** Runs ours and the other in turn, and holds our table against one that is right. */
export async function compare(each: Case, { feeds, events, runs, batch }: Extent): Promise<Line> {
  const spec = each.feed(events)
  const feed = await generate(feeds, spec)
  const inOrder = await generate(feeds, { ...spec, late: 0 })
  const mine: Measured[] = []
  const other: Measured[] = []
  let note = ''
  for (let run = 0; run < runs; run += 1) {
    await inFolder(async (folder) => {
      const flow = writeFlow(folder, feed.file, each.flow, each.batch ?? batch)
      const base = () => against(each, inOrder.file, folder)
      // Who goes first changes, so that neither always finds the machine as the other left it.
      if (run % 2 === 1) other.push(await base())
      mine.push(await ours('run', flow))
      if (run % 2 === 0) other.push(await base())
      if (run === 0) note = await proven(each, folder, { feed, inOrder })
    })
  }
  const { name, question, against: yardstick, aim } = each
  return lineOf({ name, question, against: yardstick, aim, note }, mine, other)
}

async function against(each: Case, file: string, folder: string): Promise<Measured> {
  if (each.against === 'scd1 loop')
    return script('baselines/scd1.mjs', file, join(folder, 'loop.db'))
  if (each.against === 'scd2 loop')
    return script('baselines/scd2.mjs', file, join(folder, 'loop.db'))
  const inner = join(folder, 'scd2')
  mkdirSync(inner)
  return ours('run', writeFlow(inner, file, { stored_as_scd_type: 2 }, each.batch))
}

/** Holds our table against the right one and says what is in it. @throws Error if they differ */
async function proven(
  each: Case,
  folder: string,
  { feed, inOrder }: { readonly feed: Feed; readonly inOrder: Feed },
): Promise<string> {
  const store = join(folder, 'ours.db')
  let right: Side = { store: join(folder, 'loop.db'), rows: 'loopLatest' }
  if (each.against === 'scd2 loop') right = { ...right, rows: 'loopHistory' }
  if (each.against === 'our scd2')
    right = { store: join(folder, 'scd2', 'ours.db'), rows: 'history' }
  if (each.proof === 'scd1-partial') {
    right = { store: join(folder, 'partial.db'), rows: 'loopLatest' }
    await script('baselines/scd1-partial.mjs', inOrder.file, right.store)
  }
  const rows = agree(each.name, { store, rows: shownBy(each) }, right)
  const { rows: all, late } = told(store)
  const events = each.feed(1).late === 0 ? '' : `, ${percent(feed.lateShare)} late for their key`
  const lateFound = late / Math.max(1, feed.events)
  if (Math.abs(lateFound - feed.lateShare) > 1e-9) {
    throw new Error(
      `${each.name}: ${percent(lateFound)} counted late, ${percent(feed.lateShare)} are`,
    )
  }
  const rectangles = each.against === 'our scd2' ? `, ${all} rectangles` : ''
  return `${feed.keys} keys, ${rows} rows alike${rectangles}${events}`
}

function shownBy(each: Case): Side['rows'] {
  if (each.against === 'our scd2') return 'believed'
  return each.against === 'scd2 loop' ? 'history' : 'latest'
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
