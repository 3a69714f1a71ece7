import type { BatchLimits, Checkpoint, SourceBatch, SourceRecord } from '../../ports/source.ts'

/** The batch that is being filled, with records of one file or several. */
export class BatchFilling {
  readonly #limits: BatchLimits
  readonly #known: Map<string, Checkpoint>
  #records: SourceRecord[] = []
  #bytes = 0
  #moved = new Map<string, Checkpoint>()

  /** @param known where each file stands; moves along with what is read */
  constructor(limits: BatchLimits, known: Map<string, Checkpoint>) {
    this.#limits = limits
    this.#known = known
  }

  /** Whether the batch has reached one of its limits. */
  get isFull(): boolean {
    const { maxRecords, maxBytes } = this.#limits
    return this.#records.length >= maxRecords || this.#bytes >= maxBytes
  }

  /** Whether there is anything to commit. */
  get hasMoved(): boolean {
    return this.#moved.size > 0
  }

  /** Adds a record; `moveTo` has to follow before the batch is taken. */
  add(record: SourceRecord): void {
    this.#records.push(record)
    this.#bytes += record.size ?? record.bytes.length
  }

  /** Says how far a file was read. */
  moveTo(checkpoint: Checkpoint): void {
    const before = this.#known.get(checkpoint.name)
    if (before?.next === checkpoint.next && before.state === checkpoint.state) return
    // A file of which nothing was read yet is not worth a checkpoint.
    if (before === undefined && checkpoint.next === 1 && this.#records.length === 0) return
    this.#known.set(checkpoint.name, checkpoint)
    this.#moved.set(checkpoint.name, checkpoint)
  }

  /** The batch, and a new one begins. */
  take(): SourceBatch {
    const batch = {
      records: this.#records,
      checkpoints: [...this.#moved.values()],
      bytes: this.#bytes,
    }
    this.#records = []
    this.#bytes = 0
    this.#moved = new Map()
    return batch
  }
}
