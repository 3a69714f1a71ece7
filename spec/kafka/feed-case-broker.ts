import { z } from 'zod'
import type { Json } from '../conformance/json.ts'
import { textOf } from '../feeds/feed-case.ts'
import type { FeedCase, FeedRecord } from '../feeds/feed-case.ts'
import { logOf, recordOf } from './feed-case-log.ts'
import type { BatchOptions } from './scripted-log.ts'
import { data, filled } from './scripted-log.ts'
import { ScriptedBroker } from './scripted-broker.ts'
import type { BrokerOptions } from './scripted-broker.ts'
import type { PartitionScript, TopicScript } from './scripted-topics.ts'

const INTEGER = z.custom<Json>().transform(textOf).pipe(z.string().regex(/^\d+$/).transform(BigInt))

const RECORD_AT = /^record_at_(\d+)$/
const REBALANCE = /^rebalance after offset (\d+) was applied$/

const PARTITION = z.looseObject({
  low: INTEGER.optional(),
  high: INTEGER.optional(),
  high_watermark: INTEGER.optional(),
  last_stable_offset: INTEGER.optional(),
  log: z.array(z.string()).optional(),
  compression: z.enum(['none', 'gzip', 'snappy', 'lz4', 'zstd']).optional(),
  group_committed: INTEGER.optional(),
  event: z.string().regex(REBALANCE).optional(),
  note: z
    .string()
    .regex(/^created later/)
    .optional(),
})

const KNOWN = new Set(Object.keys(PARTITION.shape))
const STAMPED = z.strictObject({ timestamp: INTEGER, sha256: z.string() })

const FETCH = z.strictObject({
  offset: INTEGER,
  abortedTransactions: z.array(z.strictObject({ producerId: INTEGER, firstOffset: INTEGER })),
  records: z.array(z.string()),
})

const STARTS = z.record(z.string(), INTEGER).default({})

type Place = { readonly topic: string; readonly partition: number }

type PartitionWords = z.output<typeof PARTITION>

/** What a broker serves for a case, and what happens while it is read. */
export type CaseScript = {
  readonly topics: Readonly<Record<string, TopicScript>>
  /** Offsets that every group finds committed. */
  readonly committed: readonly (Place & { readonly offset: bigint })[]
  readonly events: readonly CaseEvent[]
}

/** Something that happens once, when the word (`topic:partition@offset`) is first fetched. */
export type CaseEvent = { readonly whenFetched: string } & (
  | { readonly kind: 'rebalance' }
  | { readonly kind: 'partition added'; readonly topic: string; readonly script: PartitionScript }
)

/**
 * A running broker that serves a case: what its `broker` field describes, else its records at their
 * own offsets. An event happens once a client fetches what follows the offset that it names: the
 * rebalance of kaf-13 with `t:0@2`, the new partition of kaf-15 with `t:0@5`.
 *
 * @throws Error for a field or a word that no case has had so far
 */
export async function brokerOf(
  feedCase: FeedCase,
  options: BrokerOptions = {},
): Promise<ScriptedBroker> {
  const { topics, committed, events } = scriptOf(feedCase)
  const broker = await ScriptedBroker.start(topics, options)
  const { script } = broker
  for (const { topic, partition, offset } of committed) {
    script.commitFor('*', topic, partition, offset)
  }
  for (const event of events) {
    broker.after('Fetch', event.whenFetched, () => {
      switch (event.kind) {
        case 'rebalance':
          for (const group of script.groups.keys()) script.rebalance(group)
          return
        case 'partition added':
          script.addPartition(event.topic, event.script)
      }
    })
  }
  return broker
}

/** What {@link brokerOf} starts a broker with. */
export function scriptOf(feedCase: FeedCase): CaseScript {
  const { broker, records } = feedCase
  if (broker === null) return { topics: topicsOf(records), committed: [], events: [] }
  const starts = STARTS.parse(feedCase.config['start_checkpoint'])
  if ('fetch' in broker) return fetchScript(z.strictObject({ fetch: FETCH }).parse(broker), starts)
  return partitionsScript(z.record(z.string(), PARTITION).parse(broker), starts)
}

function topicsOf(records: readonly FeedRecord[]): Record<string, TopicScript> {
  const places = new Set(records.map(({ topic, partition }) => `${topic}:${partition}`))
  const scripts = [...places].map(placeOf).map((place) => {
    const log = records
      .filter(({ topic, partition }) => topic === place.topic && partition === place.partition)
      .toSorted((a, b) => a.offset - b.offset)
      .map(({ offset, key, value, headers }) =>
        data(offset, { key, value, headers: Object.fromEntries(headers) }),
      )
    return { ...place, script: { low: 0n, log } }
  })
  return assembled(scripts)
}

/** The partition that the checkpoint of the case names, with an answer as given and its own list of aborts. */
function fetchScript(
  { fetch }: { readonly fetch: z.output<typeof FETCH> },
  starts: Readonly<Record<string, bigint>>,
): CaseScript {
  const aborted = fetch.abortedTransactions.map(({ producerId, firstOffset }) => ({
    producer: producerId,
    first: firstOffset,
  }))
  const before = aborted
    .filter(({ first }) => first < fetch.offset)
    .map(({ producer, first }) => recordOf(first, producer, null))
  const log = [...before, ...logOf(fetch.records)]
  const place = placeOf(Object.keys(starts)[0] ?? 't:0')
  const topics = assembled([{ ...place, script: { low: 0n, log, aborted } }])
  return { topics, committed: [], events: [] }
}

function partitionsScript(
  broker: Readonly<Record<string, PartitionWords>>,
  starts: Readonly<Record<string, bigint>>,
): CaseScript {
  const all = Object.entries(broker).map(([place, words]) => ({
    ...placeOf(place),
    words,
    script: partitionScript(words),
  }))
  const later = all.filter(({ words }) => words.note !== undefined)
  const first = Object.entries(starts)[0] ?? ['t:0', 0n]
  const committed = all.flatMap(({ topic, partition, words }) =>
    words.group_committed === undefined
      ? []
      : [{ topic, partition, offset: words.group_committed }],
  )
  const rebalances = all.flatMap(({ topic, partition, words }) => {
    const applied = REBALANCE.exec(words.event ?? '')?.[1]
    const whenFetched = `${topic}:${partition}@${BigInt(applied ?? 0) + 1n}`
    return applied === undefined ? [] : [{ kind: 'rebalance' as const, whenFetched }]
  })
  const additions = later.map(({ topic, script }) => ({
    kind: 'partition added' as const,
    whenFetched: `${first[0]}@${first[1]}`,
    topic,
    script,
  }))
  return {
    topics: assembled(all.filter((entry) => !later.includes(entry))),
    committed,
    events: [...rebalances, ...additions],
  }
}

function partitionScript(words: PartitionWords): PartitionScript {
  const low = words.low ?? 0n
  const high = words.high ?? words.high_watermark ?? low
  const options: BatchOptions =
    words.compression === undefined ? {} : { compression: words.compression }
  const log = words.log === undefined ? filled(low, high, options) : logOf(words.log)
  const stamps = stampsOf(words)
  return {
    low,
    high,
    lso: words.last_stable_offset ?? high,
    log: log.map((batch) => ({
      ...batch,
      records: batch.records.map((own) => ({
        ...own,
        timestamp: stamps.get(own.offset) ?? own.timestamp,
      })),
    })),
  }
}

/** The times that `record_at_99` and the like tell, by offset. */
function stampsOf(words: PartitionWords): ReadonlyMap<bigint, bigint> {
  const others = Object.entries(words).filter(([name]) => !KNOWN.has(name))
  return new Map(
    others.map(([name, told]) => {
      const offset = RECORD_AT.exec(name)?.[1]
      if (offset === undefined) throw new Error(`no broker is like this: ${name}`)
      return [BigInt(offset), STAMPED.parse(told).timestamp]
    }),
  )
}

/** Topics of partitions 0, 1, …; a number that is missing is an empty partition. */
function assembled(
  scripts: readonly (Place & { readonly script: PartitionScript })[],
): Record<string, TopicScript> {
  const names = new Set(scripts.map(({ topic }) => topic))
  const topics = [...names].map((name): [string, TopicScript] => {
    const own = scripts.filter(({ topic }) => topic === name)
    const count = Math.max(...own.map(({ partition }) => partition)) + 1
    const partitions = Array.from(
      { length: count },
      (_, number) => own.find(({ partition }) => partition === number)?.script ?? {},
    )
    return [name, { partitions }]
  })
  return Object.fromEntries(topics)
}

function placeOf(text: string): Place {
  const colon = text.lastIndexOf(':')
  return { topic: text.slice(0, colon), partition: Number(text.slice(colon + 1)) }
}
