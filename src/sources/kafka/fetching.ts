import { TidemarkError } from '../../core/errors.ts'
import { CODES, isForbidden } from './api.ts'
import type { Cluster } from './cluster.ts'
import { fetchApi } from './fetch-api.ts'
import type { FetchedPartition, FetchFrom } from './fetch-api.ts'
import { checkBounds, nameOf } from './guards.ts'
import { Transient } from './kafka-faults.ts'
import type { KafkaOptions } from './options.ts'
import type { Chunk, Partition } from './partition.ts'
import { BrokenBatch } from './record-batch.ts'
import { visibleRecords } from './visible-records.ts'

/** What became of one partition of a fetch. */
export type Outcome =
  | { readonly kind: 'chunk'; readonly chunk: Chunk }
  | { readonly kind: 'nothing'; readonly partition: Partition }
  | {
      readonly kind: 'failure'
      readonly partition: Partition
      readonly error: Error
      readonly cause: 'outage' | 'damage'
    }

/** What fetching needs to know. */
export type FetchingOptions = Pick<KafkaOptions, 'isolation' | 'codecs'> & {
  /** How long a broker may wait for something to come, in milliseconds. */
  readonly maxWaitMs: number
}

const LARGEST_ANSWER = 16 * 1024 * 1024
const LARGEST_FETCH = 512 * 1024 * 1024

/** So many answers in a row without anything, and there is nothing. */
const EMPTY_ANSWERS = 2

/**
 * Fetches once from the broker that leads these partitions, and moves each of them on.
 *
 * @throws TidemarkError `CODEC_MISSING`, `DATA_LOST`, `SOURCE_UNAVAILABLE` for a topic that may not be read
 */
export async function fetchOnce(
  cluster: Cluster,
  leader: number,
  partitions: readonly Partition[],
  options: FetchingOptions,
): Promise<readonly Outcome[]> {
  // Only the first one is sure to get what there is, whatever the limits.
  const inOrder = partitions.toSorted((a, b) => b.emptyAnswers - a.emptyAnswers)
  const wanted = inOrder.map(fetchFrom)
  const { isolation, maxWaitMs } = options
  const request = { isolation, maxWaitMs, maxBytes: LARGEST_ANSWER, partitions: wanted }
  const answer = await cluster.send(leader, fetchApi(wanted), request)
  if (answer.fault !== CODES.NONE) throw new Transient(`fetching failed (error ${answer.fault})`)

  const outcomes: Outcome[] = []
  for (const fetched of answer.partitions) {
    const partition = inOrder.find((each) => isOf(fetched, each))
    if (partition === undefined || partition.isGone) continue
    outcomes.push(
      await outcomeOf(partition, fetched, { ...options, isFirst: partition === inOrder[0] }),
    )
  }
  return outcomes
}

async function outcomeOf(
  partition: Partition,
  fetched: FetchedPartition,
  { isolation, codecs, isFirst }: FetchingOptions & { readonly isFirst: boolean },
): Promise<Outcome> {
  const { stream, fetchAt, goal } = partition
  checkAllowed(partition, fetched.fault)
  if (fetched.fault !== CODES.NONE) {
    const error = new Transient(reasonOf(fetched.fault))
    const cause = fetched.fault === CODES.CORRUPT_MESSAGE ? 'damage' : 'outage'
    return { kind: 'failure', partition, error, cause }
  }
  const { highWatermark, lastStableOffset, logStart, records, aborted } = fetched
  if (logStart > fetchAt) checkBounds(stream, fetchAt, { low: logStart, end: Infinity })
  partition.stable = isolation === 'read_committed' ? lastStableOffset : highWatermark

  try {
    const given = isolation === 'read_committed' ? aborted : []
    const window = { stream, from: fetchAt, until: goal, aborted: given }
    const { messages, next } = await visibleRecords(records, window, codecs)
    if (next > fetchAt) return moved(partition, { partition, messages, next })
  } catch (error) {
    if (!(error instanceof BrokenBatch)) throw error
    return { kind: 'failure', partition, error, cause: 'damage' }
  }
  return stayed(partition, { bytes: records.length, isFirst })
}

function moved(partition: Partition, chunk: Chunk): Outcome {
  partition.fetchAt = chunk.next
  partition.emptyAnswers = 0
  return { kind: 'chunk', chunk }
}

/** Nothing came. Where something should have, it is a gap that compaction left at the end of the log. */
function stayed(
  partition: Partition,
  { bytes, isFirst }: { readonly bytes: number; readonly isFirst: boolean },
): Outcome {
  const { fetchAt, stable, goal } = partition
  if (bytes > 0) {
    // Less than one batch.
    partition.emptyAnswers = 1
    partition.fetchBytes = Math.min(2 * partition.fetchBytes, LARGEST_FETCH)
    return { kind: 'nothing', partition }
  }
  if (stable <= fetchAt) {
    partition.emptyAnswers = 0
    return { kind: 'nothing', partition }
  }
  partition.emptyAnswers = isFirst
    ? partition.emptyAnswers + 1
    : Math.max(partition.emptyAnswers, 1)
  if (partition.emptyAnswers <= EMPTY_ANSWERS) return { kind: 'nothing', partition }
  return moved(partition, { partition, messages: [], next: Math.min(stable, goal) })
}

function checkAllowed({ stream }: Partition, fault: number): void {
  if (!isForbidden(fault)) return
  throw new TidemarkError('SOURCE_UNAVAILABLE', `this user may not read ${nameOf(stream)}`, {
    topic: stream.name,
    partition: stream.partition,
  })
}

function fetchFrom({ stream, topicId, fetchAt, fetchBytes }: Partition): FetchFrom {
  const { name, partition } = stream
  return { topic: name, topicId, partition, offset: fetchAt, maxBytes: fetchBytes }
}

function isOf({ topic, partition }: FetchedPartition, { stream, topicId }: Partition): boolean {
  return partition === stream.partition && (topic === stream.name || topic === topicId)
}

function reasonOf(fault: number): string {
  const known = Object.entries(CODES).find(([, code]) => code === fault)?.[0]
  return `the broker answers with error ${fault}${known === undefined ? '' : ` (${known})`}`
}
