import fc from 'fast-check'
import type { FeedMessage } from '../models/feed.ts'

/** Which partition is read next, how many of its messages, and whether the process ends after them. */
export type Turn = {
  readonly partition: number
  readonly count: number
  readonly ends: boolean
  readonly commits: boolean
}

/** The partitions of a topic in any turns, each in order. */
export const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    partition: fc.nat({ max: 2 }),
    count: fc.integer({ min: 1, max: 3 }),
    ends: fc.boolean(),
    commits: fc.boolean(),
  }),
  { minLength: 3, maxLength: 12 },
)

/** A batch, and whether the process ends after it. */
export type TurnBatch = { readonly batch: readonly FeedMessage[]; readonly ends: boolean }

/** All messages, each partition in order, in the turns that were drawn and then as they are left. */
export function batchesOf(
  messages: readonly FeedMessage[],
  taken: readonly Turn[],
): readonly TurnBatch[] {
  const rest = [0, 1, 2].map((partition) =>
    messages.filter((message) => message.partition === partition),
  )
  const batches: TurnBatch[] = []
  let batch: FeedMessage[] = []
  for (const { partition, count, commits, ends } of taken) {
    batch.push(...(rest[partition]?.splice(0, count) ?? []))
    if (!commits || batch.length === 0) continue
    batches.push({ batch, ends })
    batch = []
  }
  batches.push({ batch: [...batch, ...rest.flat()], ends: false })
  return batches.filter((each) => each.batch.length > 0)
}
