import type { Message } from '../../formats/message.ts'
import type { BatchLimits, Checkpoint } from '../../ports/source.ts'
import type { Chunk, Partition } from './partition.ts'
import type { Positions } from './positions.ts'

/** Messages to be committed together, and where their partitions stand after them. */
export type MessageBatch = {
  readonly messages: readonly Message[]
  readonly checkpoints: readonly Checkpoint[]
}

/** How a message is told from one that is larger: its key, value and headers. */
export function sizeOf({ key, value, headers }: Message): number {
  let size = (key?.length ?? 0) + (value?.length ?? 0)
  for (const [name, held] of headers) size += name.length + (held?.length ?? 0)
  return size
}

/**
 * Fills batches with chunks up to the limits of records and bytes. What is too much waits for
 * the next batch; what was fetched of a partition that failed or was taken away is left out.
 */
export class BatchAssembly {
  readonly #positions: Positions
  readonly #limits: BatchLimits
  readonly #waiting: Chunk[] = []
  #taken: Chunk[] = []
  #records = 0
  #bytes = 0

  constructor(positions: Positions, limits: BatchLimits) {
    this.#positions = positions
    this.#limits = limits
  }

  /** Records in the batch so far. */
  get records(): number {
    return this.#records
  }

  get isFull(): boolean {
    return this.#records >= this.#limits.maxRecords || this.#bytes >= this.#limits.maxBytes
  }

  /** Whether there is anything to commit. */
  get hasMoved(): boolean {
    return this.#taken.length > 0 || this.#positions.isUnsaved
  }

  add(chunks: readonly Chunk[]): void {
    this.#waiting.push(...chunks)
    this.#fill()
  }

  /** The batch; the next one begins with what was too much for it. */
  take(): MessageBatch {
    const taken = this.#taken.filter(({ partition }) => !partition.isGone)
    const ends = new Map<Partition, { readonly next: number; readonly last: Message | null }>()
    for (const { partition, messages, next } of taken) {
      ends.set(partition, { next, last: messages.at(-1) ?? ends.get(partition)?.last ?? null })
    }
    for (const [{ stream }, { next, last }] of ends) this.#positions.move(stream, next, last)

    const messages = taken.flatMap((chunk) => chunk.messages)
    this.#taken = []
    this.#records = 0
    this.#bytes = 0
    this.#fill()
    return { messages, checkpoints: this.#positions.takeUnsaved() }
  }

  #fill(): void {
    while (!this.isFull) {
      const chunk = this.#waiting.shift()
      if (chunk === undefined) return
      if (!chunk.partition.isGone) this.#put(chunk)
    }
  }

  /** Puts as much of a chunk into the batch as fits; at least one message. */
  #put({ partition, messages, next }: Chunk): void {
    const { maxRecords, maxBytes } = this.#limits
    let count = 0
    for (const message of messages) {
      if (this.#records >= maxRecords || this.#bytes >= maxBytes) break
      this.#records += 1
      this.#bytes += sizeOf(message)
      count += 1
    }
    const after = messages[count]
    if (after === undefined) {
      this.#taken.push({ partition, messages, next })
      return
    }
    const fitting = messages.slice(0, count)
    this.#taken.push({ partition, messages: fitting, next: (fitting.at(-1)?.offset ?? 0) + 1 })
    this.#waiting.unshift({ partition, messages: messages.slice(count), next })
  }
}
