import { malformed, MAX_DEPTH } from '../malformed.ts'
import { utf8Text, whole } from '../scalars.ts'
import type { Whole } from '../scalars.ts'

/**
 * Reads Avro's binary encoding, never beyond the end.
 *
 * Whatever the bytes claim, time and memory stay in proportion to their number: the items of all
 * arrays and maps together are bounded, and the fields of all records, also where they take no bytes.
 *
 * @throws Malformed
 */
export class AvroBytes {
  readonly #bytes: Buffer
  #at = 0
  #depth = 0
  #itemsLeft: number
  #fieldsLeft = FREE_FIELDS

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#itemsLeft = bytes.length + FREE_ITEMS
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  boolean(): boolean {
    const byte = this.#byte()
    if (byte > 1) malformed(`a boolean is 0x${byte.toString(16).padStart(2, '0')}`)
    return byte === 1
  }

  /** An integer of 32 bits, also an index. */
  int(): number {
    const n = this.long()
    if (n < -0x8000_0000 || n > 0x7fff_ffff) malformed(`an int is ${n}`)
    return Number(n)
  }

  /** An integer of 64 bits, exactly. */
  long(): Whole {
    const n = this.#varint()
    if (typeof n === 'bigint') return whole((n >> 1n) ^ -(n & 1n))
    return n % 2 === 0 ? n / 2 : -(n + 1) / 2
  }

  float(): number {
    return this.fixed(4).readFloatLE(0)
  }

  double(): number {
    return this.fixed(8).readDoubleLE(0)
  }

  bytes(): Buffer {
    return this.fixed(Number(this.long()))
  }

  string(): string {
    return utf8Text(this.bytes())
  }

  /** A view of this many bytes. */
  fixed(size: number): Buffer {
    if (size < 0) malformed(`a length is ${size}`)
    if (size > this.left) malformed(`${size} bytes are announced, and ${this.left} are left`)
    const start = this.#at
    this.#at += size
    return this.#bytes.subarray(start, this.#at)
  }

  /** Calls for each item of an array or a map, block by block. */
  items(item: () => void): void {
    for (;;) {
      const count = Number(this.long())
      if (count === 0) return
      // A negative count comes with the size of its block in bytes, for those who skip it.
      if (count < 0) this.long()
      const size = Math.abs(count)
      if (size > this.#itemsLeft) malformed(`${size} items are announced in ${this.left} bytes`)
      this.#itemsLeft -= size
      for (let i = 0; i < size; i += 1) item()
    }
  }

  /** Reads something that nests. */
  nested<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) malformed(`nested deeper than ${MAX_DEPTH}`)
    const result = read()
    this.#depth -= 1
    return result
  }

  /** Reads a record of this many fields; those that take no bytes at all are counted. */
  record<T>(fields: number, read: () => T): T {
    const start = this.#at
    const result = this.nested(read)
    if (this.#at > start) return result
    this.#fieldsLeft -= fields + 1
    if (this.#fieldsLeft < 0) malformed('the records have far more fields than bytes')
    return result
  }

  /** Without sign; a number up to 2^53, which takes no `bigint` on the way. */
  #varint(): number | bigint {
    let low = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte()
      low |= (byte & 0x7f) << shift
      if (byte < 0x80) return low
    }
    let high = 0
    for (let scale = 1; scale <= 2 ** 35; scale *= 128) {
      const byte = this.#byte()
      high += (byte & 0x7f) * scale
      if (byte >= 0x80) continue
      if (high < 2 ** 25) return high * 2 ** 28 + low
      if (high >= 2 ** 36) malformed('a long has more than 64 bits')
      return BigInt(high) * 268_435_456n + BigInt(low)
    }
    return malformed('a long has more than ten bytes')
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) malformed(`the payload ends after byte ${this.#bytes.length}`)
    this.#at += 1
    return byte
  }
}

/** Items that take no bytes, such as nulls, beyond one per byte of the payload. */
const FREE_ITEMS = 65_536

/** Fields of records that take no bytes. */
const FREE_FIELDS = 1_048_576
