import { encodeBatch } from './record-batch.ts'
import type { ScriptedBatch } from './record-batch.ts'
import { filled } from './scripted-log.ts'

/** A transaction that a fetch answer declares as aborted. */
export type AbortedTransaction = { readonly producer: bigint; readonly first: bigint }

/**
 * A partition as it should look to clients. What is left out follows from the rest: `low` is the first
 * offset of the log or 0, `high` (the high watermark) the end of the log, `lso` (the last stable
 * offset) is `high`, and a log without entries is {@link filled} from `low` to `high`.
 */
export type PartitionScript = {
  readonly low?: bigint
  readonly high?: bigint
  readonly lso?: bigint
  readonly log?: readonly ScriptedBatch[]
  /** Answers this list to every fetch instead of the one that follows from the markers of the log. */
  readonly aborted?: readonly AbortedTransaction[]
}

export type TopicScript = { readonly partitions: readonly PartitionScript[] }

/** A partition while the broker runs; the mutators of the script replace it as a whole. */
export type Partition = {
  readonly low: bigint
  readonly high: bigint
  readonly lso: bigint
  readonly log: readonly ScriptedBatch[]
  readonly aborted: readonly AbortedTransaction[] | null
}

/** A topic while the broker runs. The id changes when the topic is recreated. */
export type Topic = { readonly id: Buffer; readonly partitions: readonly Partition[] }

/** A partition with everything that its script left out. */
export function partitionOf(script: PartitionScript): Partition {
  const given = script.log ?? []
  const low = script.low ?? given.at(0)?.first ?? 0n
  const end = given.reduce((most, { last }) => (last >= most ? last + 1n : most), low)
  const high = script.high ?? end
  return {
    low,
    high,
    lso: script.lso ?? high,
    log: script.log ?? filled(low, high),
    aborted: script.aborted ?? null,
  }
}

/** The `number`th topic id that a broker gives away, 16 bytes. */
export function topicId(number: number): Buffer {
  const id = Buffer.alloc(16)
  id.writeUInt32BE(0x71de0000, 0)
  id.writeUInt32BE(number, 12)
  return id
}

/** What a fetch asks of one partition. */
export type FetchRequest = {
  readonly offset: bigint
  readonly isolation: 'read_committed' | 'read_uncommitted'
  readonly maxBytes: number
}

/** The whole batches from the one that covers the offset on, at least one, at most as many as fit. */
export function batchesFor(partition: Partition, request: FetchRequest): readonly ScriptedBatch[] {
  const end = request.isolation === 'read_committed' ? partition.lso : partition.high
  const out: ScriptedBatch[] = []
  let size = 0
  for (const batch of partition.log) {
    if (batch.last < request.offset || batch.last < partition.low || batch.first >= end) continue
    size += encoded(batch).length
    if (out.length > 0 && size > request.maxBytes) break
    out.push(batch)
  }
  return out
}

/** The aborted transactions that overlap the offsets from `from` to the last one of the batches. */
export function abortedIn(
  partition: Partition,
  from: bigint,
  batches: readonly ScriptedBatch[],
): readonly AbortedTransaction[] {
  if (partition.aborted !== null) return partition.aborted
  const to = batches.at(-1)?.last ?? from
  const open = new Map<bigint, bigint>()
  const out: AbortedTransaction[] = []
  for (const { transaction, marker, first } of partition.log) {
    if (transaction === null) continue
    const began = open.get(transaction)
    if (marker === null) open.set(transaction, began ?? first)
    if (marker === null) continue
    open.delete(transaction)
    const overlaps = began !== undefined && began <= to && first >= from
    if (marker === 'abort' && overlaps) out.push({ producer: transaction, first: began })
  }
  return out
}

/** The bytes of a batch; encoded once. */
export function encoded(batch: ScriptedBatch): Buffer {
  const known = ENCODED.get(batch)
  if (known !== undefined) return known
  const bytes = encodeBatch(batch)
  ENCODED.set(batch, bytes)
  return bytes
}

const ENCODED = new WeakMap<ScriptedBatch, Buffer>()
