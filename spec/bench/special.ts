import { join } from 'node:path'

import { rowsChanged, told } from './agreement.ts'
import type { Extent } from './extent.ts'
import { generate, type FeedSpec } from './generate.ts'
import { plainLine, type Line } from './line.ts'
import { BIN, inFolder, median, ours, printed, wallOf, writeFlow } from './measure.ts'

/** A late whole-row event may write so many rows, wherever it falls. */
const MOST_ROWS = 4

/** Does memory stay flat? Peak of five times the events to that of the events, over the same keys. */
export async function memory({ feeds, events, runs }: Extent): Promise<Line> {
  const peakOf = async (size: number) => {
    const { file } = await generate(feeds, { ...plain(events), events: size })
    return inFolder(async (folder) => {
      return (await ours('run', writeFlow(folder, file, { stored_as_scd_type: 1 }))).peakMb
    })
  }
  const peaks: { small: number[]; large: number[] } = { small: [], large: [] }
  for (let run = 0; run < Math.min(runs, 3); run += 1) {
    peaks.small.push(await peakOf(events))
    peaks.large.push(await peakOf(events * 5))
  }
  const [small, large] = [median(peaks.small), median(peaks.large)]
  return plainLine(
    {
      name: 'memory',
      question: 'peak at five times the events to the peak at once, over the same keys',
      against: 'at once',
      aim: 1.15,
      note: `SCD 1, ${events * 5} events and ${events}`,
    },
    { ours: large, base: small, unit: 'MB' },
  )
}

/** What does one late event cost in a key of many versions, first, in the middle and last? */
export async function lateOne({ events }: Extent): Promise<Line> {
  const versions = Math.floor(events / 10)
  return inFolder(async (folder) => {
    const flow = writeFlow(folder, 'feed/*.ndjson', { stored_as_scd_type: 2 })
    const text = await printed('late-one.mjs', folder, flow, versions.toString())
    const took = JSON.parse(text) as Record<Place, readonly number[]>
    const ms = PLACES.map((place) => median(took[place]))
    const rows = PLACES.map((place) =>
      rowsChanged(join(folder, `before-${place}.db`), join(folder, `after-${place}.db`)),
    )
    if (Math.max(...rows) > MOST_ROWS) {
      throw new Error(`late-one: wrote ${rows.join(', ')} rows, at most ${MOST_ROWS} are needed`)
    }
    const each = PLACES.map((place, i) => `${place} ${ms[i]?.toFixed(1)} ms (${rows[i]} rows)`)
    return plainLine(
      {
        name: 'late-one',
        question: `one late event in a key of ${versions} versions, the slowest place to the fastest`,
        against: 'fastest place',
        aim: 1.5,
        note: each.join(', '),
      },
      { ours: Math.max(...ms), base: Math.min(...ms), unit: 'ms' },
    )
  })
}

/** What does a process cost that has next to nothing to do? */
export async function starts(
  { feeds, events, runs }: Extent,
  isChosen: (name: string) => boolean,
): Promise<Line[]> {
  return inFolder(async (folder) => {
    const { file } = await generate(feeds, plain(events))
    const flow = writeFlow(folder, file, { stored_as_scd_type: 1 })
    const commands = Object.entries({
      'nothing-new': ['run', flow],
      help: ['--help'],
      validate: ['validate', flow],
    }).filter(([name]) => isChosen(name))

    await ours('run', flow)
    const { rows } = told(join(folder, 'ours.db'))
    const node: number[] = []
    const mine = commands.map((): number[] => [])
    for (let run = 0; run < Math.max(3, runs); run += 1) {
      node.push(await wallOf(['-e', '0']))
      for (const [i, [, words]] of commands.entries()) mine[i]?.push(await wallOf([BIN, ...words]))
    }
    return commands.map(([name], i) =>
      plainLine(
        {
          name,
          question: 'the whole process',
          against: 'node -e 0',
          aim: 5,
          note: name === 'nothing-new' ? `a table of ${rows} rows` : '',
        },
        { ours: median(mine[i] ?? []), base: median(node), unit: 's' },
      ),
    )
  })
}

/** The cases of {@link starts}. */
export const STARTS = ['nothing-new', 'help', 'validate'] as const

const PLACES = ['first', 'middle', 'last'] as const

type Place = (typeof PLACES)[number]

function plain(events: number): FeedSpec {
  return { events, keys: 'random', keyCount: events / 5, late: 0, sparse: false }
}
