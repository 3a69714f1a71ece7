import { Partitioners, type Producer } from 'kafkajs'
import { adminOf, clientOf, eventually, type Broker } from '../../kafka/kafka.ts'
import type { Step } from './change-feed.ts'

type Producers = { readonly plain: Producer; readonly transactional: Producer }

/** Writes steps of a feed to a topic, and knows which of its offsets hold records that can be seen. */
export class TopicWriter implements AsyncDisposable {
  readonly topic: string
  private readonly broker: Broker
  private readonly visible = new Map<number, number[]>()
  private plain: Producer
  private transactional: Producer

  private constructor(broker: Broker, topic: string, { plain, transactional }: Producers) {
    this.broker = broker
    this.topic = topic
    this.plain = plain
    this.transactional = transactional
  }

  /** Makes the topic. */
  static async open(broker: Broker, topic: string, partitions: number): Promise<TopicWriter> {
    await using admin = await adminOf(broker)
    await admin.createTopics({
      topics: [{ topic, numPartitions: partitions }],
      waitForLeaders: true,
    })
    await eventually(() => admin.fetchTopicOffsets(topic))
    return new TopicWriter(broker, topic, await producersOf(broker))
  }

  async write({ outcome, messages }: Step): Promise<void> {
    if (messages.length === 0) return
    const { topic } = this
    const record = { topic, messages: [...messages] }
    if (outcome === 'plain') {
      const written = await this.plain.send(record)
      this.note(written, messages)
      return
    }
    const transaction = await this.transactional.transaction()
    const written = await transaction.send(record)
    await transaction[outcome]()
    if (outcome === 'commit') this.note(written, messages)
  }

  /** Adds a partition, and writes to it from now on. */
  async widen(partitions: number): Promise<void> {
    {
      await using admin = await adminOf(this.broker)
      await admin.createPartitions({ topicPartitions: [{ topic: this.topic, count: partitions }] })
      await eventually(() => admin.fetchTopicOffsets(this.topic))
    }
    await this.reconnect()
  }

  /** Begins anew, as after a restart of the broker. */
  async reconnect(): Promise<void> {
    await this[Symbol.asyncDispose]()
    const { plain, transactional } = await producersOf(this.broker)
    this.plain = plain
    this.transactional = transactional
  }

  /** How many records can be seen before these offsets, by partition. */
  visibleBefore(offsets: ReadonlyMap<number, number>): number {
    let count = 0
    for (const [partition, offset] of offsets) {
      count += (this.visible.get(partition) ?? []).filter((each) => each < offset).length
    }
    return count
  }

  /** How many records can be seen. */
  get written(): number {
    return [...this.visible.values()].reduce((sum, offsets) => sum + offsets.length, 0)
  }

  /** The offset behind the last record or mark of each partition. */
  async ends(): Promise<ReadonlyMap<number, number>> {
    await using admin = await adminOf(this.broker)
    const offsets = await eventually(() => admin.fetchTopicOffsets(this.topic))
    return new Map(offsets.map(({ partition, high }) => [partition, Number(high)]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.plain.disconnect(), this.transactional.disconnect()])
  }

  private note(
    written: readonly { readonly partition: number; readonly baseOffset?: string }[],
    messages: Step['messages'],
  ): void {
    const total = messages.length
    let noted = 0
    for (const { partition, baseOffset } of written) {
      const from = Number(baseOffset)
      const count = messages.filter((each) => each.partition === partition).length
      const offsets = this.visible.get(partition) ?? []
      offsets.push(...Array.from({ length: count }, (_, i) => from + i))
      this.visible.set(partition, offsets)
      noted += count
    }
    // A producer of kafkajs drops, without a word, what goes to a partition that it does not know.
    if (noted !== total) throw new Error(`${total - noted} of ${total} messages were not written`)
  }
}

async function producersOf(broker: Broker): Promise<Producers> {
  const kafka = clientOf(broker)
  const common = {
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
  }
  const plain = kafka.producer(common)
  const transactional = kafka.producer({ ...common, transactionalId: 'connector' })
  await eventually(() => plain.connect())
  await eventually(() => transactional.connect())
  return { plain, transactional }
}
