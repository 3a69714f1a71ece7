/** How much is taken at a time. */
const BLOCK_BYTES = 1 << 20

/** Room for bytes that are worth keeping, out of larger pieces of memory that are not. */
export class Room {
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
    bytes.copy(this.block, at, start, end)
    this.used += length
    return { bytes: this.block, start: at }
  }
}
