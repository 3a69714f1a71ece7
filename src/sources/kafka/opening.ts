import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamName } from '../../ports/source.ts'
import { beginningsOf } from './beginning.ts'
import { CODES } from './api.ts'
import type { Cluster } from './cluster.ts'
import { fetchApi } from './fetch-api.ts'
import { checkBounds, checkRemembered, checkTopicId, nameOf } from './guards.ts'
import { Transient } from './kafka-faults.ts'
import { boundsOf } from './offsets.ts'
import type { Bounds, Led } from './bounds.ts'
import type { KafkaOptions, StartPosition } from './options.ts'
import type { Position } from './partition.ts'
import { recordOf } from './remembered.ts'
import type { RememberedRecord } from './remembered.ts'
import { visibleRecords } from './visible-records.ts'

/** A partition to be read, and where it was left, if ever. */
export type ToOpen = Led & {
  readonly topicId: string | null
  readonly position: Position | null
  /** Where it begins if it was never read. */
  readonly start: StartPosition
}

/** Where a partition is to be read from, and what lies there. */
export type Opened = { readonly position: Position; readonly bounds: Bounds; readonly of: ToOpen }

/** What opening needs to know. */
export type OpeningOptions = Pick<KafkaOptions, 'isolation' | 'codecs' | 'retry'> & {
  readonly mode: 'bounded' | 'continuous'
}

/** A broker that has just begun to lead may know of too few records for a moment. */
const LOOKS_AT_END = 3

const PROBE_BYTES = 1024 * 1024

/**
 * Finds where to read partitions from, and makes sure that it is where they were left: every
 * record that is not applied yet has to be there, and the log has to be the same one.
 *
 * @throws TidemarkError `DATA_LOST`, `TOPIC_RECREATED`, `TOPIC_RECREATED_OR_TRUNCATED`, `SPEC_INVALID`
 */
export async function openPartitions(
  cluster: Cluster,
  partitions: readonly ToOpen[],
  options: OpeningOptions,
): Promise<readonly Opened[]> {
  const bounds = await settledBounds(cluster, partitions, options)
  const opened: Opened[] = []
  for (const each of partitions) {
    if (each.position === null) continue
    const there = boundsAt(bounds, each.stream)
    checkPosition(each, each.position, there)
    if (!isIdle(each, each.position, there, options))
      await checkLastRecord(cluster, each, { low: there.low, codecs: options.codecs })
    const { stream, next, remembered } = each.position
    const topicId = each.topicId ?? remembered.topicId
    const position = { stream, next, remembered: { ...remembered, topicId } }
    opened.push({ position, bounds: there, of: each })
  }
  const fresh = partitions.filter(({ position }) => position === null)
  return [...opened, ...(await begun(cluster, fresh, bounds, options))]
}

/** Whether nothing is to be read of what is known to be the same topic: then there is no need to look closer. */
function isIdle(
  { topicId }: ToOpen,
  { next, remembered }: Position,
  { stable }: Bounds,
  { mode }: OpeningOptions,
): boolean {
  const isSameTopic = topicId !== null && remembered.topicId === topicId
  return mode === 'bounded' && isSameTopic && stable <= next
}

async function begun(
  cluster: Cluster,
  fresh: readonly ToOpen[],
  bounds: ReadonlyMap<string, Bounds>,
  { isolation }: OpeningOptions,
): Promise<readonly Opened[]> {
  const opened: Opened[] = []
  for (const start of new Set(fresh.map((each) => each.start))) {
    const alike = fresh.filter((each) => each.start === start)
    const beginnings = await beginningsOf(cluster, alike, bounds, { start, isolation })
    for (const each of alike) {
      const { stream, topicId } = each
      const next = beginnings.get(nameOf(stream)) ?? 0
      const position = { stream, next, remembered: { topicId, record: null } }
      opened.push({ position, bounds: boundsAt(bounds, stream), of: each })
    }
  }
  return opened
}

async function settledBounds(
  cluster: Cluster,
  partitions: readonly ToOpen[],
  { isolation, retry }: OpeningOptions,
): Promise<ReadonlyMap<string, Bounds>> {
  for (let looks = 1; ; looks++) {
    const bounds = await boundsOf(cluster, partitions, isolation)
    const endsTooSoon = partitions.some(
      ({ stream, position }) => position !== null && boundsAt(bounds, stream).end < position.next,
    )
    if (!endsTooSoon || looks === LOOKS_AT_END) return bounds
    await sleep(retry.firstDelayMs)
  }
}

function checkPosition(
  { stream, topicId }: ToOpen,
  { next, remembered }: Position,
  bounds: Bounds,
): void {
  // A log that is too short says so whatever its id, since that is what can be seen.
  if (bounds.end >= next) checkTopicId(stream, remembered.topicId, topicId)
  checkBounds(stream, next, bounds)
}

async function checkLastRecord(
  cluster: Cluster,
  { stream, leader, topicId, position }: ToOpen,
  { low, codecs }: { readonly low: number } & Pick<OpeningOptions, 'codecs'>,
): Promise<void> {
  const before = position?.remembered.record ?? null
  if (before === null || before.offset < low) return
  const { offset } = before
  const wanted = [
    { topic: stream.name, topicId, partition: stream.partition, offset, maxBytes: PROBE_BYTES },
  ]
  const { fault, partitions } = await cluster.send(leader, fetchApi(wanted), {
    // Whether it was given up since does not matter: what counts is that it is the same record.
    isolation: 'read_uncommitted',
    maxWaitMs: 0,
    maxBytes: PROBE_BYTES,
    partitions: wanted,
  })
  const [fetched] = partitions
  const code = fetched?.fault ?? fault
  if (fetched === undefined || code !== CODES.NONE) {
    throw new Transient(`${nameOf(stream)} cannot be read at ${offset} (error ${code})`)
  }
  checkRemembered(stream, before, await recordAt(stream, offset, fetched.records, codecs))
}

async function recordAt(
  stream: StreamName,
  offset: number,
  records: Buffer,
  codecs: OpeningOptions['codecs'],
): Promise<RememberedRecord | null> {
  const window = { stream, from: offset, until: offset + 1, aborted: [] }
  const { messages } = await visibleRecords(records, window, codecs)
  const [message] = messages
  return message === undefined ? null : recordOf(message)
}

function boundsAt(bounds: ReadonlyMap<string, Bounds>, stream: StreamName): Bounds {
  const there = bounds.get(nameOf(stream))
  if (there === undefined) throw new Transient(`${nameOf(stream)} has no offsets now`)
  return there
}
