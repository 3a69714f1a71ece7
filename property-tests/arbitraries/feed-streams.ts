import fc from 'fast-check'
import { UNAVAILABLE, type FeedMessage } from '../models/feed.ts'

/** Columns of a row beside its key: few values, so that rows are often equal. */
type Draft = { readonly a: number; readonly b: number; readonly t: string | null }

type Step =
  | {
      readonly do: 'write'
      readonly op: 'c' | 'u' | 'r'
      readonly key: number
      readonly at: At
      readonly row: Draft
    }
  | { readonly do: 'delete'; readonly key: number; readonly at: At; readonly marked: boolean }
  | { readonly do: 'lone'; readonly key: number }
  | {
      readonly do: 'move'
      readonly key: number
      readonly to: number
      readonly row: Draft
      readonly marked: boolean
    }
  | { readonly do: 'truncate'; readonly at: At }
  | {
      readonly do: 'again'
      readonly partition: number
      readonly from: number
      readonly count: number
    }

/** Where in the log: so far beyond the highest place that counts, or back from it where late. */
type At = { readonly ahead: number; readonly back: number | null; readonly advances: boolean }

const KEYS = 3

/** So few places that changes of one key often share one, and often come late. */
const at: fc.Arbitrary<At> = fc.record({
  ahead: fc.nat({ max: 2 }),
  back: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.nat({ max: 3 }) },
  ),
  advances: fc.boolean(),
})

const row: fc.Arbitrary<Draft> = fc.record({
  a: fc.nat({ max: 1 }),
  b: fc.nat({ max: 1 }),
  t: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom<(string | null)[]>('x', 'y', null) },
    { weight: 2, arbitrary: fc.constant(UNAVAILABLE) },
  ),
})

const key = fc.nat({ max: KEYS - 1 })

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      op: fc.constantFrom('c' as const, 'u' as const, 'u' as const, 'r' as const),
      key,
      at,
      row,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('delete' as const), key, at, marked: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lone' as const), key }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      key,
      to: fc.integer({ min: 1, max: KEYS - 1 }),
      row,
      marked: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('truncate' as const), at }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('again' as const),
      partition: fc.nat(),
      from: fc.nat(),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
)

/** A topic of some partitions, with all that connectors and brokers do to it. */
export type FeedStreams = { readonly partitions: number; readonly messages: readonly FeedMessage[] }

/**
 * Streams of Debezium's messages as PostgreSQL makes them, each key in one partition. A change of
 * keys stands at a place of its own that is later than all before, as the lock on its row has it;
 * a truncate only where one partition orders it among the rest.
 */
export const feedStreams: fc.Arbitrary<FeedStreams> = fc
  .record({
    partitions: fc.integer({ min: 1, max: 3 }),
    steps: fc.array(anyStep, { minLength: 1, maxLength: 14, size: 'max' }),
  })
  .map(({ partitions, steps }) => {
    const topic = new Topic(partitions)
    for (const each of steps) topic.write(each)
    return { partitions, messages: topic.messages }
  })

class Topic {
  readonly messages: FeedMessage[] = []
  private readonly partitions: number
  private floor = 1
  private top = 1

  constructor(partitions: number) {
    this.partitions = partitions
  }

  write(step: Step): void {
    switch (step.do) {
      case 'write':
        return this.change(
          step.key,
          valueOf(step.op, this.lsn(step.at), { id: step.key, ...step.row }),
        )
      case 'delete':
        this.change(step.key, valueOf('d', this.lsn(step.at), null))
        if (step.marked) this.tombstone(step.key)
        return
      case 'lone':
        return this.tombstone(step.key)
      case 'move':
        return this.move(step)
      case 'truncate':
        if (this.partitions === 1) this.put(0, null, valueOf('t', this.lsn(step.at), null))
        return
      case 'again':
        return this.repeat(step.partition % this.partitions, step.from, step.count)
    }
  }

  private move({ key: from, to: by, row: values, marked }: Step & { readonly do: 'move' }): void {
    const to = (from + by) % KEYS
    // A key is only changed to a free one.
    this.top += 2
    this.floor = this.top
    const lsn = this.top
    this.change(to, valueOf('d', lsn - 1, null))
    this.change(from, valueOf('d', lsn, null), [['__debezium.newkey', keyOf(to)]])
    if (marked) this.tombstone(from)
    this.change(to, valueOf('c', lsn, { id: to, ...values }), [['__debezium.oldkey', keyOf(from)]])
  }

  private repeat(partition: number, from: number, count: number): void {
    const own = this.messages.filter((message) => message.partition === partition)
    const start = own.length === 0 ? 0 : from % own.length
    for (const { key: of, value, headers } of own.slice(start, start + count)) {
      this.put(partition, of, value, headers)
    }
  }

  private change(id: number, value: string, headers: FeedMessage['headers'] = []): void {
    this.put(id % this.partitions, keyOf(id), value, headers)
  }

  private tombstone(id: number): void {
    this.put(id % this.partitions, keyOf(id), null)
  }

  private put(
    partition: number,
    of: string | null,
    value: string | null,
    headers: FeedMessage['headers'] = [],
  ): void {
    const offset = this.messages.filter((message) => message.partition === partition).length
    this.messages.push({ partition, offset, key: of, value, headers })
  }

  private lsn({ ahead, back, advances }: At): number {
    if (back !== null) return Math.max(1, this.floor - back)
    const lsn = this.floor + ahead
    this.top = Math.max(this.top, lsn)
    if (advances) this.floor = lsn
    return lsn
  }
}

function keyOf(id: number): string {
  return JSON.stringify({ id })
}

function valueOf(op: string, lsn: number, after: object | null): string {
  const source = { connector: 'postgresql', name: 'srv', lsn, snapshot: String(op === 'r') }
  return JSON.stringify({ op, before: null, after, source })
}
