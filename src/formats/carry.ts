import { KEPT_BYTES } from './framing.ts'

const NOTHING = Buffer.alloc(0)

/**
 * The bytes of a record that began in an earlier chunk. Beyond a limit only their number and
 * the first 64 KiB are kept, so that a record without end takes no memory.
 */
export class Carry {
  readonly #limit: number
  #chunks: Buffer[] = []
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** How many bytes the record has so far. */
  get length(): number {
    return this.#length
  }

  /** Whether the record is beyond the limit, so that most of it is gone. */
  get isOverfull(): boolean {
    return this.#length > this.#limit
  }

  /** Adds the next bytes of the record. */
  add(bytes: Buffer): void {
    if (bytes.length === 0) return
    const wasOverfull = this.isOverfull
    this.#length += bytes.length
    if (wasOverfull) return
    this.#chunks.push(bytes)
    if (this.isOverfull) this.#chunks = [Buffer.from(this.head())]
  }

  /** The whole record, or what is kept of it, with its last bytes; empty afterwards. */
  take(last: Buffer): Buffer {
    this.add(last)
    const [first = NOTHING, ...rest] = this.#chunks
    const bytes = rest.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#length = 0
    return bytes
  }

  /** The first 64 KiB at most. */
  private head(): Buffer {
    return Buffer.concat(this.#chunks).subarray(0, KEPT_BYTES)
  }
}
