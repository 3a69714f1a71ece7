import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { CASES, type Case } from './cases.ts'
import { generate } from './generate.ts'
import { lateShareOf, loop, median, ours, tallyOf, writeFlow, type Measured } from './measure.ts'
import { lateOne, memory, starts, type Line } from './special.ts'

const USAGE = `npm run bench -- [--case NAME] [--events N] [--runs N] [--json FILE] [--smoke]

Times our runs against loops written by hand, on the same files, in turn, each in a process of its
own, and prints the ratio of the medians. Fails where a run and a loop that must agree do not.
`

const FEEDS = fileURLToPath(new URL('../../.cache/bench', import.meta.url))

const { values } = parseArgs({
  options: {
    case: { type: 'string' },
    events: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '3' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(USAGE)
else
  await bench(values.smoke ? 20_000 : Number(values.events), values.smoke ? 1 : Number(values.runs))

async function bench(events: number, runs: number): Promise<void> {
  const chosen = (name: string) => values.case === undefined || values.case === name
  const lines: Line[] = []
  const tell = (line: Line) => {
    lines.push(line)
    console.log(drawn(line))
  }
  for (const each of CASES.filter(({ name }) => chosen(name)))
    tell(await compare(each, events, runs))
  if (chosen('memory')) tell(await memory(FEEDS, events))
  if (chosen('late-one')) for (const line of await lateOne(events / 10)) tell(line)
  if (chosen('starts')) for (const line of await starts(FEEDS, events, runs)) tell(line)
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(lines, null, 2))
}

/** Ours and the other in turn, and whether their tables agree where they must. */
async function compare(each: Case, events: number, runs: number): Promise<Line> {
  const { file } = await generate(FEEDS, each.feed(events))
  const mine: Measured[] = []
  const other: Measured[] = []
  let note = ''
  for (let run = 0; run < runs; run += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
    try {
      mine.push(await ours('run', writeFlow(folder, file, each.flow, each.batch)))
      note = noteOf(each, join(folder, 'ours.db'))
      other.push(await against(each, file, folder))
      const last = other.at(-1)
      if (each.agrees && last !== undefined) agree(each, join(folder, 'ours.db'), last)
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  const seconds = median(mine.map((one) => one.seconds))
  const base = median(other.map((one) => one.seconds))
  return {
    name: each.name,
    question: each.question,
    against: each.against,
    seconds,
    base,
    ratio: seconds / base,
    aim: each.aim,
    peakMb: Math.max(...mine.map(({ peakMb }) => peakMb)),
    note,
  }
}

async function against(each: Case, file: string, folder: string): Promise<Measured> {
  if (each.against === 'scd1 loop') return loop('scd1', file, join(folder, 'loop.db'))
  if (each.against === 'scd2 loop') return loop('scd2', file, join(folder, 'loop.db'))
  const inner = mkdtempSync(join(folder, 'scd2-'))
  return ours('run', writeFlow(inner, file, { stored_as_scd_type: 2 }, each.batch))
}

function agree(each: Case, store: string, { rows, qty, past }: Measured): void {
  const isHistory = each.flow['stored_as_scd_type'] === 2
  const mine = tallyOf(store, isHistory ? '__END_AT IS NULL' : 'true')
  const all = (rows ?? 0) + (isHistory ? (past ?? 0) : 0)
  if (mine.rows === rows && mine.qty === qty && mine.all <= all) return
  throw new Error(
    `${each.name}: ours ${JSON.stringify(mine)}, the loop ${rows} rows, ${qty} qty, ${past} past`,
  )
}

function noteOf(each: Case, store: string): string {
  if (each.flow['stored_as_scd_type'] === 'bitemporal') {
    return `${tallyOf(store, '__SYSTEM_END_AT IS NULL').all} rectangles`
  }
  const share = lateShareOf(store)
  return share === 0 ? '' : `${(share * 100).toFixed(1)} % late for their key`
}

function drawn({ name, seconds, base, ratio, aim, peakMb, against: other, note }: Line): string {
  const figures = `${seconds.toFixed(2)} s to ${base.toFixed(2)} s (${other})`
  const target = aim === null ? '' : `, aim ${aim}`
  const memoryText = peakMb === null ? '' : `, peak ${Math.round(peakMb)} MB`
  return `${name.padEnd(14)} ratio ${ratio.toFixed(2)}${target}: ${figures}${memoryText}${note === '' ? '' : `, ${note}`}`
}
