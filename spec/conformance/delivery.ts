import type { BatchCase } from './case.ts'
import type { Json } from './json.ts'

/** A feed file. Names sort as the records' positions do, whatever the order of arrival. */
export type FeedFile = { readonly name: string; readonly records: readonly Json[] }

/** A way to deliver the records of a case: the files that appear before each run. */
export type Delivery = {
  /** How, in words that let a reader repeat it. */
  readonly title: string
  readonly batches: readonly (readonly FeedFile[])[]
  /** Whether the batches are those of the case, so that its checkpoints and refusal can be judged. */
  readonly cut: 'as given' | 'at random'
}

/** The batches as the case has them, one file each. */
export function inOrder({ batches }: BatchCase): Delivery {
  return {
    title: 'in order',
    batches: batches.map((records, i) => [{ name: fileName(i), records }]),
    cut: 'as given',
  }
}

/**
 * Some other orders and cuts, all different, each record in a file of its own, so that it keeps
 * its position wherever it arrives. Few records have few orders: two have three, one has one.
 *
 * A function of the case's name and the seed, whatever other cases there are.
 */
export function shuffles(testCase: BatchCase, most: number, seed: number): readonly Delivery[] {
  const records = testCase.batches.flat()
  if (records.length === 0) return []
  const random = randomFrom(`${seed} ${testCase.name}`)
  const drawn = new Map<string, Delivery>()
  // Two records have the most misses: a fourth order does not exist, and is not found in many draws.
  for (let draw = 0; drawn.size < most && draw < most * 20; draw++) {
    const cuts = cutAtRandom(shuffled(records.length, random), random)
    const order = cuts.map((cut) => cut.map((i) => i + 1).join(' ')).join(' | ')
    drawn.set(order, {
      title: `as records ${order} (seed ${seed})`,
      batches: cuts.map((cut) =>
        cut.map((i) => ({ name: fileName(i), records: records.slice(i, i + 1) })),
      ),
      cut: 'at random',
    })
  }
  return [...drawn.values()]
}

function fileName(place: number): string {
  return `${String(place + 1).padStart(6, '0')}.ndjson`
}

type Random = (below: number) => number

function shuffled(length: number, random: Random): number[] {
  const places = Array.from({ length }, (_, i) => i)
  for (let i = length - 1; i > 0; i--) {
    const [taken] = places.splice(random(i + 1), 1)
    if (taken !== undefined) places.push(taken)
  }
  return places
}

/** Cuts a list; within a batch the order is that of the places, since all its files appear at once. */
function cutAtRandom(places: readonly number[], random: Random): number[][] {
  const batches = 1 + random(Math.min(places.length, MOST_BATCHES))
  const ends = new Set<number>()
  while (ends.size < batches - 1) ends.add(1 + random(places.length - 1))
  const starts = [0, ...[...ends].sort((a, b) => a - b)]
  return starts.map((start, i) => places.slice(start, starts[i + 1]).sort((a, b) => a - b))
}

/** Enough that every small case is also delivered one record at a time; a long one need not be. */
const MOST_BATCHES = 8

/** Numbers that follow from a text: FNV-1a for the start, mulberry32 from there. */
function randomFrom(text: string): Random {
  let state = 0x811c9dc5
  for (const unit of Buffer.from(text)) state = Math.imul(state ^ unit, 0x01000193)
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
