import type { Api } from './api.ts'

/** Which records count: those of finished transactions, or all. */
export type Isolation = 'read_committed' | 'read_uncommitted'

/** How an isolation is written in requests. */
export const ISOLATION_NUMBERS = {
  read_uncommitted: 0,
  read_committed: 1,
} as const satisfies Record<Isolation, number>

/** In place of a time: the offset of the oldest record, or the one after the last that counts. */
export const OLDEST = -2
/** In the place of a time: the end of the log. */
export const NEWEST = -1

/** An offset of one partition, found by time. */
export type FoundOffset = {
  readonly topic: string
  readonly partition: number
  /** An error code of the protocol. */
  readonly fault: number
  /** -1 where no record is that young. */
  readonly offset: number
}

/** Finds offsets by time in milliseconds, {@link OLDEST} or {@link NEWEST}. */
export const LIST_OFFSETS: Api<
  {
    readonly isolation: Isolation
    readonly topics: readonly { readonly topic: string; readonly partitions: readonly number[] }[]
    readonly time: number
  },
  readonly FoundOffset[]
> = {
  key: 2,
  name: 'ListOffsets',
  versions: [5, 3, 2],
  flexibleFrom: 6,
  write(body, version, { isolation, topics, time }) {
    body.int32(-1).int8(ISOLATION_NUMBERS[isolation])
    body.list(topics, ({ topic, partitions }) => {
      body.text(topic)
      body.list(partitions, (partition) => {
        body.int32(partition)
        if (version >= 4) body.int32(-1)
        body.int64(time)
      })
    })
  },
  read(body, version) {
    const throttleMs = body.int32()
    const found = body.list(() => {
      const topic = body.text() ?? ''
      return body.list((): FoundOffset => {
        const partition = body.int32()
        const fault = body.int16()
        body.int64()
        const offset = body.int64()
        if (version >= 4) body.int32()
        return { topic, partition, fault, offset }
      })
    })
    return { throttleMs, response: found.flat() }
  },
}
