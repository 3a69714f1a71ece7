/**
 * Writes the primitive types of the Kafka protocol, big-endian, one after the other.
 *
 * `compact` lengths and `tags` belong to the flexible versions (Metadata 9 and later).
 */
export class WireWriter {
  readonly #parts: Buffer[] = []

  /** What was written so far, as one buffer. */
  bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }

  int8(value: number): this {
    return this.#fixed(1, (buffer) => buffer.writeInt8(value))
  }

  int16(value: number): this {
    return this.#fixed(2, (buffer) => buffer.writeInt16BE(value))
  }

  int32(value: number): this {
    return this.#fixed(4, (buffer) => buffer.writeInt32BE(value))
  }

  uint32(value: number): this {
    return this.#fixed(4, (buffer) => buffer.writeUInt32BE(value))
  }

  int64(value: bigint): this {
    return this.#fixed(8, (buffer) => buffer.writeBigInt64BE(value))
  }

  raw(value: Buffer): this {
    this.#parts.push(value)
    return this
  }

  string(value: string | null): this {
    if (value === null) return this.int16(-1)
    const text = Buffer.from(value)
    return this.int16(text.length).raw(text)
  }

  blob(value: Buffer | null): this {
    if (value === null) return this.int32(-1)
    return this.int32(value.length).raw(value)
  }

  list<T>(items: readonly T[], write: (item: T) => void): this {
    this.int32(items.length)
    for (const item of items) write(item)
    return this
  }

  /** An unsigned variable-length integer: seven bits a byte, the lowest first. */
  unsigned(value: bigint): this {
    const out: number[] = []
    let rest = value
    while (rest > 127n) {
      out.push(Number(rest & 127n) | 128)
      rest >>= 7n
    }
    out.push(Number(rest))
    return this.raw(Buffer.from(out))
  }

  /** A signed variable-length integer, zig-zag: 0, -1, 1, -2 are written as 0, 1, 2, 3. */
  signed(value: bigint): this {
    return this.unsigned(value < 0n ? -2n * value - 1n : 2n * value)
  }

  /** Bytes behind their zig-zag length; null is length -1. */
  varBlob(value: Buffer | null): this {
    if (value === null) return this.signed(-1n)
    return this.signed(BigInt(value.length)).raw(value)
  }

  compactString(value: string | null): this {
    if (value === null) return this.unsigned(0n)
    const text = Buffer.from(value)
    return this.unsigned(BigInt(text.length + 1)).raw(text)
  }

  compactList<T>(items: readonly T[], write: (item: T) => void): this {
    this.unsigned(BigInt(items.length + 1))
    for (const item of items) write(item)
    return this
  }

  /** No tagged fields. */
  noTags(): this {
    return this.unsigned(0n)
  }

  #fixed(size: number, write: (buffer: Buffer) => void): this {
    const buffer = Buffer.alloc(size)
    write(buffer)
    return this.raw(buffer)
  }
}

/** Reads the primitive types of the Kafka protocol out of one request. Reading past its end throws a RangeError. */
export class WireReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  int8(): number {
    return this.#bytes.readInt8(this.#step(1))
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#step(2))
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#step(4))
  }

  int64(): bigint {
    return this.#bytes.readBigInt64BE(this.#step(8))
  }

  raw(size: number): Buffer {
    const start = this.#step(size)
    return this.#bytes.subarray(start, start + size)
  }

  nullableString(): string | null {
    const size = this.int16()
    return size < 0 ? null : this.raw(size).toString()
  }

  string(): string {
    return this.nullableString() ?? ''
  }

  blob(): Buffer {
    const size = this.int32()
    return size < 0 ? Buffer.alloc(0) : this.raw(size)
  }

  /** A list, or null where its length is -1. */
  nullableList<T>(read: () => T): T[] | null {
    const size = this.int32()
    return size < 0 ? null : Array.from({ length: size }, read)
  }

  list<T>(read: () => T): T[] {
    return this.nullableList(read) ?? []
  }

  unsigned(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes.readUInt8(this.#step(1))
      value += (byte & 127) * 2 ** shift
      if (byte < 128) return value
    }
  }

  compactNullableString(): string | null {
    const size = this.unsigned()
    return size === 0 ? null : this.raw(size - 1).toString()
  }

  compactNullableList<T>(read: () => T): T[] | null {
    const size = this.unsigned()
    return size === 0 ? null : Array.from({ length: size - 1 }, read)
  }

  /** Skips tagged fields. */
  skipTags(): void {
    for (let left = this.unsigned(); left > 0; left -= 1) {
      this.unsigned()
      this.raw(this.unsigned())
    }
  }

  #step(size: number): number {
    const start = this.#at
    this.#at += size
    return start
  }
}
