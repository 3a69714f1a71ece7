import type { Call } from './broker-call.ts'
import { ERROR_CODES } from './broker-errors.ts'
import type { BrokerScript } from './broker-script.ts'

const EARLIEST = -2n
const LATEST = -1n

type AskedOffset = {
  readonly topic: string
  readonly partition: number
  readonly stamp: bigint
  readonly committed: boolean
}

type FoundOffset = { readonly error: number; readonly offset: bigint; readonly stamp: bigint }

/** Answers ListOffsets: the low watermark, the end that the isolation allows, or the first record since a time. */
export function answerListOffsets({ reader, body, script, asked }: Call): void {
  reader.int32()
  const committed = reader.int8() === 1
  const topics = reader.list(() => ({
    topic: reader.string(),
    partitions: reader.list(() => ({ partition: reader.int32(), stamp: reader.int64() })),
  }))
  const words = topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, stamp }) => `${topic}:${partition}@${stamp}`),
  )
  asked(...words)

  body.int32(0)
  body.list(topics, ({ topic, partitions }) =>
    body.string(topic).list(partitions, ({ partition, stamp }) => {
      const found = find(script, { topic, partition, stamp, committed })
      body.int32(partition).int16(found.error).int64(found.stamp).int64(found.offset)
    }),
  )
}

function find(script: BrokerScript, asked: AskedOffset): FoundOffset {
  const served = script.partition(asked.topic, asked.partition)
  const missing = served === undefined ? ERROR_CODES.UNKNOWN_TOPIC_OR_PARTITION : 0
  const error = script.failureOf('ListOffsets', asked.topic, asked.partition) || missing
  if (error !== 0 || served === undefined) return { error, offset: -1n, stamp: -1n }

  const end = asked.committed ? served.lso : served.high
  if (asked.stamp === EARLIEST) return { error, offset: served.low, stamp: -1n }
  if (asked.stamp === LATEST) return { error, offset: end, stamp: -1n }
  const found = served.log
    .filter(({ marker }) => marker === null)
    .flatMap(({ records }) => records)
    .filter(({ offset }) => offset >= served.low && offset < end)
    .find(({ timestamp }) => timestamp >= asked.stamp)
  return { error, offset: found?.offset ?? -1n, stamp: found?.timestamp ?? -1n }
}

/** Answers OffsetFetch: what the group has committed, or -1. */
export function answerOffsetFetch({ reader, body, script, asked }: Call): void {
  const group = reader.string()
  const topics = reader.list(() => ({
    topic: reader.string(),
    partitions: reader.list(() => reader.int32()),
  }))
  const words = topics.flatMap(({ topic, partitions }) => partitions.map((p) => `${topic}:${p}`))
  asked(group, ...words)

  body.int32(0)
  body.list(topics, ({ topic, partitions }) =>
    body.string(topic).list(partitions, (partition) => {
      const error = script.failureOf('OffsetFetch', topic, partition)
      body.int32(partition).int64(script.committedBy(group, topic, partition))
      body.string(null).int16(error)
    }),
  )
  body.int16(0)
}

/** Answers OffsetCommit: keeps the offset unless the member or its generation is unknown. */
export function answerOffsetCommit({ reader, body, script, asked }: Call): void {
  const group = reader.string()
  const generation = reader.int32()
  const member = reader.string()
  const topics = reader.list(() => ({
    topic: reader.string(),
    partitions: reader.list(() => {
      const at = { partition: reader.int32(), offset: reader.int64() }
      reader.nullableString()
      return at
    }),
  }))

  const words = topics.flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset }) => `${topic}:${partition}@${offset}`),
  )
  asked(group, ...words)

  const fenced = generation < 0 ? 0 : script.groupOf(group).heartbeat(member, generation)
  body.int32(0)
  body.list(topics, ({ topic, partitions }) =>
    body.string(topic).list(partitions, ({ partition, offset }) => {
      const error = script.failureOf('OffsetCommit', topic, partition) || fenced
      if (error === 0) script.commitFor(group, topic, partition, offset)
      body.int32(partition).int16(error)
    }),
  )
}
