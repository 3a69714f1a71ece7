import { tooLarge } from '../../formats/framing.ts'
import { MessageRecord } from '../../formats/message-record.ts'
import type { Message, MessageFormat } from '../../formats/message.ts'
import type {
  BatchLimits,
  Checkpoint,
  Source,
  SourceBatch,
  SourceRecord,
  StreamLag,
} from '../../ports/source.ts'
import { sizeOf } from './batch-assembly.ts'
import type { MessageBatch } from './batch-assembly.ts'
import { Cluster } from './cluster.ts'
import { lagOf } from './kafka-lag.ts'
import { messageBatches } from './message-reading.ts'
import type { KafkaSourceOptions } from './options.ts'

/**
 * Reads topics of Kafka. The checkpoints of the store are the only truth about what was read:
 * groups, if one is named, only share out partitions, and no offset is ever committed to them.
 *
 * Records are numbered by offset. A partition is opened only where its log is the one that was
 * read before and still has every record that was not applied.
 *
 * A `shared` cluster is the caller's to close, and for sources that are not read at once: a broker answers
 * the requests of a connection one after the other.
 *
 * @throws TidemarkError when reading:
 *   `DATA_LOST` the log begins behind the checkpoint,
 *   `TOPIC_RECREATED_OR_TRUNCATED` it ends before it, or the partition is gone,
 *   `TOPIC_RECREATED` the topic has another id, or another record before the checkpoint,
 *   `CODEC_MISSING`, `NOT_FOUND` a topic that is not there (bounded),
 *   `SOURCE_UNAVAILABLE` no broker (bounded), no permission, or broken data,
 *   `CLIENT_CRASH` whatever else the client fails of,
 *   `SPEC_INVALID` a pattern or start offset that cannot be
 */
export function openKafka(options: KafkaSourceOptions, shared: Cluster | null = null): Source {
  return new KafkaSource(options, shared)
}

class KafkaSource implements Source {
  readonly #options: KafkaSourceOptions
  readonly #cluster: Cluster
  readonly #isShared: boolean

  constructor(options: KafkaSourceOptions, shared: Cluster | null) {
    this.#options = options
    this.#isShared = shared !== null
    this.#cluster = shared ?? new Cluster(options)
  }

  async *read(
    after: readonly Checkpoint[],
    mode: 'bounded' | 'continuous',
    limits: BatchLimits,
    signal: AbortSignal,
  ): AsyncGenerator<SourceBatch> {
    const reading = { mode, limits, signal }
    for await (const batch of messageBatches(this.#cluster, this.#options, after, reading)) {
      yield await decoded(batch, this.#options)
    }
  }

  async lag(after: readonly Checkpoint[]): Promise<readonly StreamLag[]> {
    return lagOf(this.#cluster, this.#options, after)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isShared) await this.#cluster[Symbol.asyncDispose]()
  }
}

async function decoded(
  { messages, checkpoints }: MessageBatch,
  { format, maxRecordBytes }: KafkaSourceOptions,
): Promise<SourceBatch> {
  await format.prepare?.(messages.filter((message) => sizeOf(message) <= maxRecordBytes))
  const records = messages.map((message) => recordOf(message, format, maxRecordBytes))
  return { records, checkpoints }
}

function recordOf(message: Message, format: MessageFormat, maxRecordBytes: number): SourceRecord {
  const size = sizeOf(message)
  if (size <= maxRecordBytes) return new MessageRecord(message, format)
  return new MessageRecord(message, { decode: () => tooLarge(size, maxRecordBytes) })
}
