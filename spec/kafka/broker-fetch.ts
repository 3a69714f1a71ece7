import type { Call } from './broker-call.ts'
import { ERROR_CODES } from './broker-errors.ts'
import type { BrokerScript } from './broker-script.ts'
import { abortedIn, batchesFor, encoded } from './scripted-topics.ts'
import type { AbortedTransaction, FetchRequest } from './scripted-topics.ts'
import type { WireReader, WireWriter } from './wire-bytes.ts'

/** A topic by its name, and by the bytes of its id where the version asks by id. */
type Named = { readonly topic: string; readonly id: Buffer | null }

type Asked = FetchRequest & Named & { readonly partition: number }

type AskedTopic = Named & { readonly partitions: readonly Asked[] }

type Served = {
  readonly partition: number
  readonly error: number
  readonly high: bigint
  readonly lso: bigint
  readonly low: bigint
  readonly aborted: readonly AbortedTransaction[]
  readonly records: Buffer
}

type ServedTopic = Named & { readonly partitions: readonly Served[] }

const WITH_LAST_EPOCH = 12
const BY_TOPIC_ID = 13

/**
 * Answers a fetch in the versions 11 to 13. One that finds neither a record nor an error waits as long
 * as it allows for a change of the script.
 */
export async function answerFetch({ reader, body, version, script, asked }: Call): Promise<void> {
  reader.int32()
  const maxWaitMs = reader.int32()
  reader.int32()
  reader.int32()
  const isolation = reader.int8() === 1 ? 'read_committed' : 'read_uncommitted'
  reader.int32()
  reader.int32()
  const topics = reader.list((): AskedTopic => {
    const named = readTopic(reader, version, script)
    const partitions = reader.list((): Asked => ({
      ...readPartition(reader, version),
      ...named,
      isolation,
    }))
    reader.end()
    return { ...named, partitions }
  })

  const words = topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset }) => `${topic}:${partition}@${offset}`),
  )
  asked(...words)

  const deadline = performance.now() + maxWaitMs
  let served = serveAll(script, topics)
  while (served.every(isIdle)) {
    const left = deadline - performance.now()
    if (left <= 0) break
    await script.change(left)
    served = serveAll(script, topics)
  }

  body.int32(0).int16(0).int32(0)
  body.list(served, ({ topic, id, partitions }) => {
    if (id === null) body.string(topic)
    else body.raw(id)
    body.list(partitions, (partition) => writePartition(body, partition)).end()
  })
  body.end()
}

function readTopic(reader: WireReader, version: number, script: BrokerScript): Named {
  if (version < BY_TOPIC_ID) return { topic: reader.string(), id: null }
  const id = reader.raw(16)
  const found = [...script.topics].find(([, topic]) => topic.id.equals(id))
  return { topic: found?.[0] ?? '', id }
}

function readPartition(
  reader: WireReader,
  version: number,
): { partition: number; offset: bigint; maxBytes: number } {
  const partition = reader.int32()
  reader.int32()
  const offset = reader.int64()
  if (version >= WITH_LAST_EPOCH) reader.int32()
  reader.int64()
  const maxBytes = reader.int32()
  reader.end()
  return { partition, offset, maxBytes }
}

function serveAll(script: BrokerScript, topics: readonly AskedTopic[]): readonly ServedTopic[] {
  return topics.map((asked) => ({
    ...asked,
    partitions: asked.partitions.map((partition) => serve(script, partition)),
  }))
}

function isIdle({ partitions }: ServedTopic): boolean {
  return partitions.every(({ error, records }) => error === 0 && records.length === 0)
}

function serve(script: BrokerScript, asked: Asked): Served {
  const { topic, id, partition } = asked
  const nothing = {
    partition,
    aborted: [],
    records: Buffer.alloc(0),
    high: -1n,
    lso: -1n,
    low: -1n,
  }
  const failure = script.failureOf('Fetch', topic, partition)
  if (failure !== 0) return { ...nothing, error: failure }
  if (id !== null && topic === '') return { ...nothing, error: ERROR_CODES.UNKNOWN_TOPIC_ID }

  const found = script.partition(topic, partition)
  if (found === undefined) return { ...nothing, error: ERROR_CODES.UNKNOWN_TOPIC_OR_PARTITION }
  if (asked.offset < found.low || asked.offset > found.high) {
    return { ...nothing, error: ERROR_CODES.OFFSET_OUT_OF_RANGE }
  }

  const batches = batchesFor(found, asked)
  const committed = asked.isolation === 'read_committed'
  return {
    partition,
    error: 0,
    high: found.high,
    lso: found.lso,
    low: found.low,
    aborted: committed ? abortedIn(found, asked.offset, batches) : [],
    records: Buffer.concat(batches.map(encoded)),
  }
}

function writePartition(body: WireWriter, served: Served): void {
  body.int32(served.partition).int16(served.error)
  body.int64(served.high).int64(served.lso).int64(served.low)
  body.list(served.aborted, ({ producer, first }) => body.int64(producer).int64(first).end())
  body.int32(-1).blob(served.records).end()
}
