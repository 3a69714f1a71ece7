import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { BugError, TidemarkError } from './core/errors.ts'
import { microsOf, parseTimestamp } from './core/temporal.ts'
import type { OnNotice as OnSourceNotice } from './ports/telemetry.ts'
import type {
  FlowSpec,
  KafkaSourceSpec,
  KafkaSpec,
  KafkaStartSpec,
  TlsSpec,
} from './pipeline/flow-spec-type.ts'
import type { Cluster } from './sources/kafka/cluster.ts'
import type { KafkaOptions, OnNotice, StartPosition, TlsOptions } from './sources/kafka/options.ts'

/** How to get at a cluster, without what unpacks its records. */
export type ClusterOptions = Omit<KafkaOptions, 'codecs'>

/** How to get at the cluster that a flow names. @throws TidemarkError `NOT_FOUND` for a PEM file that cannot be read */
export function kafkaOptions(
  { kafka, max_record_bytes: maxRecordBytes }: KafkaSourceSpec,
  base: string,
  onNotice: OnSourceNotice,
): ClusterOptions {
  return {
    brokers: kafka.brokers,
    clientId: kafka.client_id,
    groupId: kafka.group_id,
    topics: kafka.topics ?? { pattern: kafka.topic_pattern ?? '' },
    ssl: kafka.tls === null ? false : tlsOptions(kafka.tls, base),
    sasl:
      kafka.sasl?.mechanism === 'oauthbearer'
        ? { mechanism: 'oauthbearer', tokenCommand: kafka.sasl.token_command }
        : kafka.sasl,
    start: startPosition(kafka.start),
    isolation: kafka.isolation,
    maxRecordBytes,
    metadataMaxAgeMs: kafka.metadata_max_age,
    retry: { attempts: 5, firstDelayMs: 200, longestDelayMs: 10_000 },
    onNotice: noticesTo(onNotice),
  }
}

/**
 * The clusters that flows share which are read one after the other: connections to each, and one look at
 * all of its topics.
 */
export class SharedClusters implements AsyncDisposable {
  readonly #clusters = new Map<string, Cluster>()
  readonly #topics = new Map<string, string[]>()

  /** Flows that are going to be read. */
  expect(flows: readonly FlowSpec[]): void {
    for (const { source } of flows) {
      if (source.kind !== 'kafka') continue
      const key = keyOf(source.kafka)
      const topics = this.#topics.get(key) ?? []
      topics.push(...(source.kafka.topics ?? []))
      this.#topics.set(key, topics)
    }
  }

  of(kafka: KafkaSpec, open: () => Cluster): Cluster {
    const key = keyOf(kafka)
    const cluster = this.#clusters.get(key) ?? open()
    this.#clusters.set(key, cluster)
    cluster.ahead.expect(this.#topics.get(key)?.splice(0) ?? [])
    return cluster
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cluster of this.#clusters.values()) await cluster[Symbol.asyncDispose]()
  }
}

/** The same for all flows that are let in alike. */
function keyOf({ brokers, client_id, tls, sasl }: KafkaSpec): string {
  return JSON.stringify([brokers, client_id, tls, sasl])
}

/** What the source says of itself, in the words of the run's events. */
function noticesTo(tell: OnSourceNotice): OnNotice {
  let since = 0
  return (event, fields) => {
    switch (event) {
      case 'source_unavailable':
        since = Date.now()
        tell({ event: 'source_outage_began', reason: String(fields['reason']) })
        return
      case 'source_available':
        tell({ event: 'source_outage_ended', seconds: (Date.now() - since) / 1000 })
        return
      case 'topic_missing':
        tell({ event: 'source_topic_missing', topic: String(fields['topic']) })
        return
      case 'partitions_added':
        for (const [topic, partitions] of countByTopic(fields['partitions'])) {
          tell({ event: 'source_partitions_added', topic, partitions })
        }
        return
      case 'partitions_assigned':
        tell({ event: 'source_rebalanced', partitions: listOf(fields['partitions']).length })
    }
  }
}

/** Places are `topic:partition`. */
function countByTopic(places: unknown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const place of listOf(places)) {
    const topic = String(place).replace(/:\d+$/, '')
    counts.set(topic, (counts.get(topic) ?? 0) + 1)
  }
  return counts
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function tlsOptions({ ca, cert, key, verify }: TlsSpec, base: string): TlsOptions {
  return {
    ...(ca === null ? {} : { ca: pem(ca, base) }),
    ...(cert === null ? {} : { cert: pem(cert, base) }),
    ...(key === null ? {} : { key: pem(key, base) }),
    rejectUnauthorized: verify,
  }
}

function pem(path: string, base: string): string {
  try {
    return readFileSync(resolve(base, path), 'utf8')
  } catch (error) {
    throw new TidemarkError('NOT_FOUND', `${path} cannot be read`, { path }, error)
  }
}

function startPosition(start: KafkaStartSpec): StartPosition {
  switch (start.from) {
    case 'earliest':
    case 'latest':
      return start.from
    case 'timestamp':
      return { timestamp: millisOf(start.timestamp) }
    case 'offsets':
      return { offsets: byTopic(start.offsets) }
  }
}

/** Milliseconds since 1970, rounded up: the first record at this time or later is meant. */
function millisOf(written: string): number {
  const timestamp = parseTimestamp(written)
  if (timestamp === null) throw new BugError(`${written} was taken for a timestamp`)
  return Number((microsOf(timestamp) + 999n) / 1000n)
}

/** `topic:partition` to offset, by topic. */
function byTopic(
  offsets: Readonly<Record<string, number>>,
): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const topics = new Map<string, Map<number, number>>()
  for (const [place, offset] of Object.entries(offsets)) {
    const colon = place.lastIndexOf(':')
    const topic = place.slice(0, colon)
    const partitions = topics.get(topic) ?? new Map<number, number>()
    topics.set(topic, partitions.set(Number(place.slice(colon + 1)), offset))
  }
  return topics
}
