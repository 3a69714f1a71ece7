import { RegistersFold } from '../core/registers-fold.ts'
import type { Checkpoint, SourceBatch, StreamName } from '../ports/source.ts'
import type { BatchReading } from './batch-reading.ts'
import { KeptBytes } from './kept-bytes.ts'
import { LaterUpsert } from './later-upsert.ts'

/** What may be kept of what was read, in bytes as far as they can be told. */
const MOST_BYTES = 104 * 1024 * 1024

/** What the newest change of a key takes beside the bytes of its record. */
const FOLDED_BYTES = 200

/** What a change among all of its key takes, while it is merged too. */
const LISTED_BYTES = 800

/** Work that a crash may undo. */
const MOST_RECORDS = 4_000_000

/** What has been read and is not committed yet. */
export class PendingBatch {
  readonly reading: BatchReading
  /** How many bytes the records took in their source. */
  bytes = 0
  private readonly mostBytes: number
  private records = 0
  private readonly moved = new Map<string, Checkpoint>()
  /** Bytes of records that are held whole, whether or not anything of them is still needed. */
  private held = 0
  /** Bytes of records that were needed when that was last looked at. */
  private needed = 0

  constructor(reading: BatchReading, mostBytes = MOST_BYTES) {
    this.reading = reading
    this.mostBytes = mostBytes
  }

  /** @throws TidemarkError `TOO_MANY_REFUSED` */
  add({ records, checkpoints, bytes = 0 }: SourceBatch): void {
    for (const record of records) this.reading.add(record)
    for (const checkpoint of checkpoints) this.moved.set(nameOf(checkpoint), checkpoint)
    this.records += records.length
    this.bytes += bytes
    this.held += bytes
  }

  get isEmpty(): boolean {
    return this.records === 0 && this.moved.size === 0
  }

  /** Whether memory, or the work that a crash may undo, asks for a commit. */
  get isFull(): boolean {
    if (this.records >= MOST_RECORDS) return true
    if (this.size < this.mostBytes) return false
    if (this.reading.fold === null) return true
    this.letGo()
    // Looking again soon would find nothing to let go.
    return this.size >= this.mostBytes * (this.reading.fold instanceof RegistersFold ? 0.95 : 0.8)
  }

  /** Where the streams stand after what was read. */
  get checkpoints(): readonly Checkpoint[] {
    return [...this.moved.values()]
  }

  private get size(): number {
    const { fold, asideBytes } = this.reading
    // Joined changes leave nothing of their records behind.
    if (fold instanceof RegistersFold) return fold.bytes + asideBytes
    const changes = fold === null ? this.records * LISTED_BYTES : fold.size * FOLDED_BYTES
    return this.held + this.needed + asideBytes + changes
  }

  /** Lets go of the records of which nothing is needed any more. */
  private letGo(): void {
    const { fold } = this.reading
    if (fold instanceof RegistersFold) fold.tidy()
    if (fold === null || fold instanceof RegistersFold) return
    const room = new KeptBytes()
    this.needed = 0
    for (const change of fold.changes()) {
      if (change instanceof LaterUpsert) this.needed += change.moveTo(room)
    }
    this.held = 0
  }
}

function nameOf({ name, partition }: StreamName): string {
  return `${partition} ${name}`
}
