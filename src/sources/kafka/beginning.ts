import { TidemarkError } from '../../core/errors.ts'
import type { StreamName } from '../../ports/source.ts'
import type { Cluster } from './cluster.ts'
import { nameOf } from './guards.ts'
import { offsetsAt } from './offsets.ts'
import type { Bounds, Led } from './bounds.ts'
import type { Isolation } from './list-offsets-api.ts'
import type { StartOffsets, StartPosition } from './options.ts'

/** Where partitions begin by a start position, by {@link nameOf}. */
export async function beginningsOf(
  cluster: Cluster,
  partitions: readonly Led[],
  bounds: ReadonlyMap<string, Bounds>,
  { start, isolation }: { readonly start: StartPosition; readonly isolation: Isolation },
): Promise<ReadonlyMap<string, number>> {
  const byTime =
    typeof start === 'object' && 'timestamp' in start
      ? await offsetsAt(cluster, partitions, { isolation, time: start.timestamp })
      : new Map<string, number>()
  return new Map(
    partitions.map(({ stream }): [string, number] => {
      const name = nameOf(stream)
      const { low, stable, end } = bounds.get(name) ?? EMPTY
      if (start === 'earliest') return [name, low]
      if (start === 'latest') return [name, stable]
      if ('offsets' in start) return [name, explicit(stream, start.offsets, { low, end })]
      const found = byTime.get(name) ?? -1
      return [name, found < 0 ? stable : found]
    }),
  )
}

const EMPTY: Bounds = { low: 0, stable: 0, end: 0 }

function explicit(
  stream: StreamName,
  offsets: StartOffsets,
  { low, end }: { readonly low: number; readonly end: number },
): number {
  const offset = offsets.get(stream.name)?.get(stream.partition)
  if (offset === undefined) return low
  if (offset >= low && offset <= end) return offset
  throw new TidemarkError(
    'SPEC_INVALID',
    `the start offset ${offset} of ${nameOf(stream)} is not within ${low}..${end}`,
    { topic: stream.name, partition: stream.partition, offset, low, end },
  )
}
