import type { Api } from './api.ts'
import { ISOLATION_NUMBERS } from './list-offsets-api.ts'
import type { Isolation } from './list-offsets-api.ts'
import type { WireReader } from './wire-reader.ts'

/** From this version on topics are named by their id. */
const BY_ID = 13

/** Records to fetch from one broker. */
export type FetchRequest = {
  readonly isolation: Isolation
  /** How long the broker may wait for the first byte, in milliseconds. */
  readonly maxWaitMs: number
  readonly maxBytes: number
  /** The first one that has records gives at least one batch, whatever the limits. */
  readonly partitions: readonly FetchFrom[]
}

/** From where to fetch. */
export type FetchFrom = {
  readonly topic: string
  readonly topicId: string | null
  readonly partition: number
  readonly offset: number
  readonly maxBytes: number
}

/** What came from one partition. */
export type FetchedPartition = {
  /** Name of the topic, or its id, as the version has it. */
  readonly topic: string
  readonly partition: number
  /** An error code of the protocol. */
  readonly fault: number
  readonly highWatermark: number
  readonly lastStableOffset: number
  /** -1 from brokers that do not tell. */
  readonly logStart: number
  readonly aborted: readonly AbortedTransaction[]
  /** Batches of records, the last one maybe cut short. */
  readonly records: Buffer
}

/** A transaction that was given up, and where it began in this partition. */
export type AbortedTransaction = { readonly producerId: number; readonly firstOffset: number }

/** What was fetched; the fault is that of the whole request. */
export type Fetched = { readonly fault: number; readonly partitions: readonly FetchedPartition[] }

/**
 * The way to fetch these partitions: by the ids of their topics where those are known and the
 * broker can, so that a topic made anew is never taken for the one before; else by name.
 */
export function fetchApi(partitions: readonly FetchFrom[]): Api<FetchRequest, Fetched> {
  return partitions.every(({ topicId }) => topicId !== null) ? BY_ID_OR_NAME : BY_NAME
}

const BY_ID_OR_NAME: Api<FetchRequest, Fetched> = {
  key: 1,
  name: 'Fetch',
  versions: [13, 11, 10, 9, 8, 7, 6, 5, 4],
  flexibleFrom: 12,
  write(body, version, { isolation, maxWaitMs, maxBytes, partitions }) {
    body.int32(-1).int32(maxWaitMs).int32(1).int32(maxBytes).int8(ISOLATION_NUMBERS[isolation])
    if (version >= 7) body.int32(0).int32(-1)
    // One entry per partition, since the order matters and a topic may come twice.
    body.list(partitions, ({ topic, topicId, partition, offset, maxBytes: most }) => {
      if (version >= BY_ID) body.uuid(topicId ?? '')
      else body.text(topic)
      body.list([partition], () => {
        body.int32(partition)
        if (version >= 9) body.int32(-1)
        body.int64(offset)
        if (version >= 12) body.int32(-1)
        if (version >= 5) body.int64(-1)
        body.int32(most).end()
      })
      body.end()
    })
    if (version >= 7) body.list([], () => undefined)
    if (version >= 11) body.text('')
    body.end()
  },
  read(body, version) {
    const throttleMs = body.int32()
    const fault = version >= 7 ? body.int16() : 0
    if (version >= 7) body.int32()
    const partitions = body.list(() => {
      const topic = version >= BY_ID ? body.uuid() : (body.text() ?? '')
      const read = body.list(() => readPartition(body, version, topic))
      body.end()
      return read
    })
    return { throttleMs, response: { fault, partitions: partitions.flat() } }
  },
}

const BY_NAME: Api<FetchRequest, Fetched> = {
  ...BY_ID_OR_NAME,
  versions: BY_ID_OR_NAME.versions.filter((version) => version < BY_ID),
}

function readPartition(body: WireReader, version: number, topic: string): FetchedPartition {
  const partition = body.int32()
  const fault = body.int16()
  const highWatermark = body.int64()
  const lastStableOffset = body.int64()
  const logStart = version >= 5 ? body.int64() : -1
  const aborted = body.list(() => {
    const transaction = { producerId: body.int64(), firstOffset: body.int64() }
    body.end()
    return transaction
  })
  if (version >= 11) body.int32()
  const records = body.blob() ?? Buffer.alloc(0)
  body.end()
  return { topic, partition, fault, highWatermark, lastStableOffset, logStart, aborted, records }
}
