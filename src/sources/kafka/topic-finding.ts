import { setTimeout as sleep } from 'node:timers/promises'
import { TidemarkError } from '../../core/errors.ts'
import { Cluster } from './cluster.ts'
import { faultOf, isTransient } from './kafka-faults.ts'
import type { KafkaOptions } from './options.ts'
import { Patience, THE_CLUSTER } from './patience.ts'
import { TopicSelection } from './topics.ts'

/**
 * The topics that a pattern finds, by name in order: those of a first look and, in a continuous run,
 * those that come to be later, group after group. They are looked for every `metadataMaxAgeMs`.
 *
 * @throws TidemarkError `NOT_FOUND` where a bounded run finds none; `SOURCE_UNAVAILABLE`
 */
export async function* findTopics(
  options: KafkaOptions,
  mode: 'bounded' | 'continuous',
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const selection = new TopicSelection(options.topics)
  const patience = new Patience(options.retry, { mode, onNotice: options.onNotice })
  await using cluster = new Cluster(options)
  const known = new Set<string>()
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const layout = await patiently(async () => selection.layout(cluster), patience, signal)
    if (layout === null) return
    const found = [...layout.topics.keys()].filter((name) => !known.has(name))
    if (mode === 'bounded' && found.length === 0) {
      throw new TidemarkError('NOT_FOUND', `no topic matches ${selection.text}`)
    }
    for (const name of found) known.add(name)
    if (isFirst || found.length > 0) yield found
    if (mode === 'bounded') return
    await pause(options.metadataMaxAgeMs, signal)
  }
}

/** Tries until it succeeds; null once the signal aborts. */
async function patiently<T>(
  work: () => Promise<T>,
  patience: Patience,
  signal: AbortSignal,
): Promise<T | null> {
  while (!signal.aborted) {
    try {
      const done = await work()
      patience.succeeded(THE_CLUSTER)
      return done
    } catch (error) {
      if (!isTransient(error)) throw faultOf(error)
      await pause(patience.failed(THE_CLUSTER, error), signal)
    }
  }
  return null
}

/** Waits, but no longer than until the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
