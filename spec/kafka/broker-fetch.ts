import type { Answer, Call } from './broker-answers.ts'
import { ERROR_CODES } from './broker-errors.ts'
import type { BrokerScript } from './broker-script.ts'
import { abortedIn, batchesFor, encoded } from './scripted-topics.ts'
import type { FetchRequest } from './scripted-topics.ts'
import { WireWriter } from './wire-bytes.ts'

type Asked = FetchRequest & { readonly topic: string; readonly partition: number }

type Served = {
  readonly partition: number
  readonly error: number
  readonly high: bigint
  readonly lso: bigint
  readonly low: bigint
  readonly aborted: readonly { readonly producer: bigint; readonly first: bigint }[]
  readonly records: Buffer
}

/**
 * Answers a fetch in version 11. One that finds neither a record nor an error waits as long as it
 * allows for a change of the script.
 */
export async function answerFetch({ reader, script }: Call): Promise<Answer> {
  reader.int32()
  const maxWaitMs = reader.int32()
  reader.int32()
  reader.int32()
  const isolation = reader.int8() === 1 ? 'read_committed' : 'read_uncommitted'
  reader.int32()
  reader.int32()
  const topics = reader.list(() => {
    const topic = reader.string()
    const partitions = reader.list((): Asked => {
      const partition = reader.int32()
      reader.int32()
      const offset = reader.int64()
      reader.int64()
      return { topic, partition, offset, isolation, maxBytes: reader.int32() }
    })
    return { topic, partitions }
  })

  const deadline = performance.now() + maxWaitMs
  let served = serveAll(script, topics)
  while (served.every(isIdle)) {
    const left = deadline - performance.now()
    if (left <= 0) break
    await script.change(left)
    served = serveAll(script, topics)
  }

  const body = new WireWriter().int32(0).int16(0).int32(0)
  body.list(served, ({ topic, partitions }) =>
    body.string(topic).list(partitions, (partition) => writePartition(body, partition)),
  )
  const asked = topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset }) => `${topic}:${partition}@${offset}`),
  )
  return { body, asked }
}

type ServedTopic = { readonly topic: string; readonly partitions: readonly Served[] }

function serveAll(
  script: BrokerScript,
  topics: readonly { topic: string; partitions: readonly Asked[] }[],
): readonly ServedTopic[] {
  return topics.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map((asked) => serve(script, asked)),
  }))
}

function isIdle({ partitions }: ServedTopic): boolean {
  return partitions.every(({ error, records }) => error === 0 && records.length === 0)
}

function serve(script: BrokerScript, asked: Asked): Served {
  const { partition } = asked
  const nothing = {
    partition,
    aborted: [],
    records: Buffer.alloc(0),
    high: -1n,
    lso: -1n,
    low: -1n,
  }
  const failure = script.failureOf('Fetch', asked.topic, partition)
  if (failure !== 0) return { ...nothing, error: failure }

  const found = script.partition(asked.topic, partition)
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
  body.list(served.aborted, ({ producer, first }) => body.int64(producer).int64(first))
  body.int32(-1).blob(served.records)
}
