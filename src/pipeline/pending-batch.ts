import { streamKey, type Checkpoint, type SourceBatch } from '../ports/source.ts'
import type { BatchReading } from './batch-reading.ts'
import { memoryOf, type GatheredMemory } from './gathered-memory.ts'

/** What may be kept of what was read, in bytes as far as they can be told. */
const MOST_BYTES = 104 * 1024 * 1024

/** Work that a crash may undo. */
const MOST_RECORDS = 4_000_000

/** What has been read and is not committed yet. */
export class PendingBatch {
  readonly reading: BatchReading
  /** How many bytes the records took in their source. */
  bytes = 0
  private readonly mostBytes: number
  private readonly memory: GatheredMemory
  private records = 0
  private readonly moved = new Map<string, Checkpoint>()

  constructor(reading: BatchReading, mostBytes = MOST_BYTES) {
    this.reading = reading
    this.mostBytes = mostBytes
    this.memory = memoryOf(reading.fold)
  }

  /** @throws TidemarkError `TOO_MANY_REFUSED` */
  add({ records, checkpoints, bytes = 0 }: SourceBatch): void {
    for (const record of records) this.reading.add(record)
    for (const checkpoint of checkpoints) this.moved.set(streamKey(checkpoint), checkpoint)
    this.records += records.length
    this.bytes += bytes
    this.memory.read(records.length, bytes)
  }

  /** Whether memory, or the work that a crash may undo, asks for a commit. */
  get isFull(): boolean {
    if (this.records >= MOST_RECORDS) return true
    if (this.size < this.mostBytes) return false
    this.memory.tidy()
    return this.size >= this.mostBytes * this.memory.enough
  }

  /** Where the streams stand after what was read. */
  get checkpoints(): readonly Checkpoint[] {
    return [...this.moved.values()]
  }

  private get size(): number {
    return this.memory.bytes + this.reading.asideBytes
  }
}
