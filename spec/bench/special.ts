import { appendFileSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { generate, type FeedSpec } from './generate.ts'
import { median, ours, wallOf, writeFlow } from './measure.ts'

/** One line of the table: ours, what it is measured against, and their ratio. */
export type Line = {
  readonly name: string
  readonly question: string
  readonly against: string
  readonly seconds: number
  readonly base: number
  readonly ratio: number
  readonly aim: number | null
  readonly peakMb: number | null
  readonly note: string
}

const BIN = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url))
const SCD2 = { stored_as_scd_type: 2 }

/** Does memory stay flat? Peak of five times the events to that of the events. */
export async function memory(feeds: string, events: number): Promise<Line> {
  const peaks: number[] = []
  let seconds = 0
  for (const size of [events, events * 5]) {
    const spec: FeedSpec = {
      events: size,
      keys: 'random',
      keyCount: events / 5,
      late: 0,
      sparse: false,
    }
    const { file } = await generate(feeds, spec)
    await inFolder(async (folder) => {
      const took = await ours('run', writeFlow(folder, file, { stored_as_scd_type: 1 }, null))
      peaks.push(took.peakMb)
      seconds = took.seconds
    })
  }
  const [small = 1, large = 1] = peaks
  return {
    name: 'memory',
    question: 'peak memory at five times the events to that at once',
    against: 'peak at once',
    seconds,
    base: seconds,
    ratio: large / small,
    aim: 1.15,
    peakMb: large,
    note: `${Math.round(small)} MB at ${events} events, ${Math.round(large)} MB at ${events * 5}`,
  }
}

/** What does one late event cost in a key of many versions, first, in the middle and last? */
export async function lateOne(versions: number): Promise<Line[]> {
  return inFolder(async (folder) => {
    const feed = join(folder, 'feed')
    mkdirSync(feed)
    const lines = Array.from({ length: versions }, (_, i) => event((i + 1) * 10, i)).join('')
    writeFileSync(join(feed, '1.ndjson'), lines)
    const flow = writeFlow(folder, 'feed/*.ndjson', SCD2, null)
    await ours('run', flow)

    const results: Line[] = []
    const places = { first: 5, middle: versions * 5 + 5, last: versions * 10 - 5 }
    let base = 0
    for (const [place, seq] of Object.entries(places)) {
      const times: number[] = []
      for (let i = 0; i < 5; i += 1) {
        appendFileSync(join(feed, `2-${place}.ndjson`), event(seq - i, -seq - i))
        times.push((await ours('run', flow)).seconds)
      }
      const seconds = median(times)
      if (base === 0) base = seconds
      results.push({
        name: `late-${place}`,
        question: `a run with one late event, ${place} of ${versions} versions of its key`,
        against: 'first',
        seconds,
        base,
        ratio: seconds / base,
        aim: 1.5,
        peakMb: null,
        note: '',
      })
    }
    return results
  })
}

/** What does it cost to do nothing? */
export async function starts(feeds: string, events: number, runs: number): Promise<Line[]> {
  return inFolder(async (folder) => {
    const { file } = await generate(feeds, {
      events,
      keys: 'random',
      keyCount: events / 5,
      late: 0,
      sparse: false,
    })
    const flow = writeFlow(folder, file, { stored_as_scd_type: 1 }, null)
    await ours('run', flow)
    const node = await medianWall(['-e', '0'], runs)
    const results: Line[] = []
    for (const [name, words] of [
      ['nothing-new', ['run', flow]],
      ['help', ['--help']],
      ['validate', ['validate', flow]],
    ] as const) {
      const seconds = await medianWall([BIN, ...words], runs)
      results.push({
        name,
        question: `the whole process, to node -e 0`,
        against: 'node -e 0',
        seconds,
        base: node,
        ratio: seconds / node,
        aim: 5,
        peakMb: null,
        note: '',
      })
    }
    return results
  })
}

async function medianWall(words: readonly string[], runs: number): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < Math.max(3, runs); run += 1) times.push(await wallOf(words))
  return median(times)
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function event(seq: number, value: number): string {
  return `${JSON.stringify({ id: 1, seq, op: 'U', value, qty: value % 100 })}\n`
}
