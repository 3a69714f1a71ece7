import type { StreamName } from '../../ports/source.ts'
import { CODES } from './api.ts'
import type { Cluster } from './cluster.ts'
import { groupBy } from './grouping.ts'
import { nameOf } from './guards.ts'
import { Transient } from './kafka-faults.ts'
import { LIST_OFFSETS, NEWEST, OLDEST } from './list-offsets-api.ts'
import type { Isolation } from './list-offsets-api.ts'

/** A partition and who leads it, -1 for nobody. */
export type Led = { readonly stream: StreamName; readonly leader: number }

/** Where a log begins and ends. */
export type Bounds = {
  /** Offset of the oldest record that may be there. */
  readonly low: number
  /** Behind the last record that counts under the isolation: the last stable offset, or the high watermark. */
  readonly stable: number
  /** Behind the last record, also one of a transaction that is still open. */
  readonly end: number
}

/** Where the logs of partitions begin and end, by {@link nameOf}. */
export async function boundsOf(
  cluster: Cluster,
  partitions: readonly Led[],
  isolation: Isolation,
): Promise<ReadonlyMap<string, Bounds>> {
  const [lows, ends, stables] = await Promise.all([
    offsetsAt(cluster, partitions, { isolation: 'read_uncommitted', time: OLDEST }),
    offsetsAt(cluster, partitions, { isolation: 'read_uncommitted', time: NEWEST }),
    offsetsAt(cluster, partitions, { isolation, time: NEWEST }),
  ])
  return new Map(
    partitions.map(({ stream }): [string, Bounds] => {
      const name = nameOf(stream)
      const end = ends.get(name) ?? 0
      return [name, { low: lows.get(name) ?? 0, end, stable: stables.get(name) ?? end }]
    }),
  )
}

/** The offset of the first record at a time or later in each partition, -1 where there is none, by {@link nameOf}. */
export async function offsetsAt(
  cluster: Cluster,
  partitions: readonly Led[],
  { isolation, time }: { readonly isolation: Isolation; readonly time: number },
): Promise<ReadonlyMap<string, number>> {
  const byLeader = groupBy(partitions, ({ leader }) => leader)
  const found = await Promise.all(
    [...byLeader].map(async ([leader, led]) => {
      const [leaderless] = leader < 0 ? led : []
      if (leaderless) throw new Transient(`${nameOf(leaderless.stream)} has no leader`)
      return cluster.send(leader, LIST_OFFSETS, { isolation, time, topics: byTopic(led) })
    }),
  )
  return new Map(
    found.flat().map(({ topic, partition, fault, offset }) => {
      const name = nameOf({ name: topic, partition })
      if (fault !== CODES.NONE) throw new Transient(`${name} has no offsets now (error ${fault})`)
      return [name, offset]
    }),
  )
}

function byTopic(led: readonly Led[]): { topic: string; partitions: readonly number[] }[] {
  const topics = groupBy(led, ({ stream }) => stream.name)
  return [...topics].map(([topic, of]) => ({
    topic,
    partitions: of.map(({ stream }) => stream.partition),
  }))
}
