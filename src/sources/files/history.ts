import { BugError } from '../../core/errors.ts'
import { DIGESTED_BYTES } from './digest.ts'

/** The last bytes of a file that were read, as far back as a checkpoint may still need them. */
export class History {
  /** The first 4 KiB of the file, as far as they were read. */
  #head: Buffer = Buffer.alloc(0)
  #chunks: Buffer[] = []
  /** Offset of the first chunk. */
  #from = 0
  #to = 0

  /** Begins in the middle of a file: with its first bytes, and with those before an offset. */
  static at(offset: number, head: Buffer, block: Buffer): History {
    const history = new History()
    history.#head = head.subarray(0, Math.min(offset, DIGESTED_BYTES))
    history.#chunks = [block]
    history.#from = offset - block.length
    history.#to = offset
    return history
  }

  /** Offset after the last byte. */
  get end(): number {
    return this.#to
  }

  /** Adds the bytes that follow. */
  push(chunk: Buffer): void {
    const missing = DIGESTED_BYTES - this.#head.length
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)])
    this.#chunks.push(chunk)
    this.#to += chunk.length
  }

  /** Lets go of what no checkpoint at `offset` or later needs. */
  forget(offset: number): void {
    for (;;) {
      const first = this.#chunks[0]
      if (first === undefined || this.#from + first.length > offset - DIGESTED_BYTES) return
      this.#chunks.shift()
      this.#from += first.length
    }
  }

  /** The start of the file up to an offset, at most 4 KiB. */
  headTo(offset: number): Buffer {
    return this.#head.subarray(0, offset)
  }

  /** Up to 4 KiB before an offset, as a copy. */
  blockBefore(offset: number): Buffer {
    if (offset < this.#from || offset > this.#to)
      throw new BugError(`offset ${offset} is forgotten`)
    const start = Math.max(this.#from, offset - DIGESTED_BYTES)
    const parts: Buffer[] = []
    let at = this.#from
    for (const chunk of this.#chunks) {
      if (at < offset && at + chunk.length > start) {
        parts.push(chunk.subarray(Math.max(0, start - at), offset - at))
      }
      at += chunk.length
    }
    return Buffer.concat(parts)
  }
}
