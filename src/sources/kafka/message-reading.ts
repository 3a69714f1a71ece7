import type { BatchLimits, Checkpoint } from '../../ports/source.ts'
import { BatchAssembly } from './batch-assembly.ts'
import type { MessageBatch } from './batch-assembly.ts'
import type { Cluster } from './cluster.ts'
import { Feed } from './feed.ts'
import { GroupMembership } from './group-membership.ts'
import { faultOf } from './kafka-faults.ts'
import type { KafkaOptions } from './options.ts'
import { Patience } from './patience.ts'
import { Positions } from './positions.ts'
import { TopicSelection } from './topics.ts'

/** How a reader reads: until where, and in which batches. */
export type ReadingOptions = {
  readonly mode: 'bounded' | 'continuous'
  readonly limits: BatchLimits
}

/** A batch may take so many times longer than asked while the reader is behind. */
const LONGEST_STRETCH = 16

/** A reader that waits for data looks up now and then. */
const LOOK_UP_MS = 1000

/**
 * The messages of topics from the checkpoints on, in batches that the limits cut. Not one
 * batch without a checkpoint that moved, but some without messages: where partitions hold
 * nothing but marks of transactions, given-up data or gaps.
 *
 * A bounded reading ends at the last stable offset that it saw at its start. A continuous one
 * that is behind lets batches grow: one that time would cut may take up to 16 times longer, as
 * long as more is waiting than it holds.
 *
 * @throws TidemarkError as `openKafka` says
 */
export async function* messageBatches(
  cluster: Cluster,
  options: KafkaOptions,
  after: readonly Checkpoint[],
  { mode, limits, signal }: ReadingOptions & { readonly signal: AbortSignal },
): AsyncGenerator<MessageBatch> {
  const selection = new TopicSelection(options.topics)
  const positions = new Positions(after)
  const { groupId, onNotice } = options
  const patience = new Patience(options.retry, { mode, onNotice })
  await using membership =
    groupId === null ? null : new GroupMembership(cluster, groupId, { patience, onNotice })
  const feed = new Feed(options, { cluster, selection, positions, membership, patience, mode })
  try {
    const assembly = new BatchAssembly(positions, limits)
    let stretch = 1
    for (;;) {
      const delayMs = mode === 'bounded' ? Infinity : limits.maxDelayMs * stretch
      const filled = await fill(assembly, feed, { delayMs, signal })
      if (filled === 'aborted') return
      const isBehind = filled === 'late' && feed.backlog > assembly.records
      stretch = isBehind ? Math.min(2 * stretch, LONGEST_STRETCH) : 1

      const batch = assembly.take()
      if (batch.checkpoints.length > 0) yield batch
      if (mode === 'bounded' && feed.isDone && !assembly.hasMoved) return
    }
  } catch (error) {
    throw faultOf(error)
  } finally {
    feed.close()
  }
}

/** Fills a batch; says why it stopped. */
async function fill(
  assembly: BatchAssembly,
  feed: Feed,
  { delayMs, signal }: { readonly delayMs: number; readonly signal: AbortSignal },
): Promise<'full' | 'late' | 'done' | 'aborted'> {
  let until = Infinity
  while (!signal.aborted) {
    if (assembly.isFull) return 'full'
    if (feed.isDone) return 'done'
    const now = performance.now()
    if (until === Infinity && assembly.hasMoved) until = now + delayMs
    if (now >= until) return 'late'
    assembly.add(await feed.poll(Math.min(until - now, LOOK_UP_MS), signal))
  }
  return 'aborted'
}
