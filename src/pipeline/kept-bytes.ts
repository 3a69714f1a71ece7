import { copyBytes } from '../formats/copy-bytes.ts'
import type { Room } from '../ports/source.ts'

/** How much is taken at a time. */
const BLOCK_BYTES = 1 << 20

/** Room for bytes that are worth keeping, out of larger pieces of memory that are not. */
export class KeptBytes implements Room {
  /** How many bytes have been taken. */
  bytes = 0
  private block = Buffer.alloc(0)
  private used = 0

  /** Copies bytes, with some room for longer ones that may come to their place. */
  keep(bytes: Buffer, start: number, end: number): ReturnType<Room['keep']> {
    const length = end - start
    const size = length + (length >> 3)
    if (this.used + size > this.block.length) {
      this.block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, size))
      this.used = 0
      this.bytes += this.block.length
    }
    const at = this.used
    copyBytes(bytes, { start, end }, this.block, at)
    this.used += size
    return { bytes: this.block, start: at, size }
  }
}
