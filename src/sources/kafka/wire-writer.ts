/** Builds the body of a request to a broker, as Kafka's protocol has it: big-endian. */
export class WireWriter {
  readonly #isFlexible: boolean
  #bytes = Buffer.allocUnsafe(1024)
  #length = 0

  /** @param isFlexible whether the version has short lengths and tagged fields (KIP-482) */
  constructor(isFlexible: boolean) {
    this.#isFlexible = isFlexible
  }

  int8(value: number): this {
    this.#length = this.#room(1).writeInt8(value, this.#length)
    return this
  }

  int16(value: number): this {
    this.#length = this.#room(2).writeInt16BE(value, this.#length)
    return this
  }

  int32(value: number): this {
    this.#length = this.#room(4).writeInt32BE(value, this.#length)
    return this
  }

  int64(value: number): this {
    this.#length = this.#room(8).writeBigInt64BE(BigInt(value), this.#length)
    return this
  }

  text(value: string): this {
    const bytes = Buffer.from(value, 'utf8')
    if (this.#isFlexible) this.#varint(bytes.length + 1)
    else this.int16(bytes.length)
    return this.#raw(bytes)
  }

  /** A UUID as 32 hex digits. */
  uuid(hex: string): this {
    return this.#raw(Buffer.from(hex, 'hex'))
  }

  /** Each item as `write` does it; null is not the same as no items. */
  list<T>(items: readonly T[] | null, write: (item: T) => void): this {
    if (this.#isFlexible) this.#varint(items === null ? 0 : items.length + 1)
    else this.int32(items === null ? -1 : items.length)
    for (const item of items ?? []) write(item)
    return this
  }

  /** The end of a structure: no tagged fields. */
  end(): this {
    return this.#isFlexible ? this.int8(0) : this
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  #varint(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.#length = this.#room(1).writeUInt8((rest & 0x7f) | 0x80, this.#length)
      rest >>>= 7
    }
    this.#length = this.#room(1).writeUInt8(rest, this.#length)
  }

  #raw(bytes: Buffer): this {
    bytes.copy(this.#room(bytes.length), this.#length)
    this.#length += bytes.length
    return this
  }

  #room(size: number): Buffer {
    if (this.#length + size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (this.#length + size))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    return this.#bytes
  }
}
