import type { Api } from './api.ts'
import type { WireReader } from './wire-reader.ts'

/** What a broker says of its cluster. */
export type Metadata = {
  readonly brokers: readonly BrokerAddress[]
  readonly topics: readonly TopicMetadata[]
}

/** Where a broker listens. */
export type BrokerAddress = {
  readonly nodeId: number
  readonly host: string
  readonly port: number
}

/** What a broker says of one topic. */
export type TopicMetadata = {
  readonly name: string
  /** Differs for a topic that was made anew; null from brokers that do not tell. 32 hex digits. */
  readonly id: string | null
  /** An error code of the protocol. */
  readonly fault: number
  /** Whether it is one of Kafka's own. */
  readonly isInternal: boolean
  readonly partitions: readonly PartitionMetadata[]
}

/** What a broker says of one partition; `leader` is -1 while it has none. */
export type PartitionMetadata = { readonly partition: number; readonly leader: number }

/** Asks for topics by name, or for all. Makes none. */
export const METADATA: Api<{ readonly topics: readonly string[] | null }, Metadata> = {
  key: 3,
  name: 'Metadata',
  versions: [12, 10, 6, 5, 4],
  flexibleFrom: 9,
  write(body, version, { topics }) {
    body.list(topics, (topic) => {
      if (version >= 10) body.uuid(NO_ID)
      body.text(topic).end()
    })
    body.int8(0)
    if (version >= 8 && version <= 10) body.int8(0)
    if (version >= 8) body.int8(0)
    body.end()
  },
  read(body, version) {
    const throttleMs = body.int32()
    const brokers = body.list(() => {
      const address = { nodeId: body.int32(), host: body.text() ?? '', port: body.int32() }
      body.text()
      body.end()
      return address
    })
    body.text()
    body.int32()
    const topics = body.list(() => readTopic(body, version))
    return { throttleMs, response: { brokers, topics } }
  },
}

const NO_ID = '0'.repeat(32)

function readTopic(body: WireReader, version: number): TopicMetadata {
  const fault = body.int16()
  const name = body.text() ?? ''
  const id = version >= 10 ? body.uuid() : NO_ID
  const isInternal = body.boolean()
  const partitions = body.list(() => {
    body.int16()
    const partition = body.int32()
    const leader = body.int32()
    if (version >= 7) body.int32()
    body.list(() => body.int32())
    body.list(() => body.int32())
    if (version >= 5) body.list(() => body.int32())
    body.end()
    return { partition, leader }
  })
  if (version >= 8) body.int32()
  body.end()
  return { name, id: id === NO_ID ? null : id, fault, isInternal, partitions }
}
