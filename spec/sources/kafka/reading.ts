import type { MessageFormat } from '../../../src/formats/message.ts'
import type { BatchLimits, Checkpoint, Source, SourceBatch } from '../../../src/ports/source.ts'
import { CODECS } from '../../../src/sources/kafka/codecs.ts'
import { openKafka } from '../../../src/sources/kafka/kafka.ts'
import type { KafkaSourceOptions } from '../../../src/sources/kafka/options.ts'

/** What a source said while it was read. */
export type Notices = { event: string; fields: Readonly<Record<string, unknown>> }[]

/** Never waits to fill a batch for long. */
export const LIMITS: BatchLimits = { maxRecords: 1000, maxBytes: 1_000_000, maxDelayMs: 10 }

/** Leaves a message as it is: its value is the reason why it is ignored. */
const VALUES: MessageFormat = {
  decode: ({ value }) => ({ kind: 'ignored', reason: value?.toString('utf8') ?? 'null' }),
}

/** Options for a topic `t` that give up soon. */
export function optionsOf(
  address: string,
  own: Partial<KafkaSourceOptions> = {},
): KafkaSourceOptions {
  return {
    brokers: [address],
    clientId: 'spec',
    groupId: null,
    topics: ['t'],
    ssl: false,
    sasl: null,
    start: 'earliest',
    isolation: 'read_committed',
    maxRecordBytes: 1_000_000,
    codecs: CODECS,
    onNotice: () => undefined,
    metadataMaxAgeMs: 50,
    retry: { attempts: 4, firstDelayMs: 10, longestDelayMs: 100 },
    format: VALUES,
    ...own,
  }
}

/** A source with {@link optionsOf}. */
export function sourceOf(address: string, own: Partial<KafkaSourceOptions> = {}): Source {
  return openKafka(optionsOf(address, own))
}

/** What a bounded run reads: `t:0@5 value` for each record, and where the partitions stand after it. */
export async function readAll(
  source: Source,
  after: readonly Checkpoint[] = [],
  limits = LIMITS,
): Promise<Read> {
  return collect(source.read(after, 'bounded', limits, AbortSignal.timeout(10_000)))
}

export type Read = {
  readonly records: readonly string[]
  readonly ends: Readonly<Record<string, number>>
  /** To go on from. */
  readonly checkpoints: readonly Checkpoint[]
  readonly batchSizes: readonly number[]
}

/** Reads on until the condition holds of everything that was read so far. */
export async function readUntil(
  source: Source,
  isEnough: (read: Read) => boolean,
  {
    after = [],
    limits = LIMITS,
    patienceMs = 10_000,
  }: {
    readonly after?: readonly Checkpoint[]
    readonly limits?: BatchLimits
    readonly patienceMs?: number
  } = {},
): Promise<Read> {
  const enough = new AbortController()
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(patienceMs)])
  const batches: SourceBatch[] = []
  for await (const batch of source.read(after, 'continuous', limits, signal)) {
    batches.push(batch)
    if (isEnough(readOf(batches))) enough.abort()
  }
  if (!enough.signal.aborted) throw new Error(`read only ${JSON.stringify(readOf(batches).ends)}`)
  return readOf(batches)
}

async function collect(batches: AsyncIterable<SourceBatch>): Promise<Read> {
  const all: SourceBatch[] = []
  for await (const batch of batches) all.push(batch)
  return readOf(all)
}

/** What batches hold. */
export function readOf(batches: readonly SourceBatch[]): Read {
  const last = new Map<string, Checkpoint>()
  for (const checkpoint of batches.flatMap(({ checkpoints }) => checkpoints)) {
    last.set(`${checkpoint.name}:${checkpoint.partition}`, checkpoint)
  }
  return {
    records: batches.flatMap(({ records }) =>
      records.map(({ stream, number, decoded }) => {
        const text = decoded.kind === 'ignored' ? decoded.reason : JSON.stringify(decoded)
        return `${stream.name}:${stream.partition}@${number} ${text}`
      }),
    ),
    ends: Object.fromEntries([...last].map(([name, { next }]) => [name, next])),
    checkpoints: [...last.values()],
    batchSizes: batches.map(({ records }) => records.length),
  }
}

/** A checkpoint of `t` that remembers nothing. */
export function checkpointAt(next: number, partition = 0): Checkpoint {
  return { name: 't', partition, next, state: '' }
}
