import { TidemarkError } from '../../core/errors.ts'
import type { Message } from '../../formats/message.ts'
import type { StreamName } from '../../ports/source.ts'
import { CODEC_NAMES } from './codecs.ts'
import type { Codecs } from './codecs.ts'
import type { AbortedTransaction } from './fetch-api.ts'
import { BrokenBatch, recordBatches } from './record-batch.ts'
import type { RecordBatch } from './record-batch.ts'
import { isAbort, messagesOf } from './record-cutting.ts'

/** What to take of the bytes that were fetched. */
export type Window = {
  readonly stream: StreamName
  /** Offset that was asked for; batches may begin before it. */
  readonly from: number
  /** Offset at which to stop, not included. */
  readonly until: number
  /** Transactions whose data is not to be seen, as the broker told with these bytes. */
  readonly aborted: readonly AbortedTransaction[]
}

/**
 * The data in what was fetched, and the offset to read next: it moves over marks of
 * transactions, given-up data and batches that compaction emptied, and stays where there was no
 * whole batch.
 *
 * @throws BrokenBatch for bytes that are not as they were written
 * @throws TidemarkError `CODEC_MISSING`
 */
export async function visibleRecords(
  bytes: Buffer,
  { stream, from, until, aborted }: Window,
  codecs: Codecs,
): Promise<{ readonly messages: readonly Message[]; readonly next: number }> {
  const givenUp = new GivenUp(aborted)
  const parts: Message[][] = []
  let next = from
  for (const batch of recordBatches(bytes)) {
    if (batch.lastOffset < next) {
      givenUp.hides(batch)
      continue
    }
    if (batch.baseOffset >= until) break
    if (!givenUp.hides(batch) && !batch.isControl && batch.count > 0) {
      const records = await unpacked(batch, stream, codecs)
      parts.push(messagesOf(batch, records, { stream, from: next, until }))
    }
    next = Math.min(batch.lastOffset + 1, until)
  }
  return { messages: parts.length === 1 ? (parts[0] ?? []) : parts.flat(), next }
}

/**
 * Knows at each batch which producers are inside a transaction that was given up.
 *
 * Marks are told by the batch being a control batch, never by a record's key, and every
 * transaction that began up to a batch's end is taken in before the batch is judged.
 */
class GivenUp {
  readonly #toCome: AbortedTransaction[]
  readonly #producers = new Set<number>()

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#toCome = aborted.toSorted((a, b) => b.firstOffset - a.firstOffset)
  }

  /** Whether the batch is data of a transaction that was given up. In the order of the log. */
  hides(batch: RecordBatch): boolean {
    if (this.#toCome.length === 0 && this.#producers.size === 0) return false
    for (;;) {
      const first = this.#toCome.at(-1)
      if (first === undefined || first.firstOffset > batch.lastOffset) break
      this.#producers.add(first.producerId)
      this.#toCome.pop()
    }
    if (!batch.isControl) return batch.isTransactional && this.#producers.has(batch.producerId)
    if (batch.count > 0 && isAbort(batch.records)) this.#producers.delete(batch.producerId)
    return false
  }
}

async function unpacked(batch: RecordBatch, stream: StreamName, codecs: Codecs): Promise<Buffer> {
  if (batch.codec === 0) return batch.records
  const known = CODEC_NAMES[batch.codec - 1]
  const unpack = known === undefined ? undefined : codecs[known]
  const name = known ?? `number ${batch.codec}`
  if (unpack === undefined) {
    const { name: topic, partition } = stream
    throw new TidemarkError(
      'CODEC_MISSING',
      `${topic}:${partition} offset ${batch.baseOffset} is packed with ${name}, for which no codec is there`,
      { topic, partition, offset: batch.baseOffset, codec: name },
    )
  }
  try {
    return await unpack(batch.records)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BrokenBatch(`the batch at offset ${batch.baseOffset} is no ${name}: ${reason}`)
  }
}
