import { once } from 'node:events'
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { randomOf } from './random-of.ts'

/** A feed to measure with: events of 10 columns in NDJSON, the same for the same description. */
export type FeedSpec = {
  readonly events: number
  readonly keys: 'random' | 'ascending' | 'hot'
  /** How many keys random ones are drawn from. */
  readonly keyCount: number
  /** Share of the events that come late, by up to half the feed: the same events, in another order. */
  readonly late: number
  /** Whether an event carries 3 of its 8 values only, the others null. */
  readonly sparse: boolean
}

/** What a generated feed really holds, counted while it was written. */
export type Feed = {
  readonly file: string
  readonly events: number
  /** Keys that occur. */
  readonly keys: number
  readonly deletes: number
  /** Share of the events that come after a later one of their key. */
  readonly lateShare: number
}

/** Part of the name of every feed: another number whenever the same description means another text. */
const EDITION = 2

const SEED = 20260101
const HOT_KEYS = 100

/** Writes the feed into `folder` unless it is there already. */
export async function generate(folder: string, spec: FeedSpec): Promise<Feed> {
  mkdirSync(folder, { recursive: true })
  const { events, keys, keyCount, late, sparse } = spec
  const name = `v${EDITION}-${events}-${keys}-${keyCount}-${late}${sparse ? '-sparse' : ''}`
  const file = join(folder, `${name}.ndjson`)
  const facts = join(folder, `${name}.json`)
  if (existsSync(facts)) {
    return { ...(JSON.parse(readFileSync(facts, 'utf8')) as Omit<Feed, 'file'>), file }
  }

  const out = createWriteStream(`${file}.part`)
  const newest = new Map<number, number>()
  let deletes = 0
  let lateEvents = 0
  let text = ''
  for (const seq of arrivals(events, late)) {
    const event = eventOf(spec, seq)
    const before = newest.get(event.id) ?? 0
    if (seq < before) lateEvents += 1
    else newest.set(event.id, seq)
    if (event.op === 'D') deletes += 1

    text += `${JSON.stringify(event)}\n`
    if (text.length < 1 << 20) continue
    if (!out.write(text)) await once(out, 'drain')
    text = ''
  }
  out.end(text)
  await once(out, 'finish')
  renameSync(`${file}.part`, file)

  const found = { events, keys: newest.size, deletes, lateShare: lateEvents / events }
  writeFileSync(facts, JSON.stringify(found))
  return { ...found, file }
}

/** An event of a feed: what it says depends on its sequence alone, not on when it arrives. */
export function eventOf(spec: FeedSpec, seq: number): Readonly<Record<string, unknown>> & Head {
  const random = randomOf(SEED ^ Math.imul(seq, 0x9e3779b1))
  const id = keyOf(spec, seq, random)
  const op = random() < 0.03 ? 'D' : 'U'
  const values: Record<string, unknown> = {
    name: `name ${Math.floor(random() * 1e6)}`,
    city: `city ${Math.floor(random() * 1e3)}`,
    email: `user${seq}@example.com`,
    amount: Math.floor(random() * 1e5) / 100,
    qty: Math.floor(random() * 100),
    active: random() < 0.5,
    note: random() < 0.5 ? null : 'some words of note',
    rank: Math.floor(random() * 1e4),
  }
  if (spec.sparse) {
    const names = Object.keys(values)
    const start = Math.floor(random() * names.length)
    for (const [i, column] of names.entries()) {
      if ((i - start + names.length) % names.length >= 3) values[column] = null
    }
  }
  return { id, seq, op, ...values }
}

type Head = { readonly id: number; readonly seq: number; readonly op: 'U' | 'D' }

/** The sequence of each event in order of arrival: 1 to `events`, a share of them late. */
export function arrivals(events: number, late: number): Uint32Array {
  const order = Uint32Array.from({ length: events }, (_, i) => i + 1)
  if (late === 0) return order
  const random = randomOf(SEED)
  const arrival = Float64Array.from(order, (seq) =>
    random() < late ? seq + random() * (events / 2) : seq,
  )
  return order.toSorted((a, b) => (arrival[a - 1] ?? 0) - (arrival[b - 1] ?? 0))
}

function keyOf({ keys, keyCount }: FeedSpec, seq: number, random: () => number): number {
  if (keys === 'ascending') return seq
  // Nine events of ten go to a few keys.
  const range = keys === 'hot' && random() < 0.9 ? Math.min(HOT_KEYS, keyCount) : keyCount
  return Math.floor(random() * range)
}
