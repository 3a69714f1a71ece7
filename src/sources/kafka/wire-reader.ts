/**
 * Reads what a broker answered, from front to back.
 *
 * @throws RangeError when the bytes end too early, or lengths make no sense
 */
export class WireReader {
  readonly #bytes: Buffer
  readonly #isFlexible: boolean
  #at = 0

  /** @param isFlexible whether the version has short lengths and tagged fields (KIP-482) */
  constructor(bytes: Buffer, isFlexible: boolean) {
    this.#bytes = bytes
    this.#isFlexible = isFlexible
  }

  int8(): number {
    return this.#bytes.readInt8(this.#advance(1))
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#advance(2))
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#advance(4))
  }

  int64(): number {
    return int64At(this.#bytes, this.#advance(8))
  }

  boolean(): boolean {
    return this.int8() !== 0
  }

  /** Null is allowed everywhere. */
  text(): string | null {
    const length = this.#isFlexible ? this.#unsigned() - 1 : this.int16()
    return length < 0 ? null : this.#raw(length).toString('utf8')
  }

  /** Null where there are no bytes. A view. */
  blob(): Buffer | null {
    const length = this.#isFlexible ? this.#unsigned() - 1 : this.int32()
    return length < 0 ? null : this.#raw(length)
  }

  /** 32 hex digits. */
  uuid(): string {
    return this.#raw(16).toString('hex')
  }

  /** A null list counts as empty. */
  list<T>(read: () => T): T[] {
    const length = this.#isFlexible ? this.#unsigned() - 1 : this.int32()
    const items: T[] = []
    for (let i = 0; i < length; i++) items.push(read())
    return items
  }

  /** The end of a structure; its tagged fields are skipped. */
  end(): void {
    if (!this.#isFlexible) return
    for (let left = this.#unsigned(); left > 0; left--) {
      this.#unsigned()
      this.#raw(this.#unsigned())
    }
  }

  #unsigned(): number {
    let value = 0
    for (let scale = 1; scale <= 2 ** 28; scale *= 128) {
      const byte = this.#bytes.readUInt8(this.#advance(1))
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    throw new RangeError('a length of more than five bytes')
  }

  #raw(length: number): Buffer {
    const from = this.#advance(length)
    return this.#bytes.subarray(from, from + length)
  }

  #advance(length: number): number {
    const from = this.#at
    if (from + length > this.#bytes.length) throw new RangeError('the answer is cut short')
    this.#at += length
    return from
  }
}

/** A whole number of eight bytes that is expected to be below 2^53, such as an offset. */
export function int64At(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)
}
