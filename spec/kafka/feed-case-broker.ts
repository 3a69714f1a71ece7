import { z } from 'zod'
import { logOf, recordOf } from './feed-case-log.ts'
import type { BatchOptions } from './scripted-log.ts'
import { batch, filled, numbered, record } from './scripted-log.ts'
import { ScriptedBroker } from './scripted-broker.ts'
import type { BrokerOptions } from './scripted-broker.ts'
import type { PartitionScript, TopicScript } from './scripted-topics.ts'

const INTEGER = z.string().regex(/^\d+$/).transform(BigInt)

const PARTITION = z.strictObject({
  low: INTEGER.optional(),
  high: INTEGER.optional(),
  high_watermark: INTEGER.optional(),
  last_stable_offset: INTEGER.optional(),
  log: z.array(z.string()).optional(),
  compression: z.enum(['none', 'gzip', 'snappy', 'lz4', 'zstd']).optional(),
  record_at_99: z.object({ timestamp: INTEGER, sha256: z.string() }).optional(),
  group_committed: INTEGER.optional(),
  event: z.literal('rebalance after offset 1 was applied').optional(),
  note: z.literal('created later, 3 records before the refresh').optional(),
})

const FETCH = z.strictObject({
  offset: INTEGER,
  abortedTransactions: z.array(z.strictObject({ producerId: INTEGER, firstOffset: INTEGER })),
  records: z.array(z.string()),
})

const RECORD = z.object({
  topic: z.string(),
  partition: z.int(),
  offset: INTEGER,
  key: z.string().nullish(),
  key_hex: z.string().optional(),
  value: z.string().nullish(),
  value_hex: z.string().optional(),
  headers: z.record(z.string(), z.string()).nullish(),
  headers_hex: z.record(z.string(), z.string()).optional(),
})

const FEED_CASE = z.object({
  id: z.string(),
  config: z.object({ start_checkpoint: z.record(z.string(), INTEGER).optional() }),
  broker: z.record(z.string(), z.unknown()).optional(),
  records: z.array(RECORD),
})

/** A case of feed-cases.json, as far as a broker is concerned. */
export type FeedCase = z.input<typeof FEED_CASE>

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
 * @throws ZodError for a field that no case of the kind has had so far
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
  const { config, broker, records } = FEED_CASE.parse(feedCase)
  const starts = config.start_checkpoint ?? {}
  if (broker === undefined) return { topics: topicsOf(records), committed: [], events: [] }
  if ('fetch' in broker) return fetchScript(z.strictObject({ fetch: FETCH }).parse(broker), starts)
  return partitionsScript(z.record(z.string(), PARTITION).parse(broker), starts)
}

function topicsOf(records: readonly z.output<typeof RECORD>[]): Record<string, TopicScript> {
  const places = new Set(records.map(({ topic, partition }) => `${topic}:${partition}`))
  const scripts = [...places].map(placeOf).map((place) => {
    const log = records
      .filter(({ topic, partition }) => topic === place.topic && partition === place.partition)
      .toSorted((a, b) => (a.offset < b.offset ? -1 : Number(a.offset > b.offset)))
      .map((read) => batch([record(read.offset, contentOf(read))]))
    return { ...place, script: { low: 0n, log } }
  })
  return assembled(scripts)
}

function contentOf(read: z.output<typeof RECORD>): Parameters<typeof record>[1] {
  const hexHeaders = Object.entries(read.headers_hex ?? {}).map(([name, hex]): [string, Buffer] => [
    name,
    Buffer.from(hex, 'hex'),
  ])
  return {
    key: read.key_hex === undefined ? (read.key ?? null) : Buffer.from(read.key_hex, 'hex'),
    value: read.value_hex === undefined ? (read.value ?? null) : Buffer.from(read.value_hex, 'hex'),
    headers: { ...read.headers, ...Object.fromEntries(hexHeaders) },
  }
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
  const rebalances = all
    .filter(({ words }) => words.event !== undefined)
    .map(({ topic, partition }) => ({
      kind: 'rebalance' as const,
      whenFetched: `${topic}:${partition}@2`,
    }))
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
  const told = words.record_at_99
  return {
    low,
    high,
    lso: words.last_stable_offset ?? high,
    log: log.map((entry) => ({
      ...entry,
      records: entry.records.map((own) =>
        own.offset === 99n && told !== undefined
          ? { ...numbered(99n), timestamp: told.timestamp }
          : own,
      ),
    })),
  }
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
