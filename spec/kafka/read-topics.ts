import type { Consumer, EachMessagePayload, IHeaders } from 'kafkajs'
import { timestampFromEpoch } from '../../src/core/temporal.ts'
import type { Message, MessageHeader } from '../../src/formats/message.ts'
import { adminOf, clientOf, eventually, type Broker } from './kafka.ts'

/** The messages of some topics from their start to their end as it is now, by topic, partition and offset. */
export async function readTopics(
  broker: Pick<Broker, 'bootstrap'>,
  topics: readonly string[],
): Promise<Message[]> {
  const pending = new Map<string, bigint>()
  await using admin = await adminOf(broker)
  for (const topic of topics) {
    for (const { partition, low, high } of await eventually(() => admin.fetchTopicOffsets(topic))) {
      if (low !== high) pending.set(`${topic} ${partition}`, BigInt(high))
    }
  }

  const messages: Message[] = []
  if (pending.size === 0) return messages
  const consumer = clientOf(broker).consumer({ groupId: `read-${Date.now()}` })
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [...topics], fromBeginning: true })
    await reading(consumer, pending, messages)
  } finally {
    await consumer.disconnect()
  }
  return messages.sort(
    (a, b) =>
      a.stream.name.localeCompare(b.stream.name) ||
      a.stream.partition - b.stream.partition ||
      a.offset - b.offset,
  )
}

/** Resolves once no partition is pending any more. The end of a batch counts, as its last record may be hidden. */
function reading(consumer: Consumer, pending: Map<string, bigint>, into: Message[]): Promise<void> {
  return new Promise((resolve, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      reject(payload.error)
    })
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload }) => {
      const id = `${payload.topic} ${payload.partition}`
      if (BigInt(payload.lastOffset) + 1n >= (pending.get(id) ?? 0n)) pending.delete(id)
      if (pending.size === 0) resolve()
    })
    const eachMessage = (payload: EachMessagePayload): Promise<void> => {
      into.push(messageOf(payload))
      return Promise.resolve()
    }
    consumer.run({ eachMessage }).catch(reject)
  })
}

function messageOf({ topic, partition, message }: EachMessagePayload): Message {
  return {
    stream: { name: topic, partition },
    offset: Number(message.offset),
    key: message.key,
    value: message.value,
    headers: headersOf(message.headers ?? {}),
    timestamp: timestampFromEpoch(BigInt(message.timestamp), 'ms'),
  }
}

function headersOf(headers: IHeaders): MessageHeader[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values]
      .flat()
      .map((value): MessageHeader => [name, value === undefined ? null : Buffer.from(value)]),
  )
}
