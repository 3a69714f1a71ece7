import { CODES } from './api.ts'
import type { Cluster } from './cluster.ts'
import type { Bounds, Led } from './bounds.ts'
import { groupBy } from './grouping.ts'
import { nameOf } from './guards.ts'
import { isTransient, Transient } from './kafka-faults.ts'
import { LIST_OFFSETS, NEWEST, OLDEST } from './list-offsets-api.ts'
import type { Isolation } from './list-offsets-api.ts'

/** Where the logs of partitions begin and end, by {@link nameOf}; with them it is asked for those that are expected next. */
export async function boundsOf(
  cluster: Cluster,
  partitions: readonly Led[],
  isolation: Isolation,
): Promise<ReadonlyMap<string, Bounds>> {
  const { ahead } = cluster
  const known = ahead.takeBounds(partitions, isolation)
  if (known !== null) return known
  const next = ahead.partitions
  if (next.length > 0) {
    try {
      ahead.keepBounds(await askedBounds(cluster, [...partitions, ...next], isolation), isolation)
      const found = ahead.takeBounds(partitions, isolation)
      if (found !== null) return found
    } catch (error) {
      // One of the others may be at fault, and whoever reads it will hear of that.
      if (!isTransient(error)) throw error
    }
  }
  return askedBounds(cluster, partitions, isolation)
}

async function askedBounds(
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
