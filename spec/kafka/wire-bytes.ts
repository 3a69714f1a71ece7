/**
 * How lengths are written: `plain` in two or four bytes, `flexible` as variable-length integers one too
 * large, with a place for tagged fields behind every structure (Metadata since 9, Fetch since 12).
 */
export type Form = 'plain' | 'flexible'

/** Writes the primitive types of the Kafka protocol, big-endian, one after the other. */
export class WireWriter {
  readonly #form: Form
  readonly #parts: Buffer[] = []

  constructor(form: Form = 'plain') {
    this.#form = form
  }

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
    const text = value === null ? null : Buffer.from(value)
    if (this.#form === 'plain') this.int16(text?.length ?? -1)
    else this.#compactLength(text)
    return text === null ? this : this.raw(text)
  }

  blob(value: Buffer | null): this {
    if (this.#form === 'plain') this.int32(value?.length ?? -1)
    else this.#compactLength(value)
    return value === null ? this : this.raw(value)
  }

  list<T>(items: readonly T[], write: (item: T) => void): this {
    if (this.#form === 'plain') this.int32(items.length)
    else this.#compactLength(items)
    for (const item of items) write(item)
    return this
  }

  /** Ends a structure: in the flexible form, with no tagged fields. */
  end(): this {
    return this.#form === 'plain' ? this : this.unsigned(0n)
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

  #compactLength(value: { readonly length: number } | null): void {
    this.unsigned(value === null ? 0n : BigInt(value.length + 1))
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
  #form: Form = 'plain'
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Reads the rest in another form. */
  as(form: Form): void {
    this.#form = form
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
    const size = this.#form === 'plain' ? this.int16() : this.unsigned() - 1
    return size < 0 ? null : this.raw(size).toString()
  }

  string(): string {
    return this.nullableString() ?? ''
  }

  blob(): Buffer {
    const size = this.#length()
    return size < 0 ? Buffer.alloc(0) : this.raw(size)
  }

  /** A list, or null where it is sent as null. */
  nullableList<T>(read: () => T): T[] | null {
    const size = this.#length()
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

  /** Ends a structure: in the flexible form, skips its tagged fields. */
  end(): void {
    if (this.#form === 'plain') return
    for (let left = this.unsigned(); left > 0; left -= 1) {
      this.unsigned()
      this.raw(this.unsigned())
    }
  }

  #length(): number {
    return this.#form === 'plain' ? this.int32() : this.unsigned() - 1
  }

  #step(size: number): number {
    const start = this.#at
    this.#at += size
    return start
  }
}
