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
  #isCut = false

  constructor(limit: number) {
    this.#limit = Math.max(limit, KEPT_BYTES)
  }

  /** How many bytes the record has so far. */
  get length(): number {
    return this.#length
  }

  /** Whether the record is beyond the limit, so that most of it is gone. */
  get isCut(): boolean {
    return this.#isCut
  }

  /** The last byte that was added. */
  get lastByte(): number | undefined {
    return this.#chunks.at(-1)?.at(-1)
  }

  /** Adds the next bytes of the record. */
  add(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#length += bytes.length
    if (this.#isCut) this.#chunks[1] = bytes.subarray(-1)
    else this.#chunks.push(bytes)
    if (this.#isCut || this.#length <= this.#limit) return

    const head = Buffer.concat(this.#chunks).subarray(0, KEPT_BYTES)
    this.#chunks = [Buffer.from(head), bytes.subarray(-1)]
    this.#isCut = true
  }

  /** The whole record, or the first 64 KiB of one beyond the limit; empty afterwards. */
  take(): Buffer {
    const [first = NOTHING, ...rest] = this.#chunks
    const bytes = this.#isCut || rest.length === 0 ? first : Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#length = 0
    this.#isCut = false
    return bytes
  }
}
