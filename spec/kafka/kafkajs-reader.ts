import { Kafka, logLevel } from 'kafkajs'
import type { Consumer, EachBatchPayload } from 'kafkajs'
import type { ScriptedBroker } from './scripted-broker.ts'

/** Where and how a {@link KafkajsReader} reads; the group is `g` and the topic `t` if left out. */
export type ReaderOptions = {
  readonly groupId?: string
  readonly topics?: readonly string[]
  readonly clientId?: string
  readonly maxBytesPerPartition?: number
  readonly fromBeginning?: boolean
}

/** A plain consumer of kafkajs that reads topics from their beginning, commits nothing, and tells what it sees. */
export class KafkajsReader implements AsyncDisposable {
  /** What `eachBatch` was given, as `topic:partition@offset value`; without a value, only the place. */
  readonly seen: string[] = []
  /** Errors that stopped it, as `name: message`, and whether it starts again by itself. */
  readonly crashes: string[] = []
  /** The last offset of each batch by the account of END_BATCH_PROCESS. */
  readonly ended: string[] = []
  readonly #consumer: Consumer
  readonly #waiting = new Set<() => void>()

  private constructor(broker: ScriptedBroker, options: ReaderOptions) {
    const kafka = new Kafka({
      brokers: [broker.address],
      clientId: options.clientId ?? 'reader',
      logLevel: logLevel.NOTHING,
      retry: { initialRetryTime: 10, maxRetryTime: 50, retries: 5 },
    })
    this.#consumer = kafka.consumer({
      groupId: options.groupId ?? 'g',
      maxWaitTimeInMs: 50,
      heartbeatInterval: 50,
      allowAutoTopicCreation: false,
      ...(options.maxBytesPerPartition === undefined
        ? {}
        : { maxBytesPerPartition: options.maxBytesPerPartition }),
    })
    const { CRASH, END_BATCH_PROCESS } = this.#consumer.events
    this.#consumer.on(CRASH, ({ payload: { error, restart } }) => {
      this.crashes.push(`${error.name}: ${error.message}, ${restart ? 'restarts' : 'stays down'}`)
      this.#wake()
    })
    this.#consumer.on(END_BATCH_PROCESS, ({ payload: { topic, partition, lastOffset } }) => {
      this.ended.push(`${topic}:${partition}@${lastOffset}`)
      this.#wake()
    })
  }

  /** A reader that runs. */
  static async start(broker: ScriptedBroker, options: ReaderOptions = {}): Promise<KafkajsReader> {
    const reader = new KafkajsReader(broker, options)
    const { topics = ['t'], fromBeginning = true } = options
    await reader.#consumer.connect()
    await reader.#consumer.subscribe({ topics: [...topics], fromBeginning })
    await reader.#consumer.run({
      autoCommit: false,
      eachBatch: (payload) => Promise.resolve(reader.#take(payload)),
    })
    return reader
  }

  /** Resolves once the condition holds; it is looked at after every batch and crash. */
  async until(condition: (reader: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#consumer.disconnect()
  }

  #take({ batch }: EachBatchPayload): void {
    for (const { offset, value } of batch.messages) {
      const place = `${batch.topic}:${batch.partition}@${offset}`
      this.seen.push(value === null ? place : `${place} ${value.toString()}`)
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
