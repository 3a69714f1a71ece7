import type { Checkpoint, StreamLag, StreamName } from '../../ports/source.ts'
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
    const { topics } = await new TopicSelection(options.topics).layout(cluster)
    const partitions = [...topics.values()].flatMap(({ name, partitions: of }) =>
      of.map(({ partition, leader }) => ({ stream: { name, partition }, leader })),
    )
    const bounds = await boundsOf(cluster, partitions, options.isolation)
    const isNew = ({ stream }: { readonly stream: StreamName }): boolean =>
      !after.some(({ name, partition }) => name === stream.name && partition === stream.partition)
    const start = after.length === 0 ? options.start : 'earliest'
    const beginnings = await beginningsOf(cluster, partitions.filter(isNew), bounds, {
      start,
      isolation: options.isolation,
    })
    return partitions.map(({ stream }): StreamLag => {
      const name = nameOf(stream)
      const saved = after.find((each) => nameOf(each) === name)
      const next = saved?.next ?? beginnings.get(name) ?? 0
      const behind = Math.max(0, (bounds.get(name)?.stable ?? 0) - next)
      return { ...stream, behind, unit: 'records' }
    })
  } catch (error) {
    throw faultOf(error)
  }
}
