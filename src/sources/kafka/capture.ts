import type { Message } from '../../formats/message.ts'
import { dumpLine } from '../../formats/topic-dump.ts'
import type { Checkpoint } from '../../ports/source.ts'
import { Cluster } from './cluster.ts'
import { messageBatches } from './message-reading.ts'
import type { KafkaOptions } from './options.ts'

const LIMITS = { maxRecords: 10_000, maxBytes: 16 * 1024 * 1024, maxDelayMs: 1000 }

/**
 * The raw messages of topics, in groups that follow each other, without any format.
 *
 * @throws TidemarkError as `openKafka` says
 */
export async function* readMessages(
  options: KafkaOptions,
  after: readonly Checkpoint[],
  mode: 'bounded' | 'continuous',
  signal: AbortSignal,
): AsyncGenerator<readonly Message[]> {
  await using cluster = new Cluster(options)
  for await (const { messages } of messageBatches(cluster, options, after, {
    mode,
    limits: LIMITS,
    signal,
  })) {
    if (messages.length > 0) yield messages
  }
}

/**
 * The messages of topics as lines of a dump, each with its `\n`, in pieces to be written one after
 * the other; `onMessages` is told how many are in each.
 */
export async function* captureTopic(
  options: KafkaOptions,
  mode: 'bounded' | 'continuous',
  signal: AbortSignal,
  onMessages: (messages: number) => void = () => undefined,
): AsyncGenerator<string> {
  for await (const messages of readMessages(options, [], mode, signal)) {
    onMessages(messages.length)
    yield messages.map((message) => `${dumpLine(message)}\n`).join('')
  }
}
