import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { CASES } from './cases.ts'
import { compare } from './compare.ts'
import { comparisons, COMPARISONS, ON_REQUEST } from './comparisons.ts'
import type { Extent } from './extent.ts'
import { lacks } from '../kafka/lacks.ts'
import { LATENCY, latency } from './kafka/latency.ts'
import { THROUGHPUT, throughput } from './kafka/throughput.ts'
import { drawn, HEADING, type Line } from './line.ts'
import { SNAPSHOTS, snapshots } from './snapshots.ts'
import { AS_OF, asOf, scan } from './tables.ts'
import { updates } from './updates.ts'
import { lateOne, memory, STARTS, starts } from './special.ts'

const OF_TOPICS = [...Object.keys(THROUGHPUT), ...Object.keys(LATENCY)]
const NAMES = [
  ...CASES.map(({ name }) => name),
  'memory',
  'late-one',
  'scan',
  ...AS_OF,
  'updates',
  ...SNAPSHOTS,
  ...STARTS,
  ...OF_TOPICS,
  ...COMPARISONS,
]

const USAGE = `npm run bench -- [--case NAME]... [--events N] [--runs N] [--json FILE] [--smoke]

Times our runs against loops written by hand, on the same events, in turn, each in a process of its
own, and prints the ratio of the medians: below 1 we are faster. Topics are read from a real broker,
by us and by a consumer that does nothing with the records, or followed to see how late we are. What only runs when it is named:
${ON_REQUEST.join(', ')}.
Ends with 1 if a table of ours is not the one that it has to be, and with 2 if it is asked for what
it does not know.

  --case NAME   only this case, may be repeated: ${NAMES.join(', ')}
  --events N    events per feed, 1,000,000 unless given
  --runs N      runs of each, 5 unless given
  --json FILE   keeps every figure of every run
  --smoke       a fiftieth of the events and of the batches, one run each
`

const FEEDS = fileURLToPath(new URL('../../.cache/bench', import.meta.url))

type Asked = Extent & { readonly isChosen: (name: string) => boolean; readonly json: string | null }

/** What the command line asks for; null for help. @throws Error if it cannot be understood */
function asked(): Asked | null {
  const { values } = parseArgs({
    options: {
      case: { type: 'string', multiple: true, default: [] },
      events: { type: 'string' },
      runs: { type: 'string' },
      json: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const unknown = values.case.filter((name) => !NAMES.includes(name))
  if (unknown.length > 0) {
    throw new Error(`there is no case ${unknown.join(', ')}; there are ${NAMES.join(', ')}`)
  }
  return {
    feeds: FEEDS,
    events: positive('events', values.events ?? (values.smoke ? '20000' : '1000000'), 100),
    runs: positive('runs', values.runs ?? (values.smoke ? '1' : '5'), 1),
    // A batch must not swallow the whole feed, or nothing is ever merged with what is stored.
    batch: values.smoke ? 1000 : null,
    isChosen: (name) =>
      values.case.length === 0 ? !ON_REQUEST.includes(name) : values.case.includes(name),
    json: values.json ?? null,
  }
}

function positive(name: string, text: string, least: number): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new Error(`--${name} has to be an integer of at least ${least}, and is "${text}"`)
}

/** Every case that is asked for; the ones that found our table wrong are told at the end. */
async function bench({ isChosen, json, ...extent }: Asked): Promise<boolean> {
  const lines: Line[] = []
  const wrong: unknown[] = []
  const attempt = async (work: () => Promise<readonly Line[]>) => {
    try {
      for (const line of await work()) {
        lines.push(line)
        say(drawn(line))
      }
    } catch (error) {
      wrong.push(error)
      say(`WRONG ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  say(`${extent.events} events, ${extent.runs} runs each, ${machine()}`)
  say(HEADING)
  for (const each of CASES.filter(({ name }) => isChosen(name))) {
    await attempt(async () => [await compare(each, extent)])
  }
  if (isChosen('memory')) await attempt(async () => [await memory(extent)])
  if (isChosen('late-one')) await attempt(async () => [await lateOne(extent)])
  if (isChosen('scan')) await attempt(async () => [await scan(extent)])
  if (AS_OF.some(isChosen)) await attempt(() => asOf(extent, isChosen))
  if (isChosen('updates')) await attempt(async () => [await updates(extent)])
  if (SNAPSHOTS.some(isChosen)) await attempt(() => snapshots(extent, isChosen))
  if (STARTS.some(isChosen)) await attempt(() => starts(extent, isChosen))
  if (OF_TOPICS.some(isChosen) && !(await lacks('broker'))) {
    const isAny = (cases: object) => Object.keys(cases).some(isChosen)
    if (isAny(THROUGHPUT)) await attempt(() => throughput(extent, isChosen))
    if (isAny(LATENCY)) await attempt(() => latency(extent, isChosen))
  }
  for (const name of COMPARISONS.filter(isChosen)) await attempt(() => comparisons(name, extent))
  if (json !== null) {
    const { events, runs } = extent
    writeFileSync(json, JSON.stringify({ machine: machine(), events, runs, lines }, null, 2))
  }
  return wrong.length === 0
}

function machine(): string {
  const memoryGb = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${memoryGb} GiB, Node ${process.version}`
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

try {
  const wanted = asked()
  if (wanted === null) say(USAGE)
  else if (!(await bench(wanted))) process.exitCode = 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
