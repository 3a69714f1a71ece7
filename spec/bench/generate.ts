import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'

/** A feed to measure with: events of 10 columns in NDJSON, the same for the same description. */
export type FeedSpec = {
  readonly events: number
  readonly keys: 'random' | 'ascending' | 'hot'
  /** How many keys random ones are drawn from. */
  readonly keyCount: number
  /** Share of the events that come late, by up to half the feed. */
  readonly late: number
  /** Whether an event carries 3 of its 8 values only, the others null. */
  readonly sparse: boolean
}

/** What is known of a generated feed. */
export type Feed = { readonly file: string }

/** Writes the feed into `folder` unless it is there already. */
export async function generate(folder: string, spec: FeedSpec): Promise<Feed> {
  mkdirSync(folder, { recursive: true })
  const { events, keys, keyCount, late, sparse } = spec
  const name = `${events}-${keys}-${keyCount}-${late}${sparse ? '-sparse' : ''}.ndjson`
  const file = join(folder, name)
  if (existsSync(file)) return { file }

  const random = randomOf(20260101)
  const order = sequences(events, late, random)
  const out = createWriteStream(`${file}.part`)
  let text = ''
  for (const [i, seq] of order.entries()) {
    text += `${event(keyOf(spec, i, random), seq, { random, sparse })}\n`
    if (text.length < 1 << 20) continue
    if (!out.write(text)) await once(out, 'drain')
    text = ''
  }
  out.end(text)
  await once(out, 'finish')
  renameSync(`${file}.part`, file)
  return { file }
}

/** A small, fast generator of numbers in [0, 1), so that feeds are the same on every machine. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return state / 0x80000000
  }
}

/** The sequence of each event in order of arrival. */
function sequences(events: number, late: number, random: () => number): Uint32Array {
  const order = Uint32Array.from({ length: events }, (_, i) => i + 1)
  if (late === 0) return order
  const arrival = Float64Array.from(order, (seq) =>
    random() < late ? seq + random() * (events / 2) : seq,
  )
  return order.toSorted((a, b) => (arrival[a - 1] ?? 0) - (arrival[b - 1] ?? 0))
}

function keyOf({ keys, keyCount }: FeedSpec, i: number, random: () => number): number {
  if (keys === 'ascending') return i
  // Nine events of ten go to a hundredth of the keys.
  const range = keys === 'hot' && random() < 0.9 ? Math.max(1, keyCount / 100) : keyCount
  return Math.floor(random() * range)
}

function event(
  id: number,
  seq: number,
  { random, sparse }: { random: () => number; sparse: boolean },
): string {
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
  const names = Object.keys(values)
  const start = Math.floor(random() * names.length)
  if (sparse) {
    for (const [i, column] of names.entries()) {
      if ((i - start + names.length) % names.length >= 3) values[column] = null
    }
  }
  const op = random() < 0.03 ? 'D' : 'U'
  return JSON.stringify({ id, seq, op, ...values })
}
