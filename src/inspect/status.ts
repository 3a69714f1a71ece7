import type { StreamLag } from '../ports/source.ts'
import type { SnapshotRecord } from '../ports/snapshots.ts'
import type { Counts, Store } from '../ports/store.ts'
import { NO_COUNTS } from '../core/counts.ts'
import { streamText } from '../core/place.ts'

/** Where one stream of a flow is to be read next, and how far that is from its end. */
export type StreamStatus = {
  readonly stream: string
  /** Null where it was never read. */
  readonly next: number | null
  /** Where a stream that was never read is going to begin, if its source can tell. */
  readonly start?: number
  /** Null where the stream is gone. */
  readonly behind: number | null
  readonly unit: string
}

/** Where a flow stands. */
export type FlowStatus = {
  readonly flow: string
  readonly target: string
  readonly counts: Counts
  readonly checkpoints: readonly StreamStatus[]
  readonly lastRunAt: string | null
  readonly lastSystemTime: string | null
  /** '' for a run that ended well; null while one goes on, or where the last was killed. */
  readonly lastFault: string | null
  readonly done: boolean
  /** Below it history is compacted; null: nowhere. */
  readonly horizon: string | null
  /** Of a flow of snapshots that looked at one: what became of the last. */
  readonly snapshot?: SnapshotRecord
  readonly tables: { readonly rows: number; readonly version: number | null }
  /** Why nobody can say now how far behind the flow is. */
  readonly unreachable?: string
}

/** What is stored of a flow, with the lag of its streams. */
export function flowStatus(
  store: Store,
  flow: { readonly name: string; readonly target: string },
  lag: readonly StreamLag[],
): FlowStatus {
  const record = store.flow(flow.name)
  const exists = store.target(flow.target) !== null
  const snapshot = store.snapshotRecords(flow.name).at(-1)
  return {
    flow: flow.name,
    target: flow.target,
    counts: record?.counts ?? NO_COUNTS,
    checkpoints: streams(store, flow.name, lag),
    lastRunAt: record?.lastRunAt ?? null,
    lastSystemTime: record?.lastSystemTime ?? null,
    lastFault: record?.lastFault ?? null,
    done: record?.done ?? false,
    horizon: null,
    ...(snapshot === undefined ? {} : { snapshot }),
    tables: {
      rows: exists ? store.currentRows(flow.target) : 0,
      version: exists ? store.version(flow.target) : null,
    },
  }
}

/** Streams that were read, and streams that are there and were not. */
function streams(store: Store, flow: string, lag: readonly StreamLag[]): StreamStatus[] {
  const checkpoints = store.checkpoints(flow)
  const read = checkpoints.map(({ name, partition, next }): StreamStatus => {
    const found = lag.find((each) => each.name === name && each.partition === partition)
    return {
      stream: streamText({ name, partition }),
      next,
      behind: found?.behind ?? null,
      unit: found?.unit ?? 'bytes',
    }
  })
  const unread = lag.filter(
    ({ name, partition }) =>
      !checkpoints.some((each) => each.name === name && each.partition === partition),
  )
  return [
    ...read,
    ...unread.map(({ name, partition, ...rest }) => ({
      stream: streamText({ name, partition }),
      next: null,
      ...rest,
    })),
  ]
}
