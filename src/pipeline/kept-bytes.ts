import type { Room } from '../ports/source.ts'

/** How much is taken at a time. */
const BLOCK_BYTES = 1 << 20

const SHORT = 512

/** Room for bytes that are worth keeping, out of larger pieces of memory that are not. */
export class KeptBytes implements Room {
  private block = Buffer.alloc(0)
  private used = 0

  /** Copies bytes; gives where they are now. */
  keep(
    bytes: Buffer,
    start: number,
    end: number,
  ): { readonly bytes: Buffer; readonly start: number } {
    const length = end - start
    if (this.used + length > this.block.length) {
      this.block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, length))
      this.used = 0
    }
    const at = this.used
    // A call into the runtime costs more than copying a short record.
    if (length > SHORT) bytes.copy(this.block, at, start, end)
    else for (let i = 0; i < length; i += 1) this.block[at + i] = bytes[start + i] ?? 0
    this.used += length
    return { bytes: this.block, start: at }
  }
}
