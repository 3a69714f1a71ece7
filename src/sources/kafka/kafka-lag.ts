import type { Checkpoint, StreamLag } from '../../ports/source.ts'
import { beginningsOf } from './beginning.ts'
import type { Cluster } from './cluster.ts'
import { nameOf } from './guards.ts'
import { faultOf } from './kafka-faults.ts'
import { boundsOf } from './offsets.ts'
import type { KafkaOptions } from './options.ts'
import { TopicSelection } from './topics.ts'

/**
 * How many offsets lie between checkpoints and the ends of their partitions; no more records
 * than that, and fewer where there are marks of transactions or gaps.
 *
 * @throws TidemarkError `SOURCE_UNAVAILABLE` at once when brokers do not answer
 */
export async function lagOf(
  cluster: Cluster,
  options: KafkaOptions,
  after: readonly Checkpoint[],
): Promise<readonly StreamLag[]> {
  try {
    const selection = new TopicSelection(options.topics)
    const { topics } = await selection.layout(cluster)
    const partitions = [...topics.values()].flatMap(({ name, partitions: of }) =>
      of.map(({ partition, leader }) => ({ stream: { name, partition }, leader })),
    )
    const bounds = await boundsOf(cluster, partitions, options.isolation)
    const saved = new Map(after.map((each) => [nameOf(each), each.next]))
    const readBefore = new Set(after.map(({ name }) => name))
    const fresh = partitions.filter(
      ({ stream }) => !saved.has(nameOf(stream)) && !selection.isNews(stream.name, readBefore),
    )
    const beginnings = await beginningsOf(cluster, fresh, bounds, options)
    return partitions.map(({ stream }): StreamLag => {
      const name = nameOf(stream)
      const { low, stable } = bounds.get(name) ?? { low: 0, stable: 0 }
      const next = saved.get(name)
      const start = beginnings.get(name) ?? low
      const behind = Math.max(0, stable - (next ?? start))
      return { ...stream, behind, unit: 'records', ...(next === undefined ? { start } : {}) }
    })
  } catch (error) {
    throw faultOf(error)
  }
}
