import { malformed, MAX_DEPTH } from '../malformed.ts'
import { utf8Text, whole } from '../scalars.ts'
import type { Whole } from '../scalars.ts'

/** How the value after a tag is laid out. */
export const WIRE = { VARINT: 0, FIXED64: 1, BYTES: 2, GROUP: 3, GROUP_END: 4, FIXED32: 5 } as const

/**
 * Reads Protobuf's wire format, never beyond the end.
 *
 * @throws Malformed
 */
export class ProtoBytes {
  readonly #bytes: Buffer
  readonly #depth: number
  #at = 0

  /** @param depth how many messages this one lies within */
  constructor(bytes: Buffer, depth = 0) {
    if (depth > MAX_DEPTH) malformed(`nested deeper than ${MAX_DEPTH}`)
    this.#bytes = bytes
    this.#depth = depth
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** A reader of a message within this one. */
  within(bytes: Buffer): ProtoBytes {
    return new ProtoBytes(bytes, this.#depth + 1)
  }

  /** Number and layout of the next field. */
  tag(): { readonly field: number; readonly wire: number } {
    const tag = Number(this.varint())
    const field = Math.floor(tag / 8)
    if (field < 1 || field > MAX_FIELD) malformed(`a field has number ${field}`)
    return { field, wire: tag % 8 }
  }

  /** An integer of up to 64 bits, without sign. */
  varint(): Whole {
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
      return whole(BigInt.asUintN(64, BigInt(high) * 268_435_456n + BigInt(low)))
    }
    return malformed('an integer has more than ten bytes')
  }

  /** An integer whose lowest bit is its sign. */
  zigzag(): Whole {
    const n = this.varint()
    if (typeof n === 'bigint') return whole((n >> 1n) ^ -(n & 1n))
    return n % 2 === 0 ? n / 2 : -(n + 1) / 2
  }

  /** A view of this many bytes. */
  fixed(size: number): Buffer {
    if (size > this.left) malformed(`${size} bytes are announced, and ${this.left} are left`)
    const start = this.#at
    this.#at += size
    return this.#bytes.subarray(start, this.#at)
  }

  /** Bytes after their number. */
  bytes(): Buffer {
    return this.fixed(Number(this.varint()))
  }

  string(): string {
    return utf8Text(this.bytes())
  }

  /** The bytes of a group whose start was read, up to its end, which is read too. */
  group(field: number, depth = this.#depth): Buffer {
    if (depth > MAX_DEPTH) malformed(`nested deeper than ${MAX_DEPTH}`)
    const start = this.#at
    for (;;) {
      const end = this.#at
      const next = this.tag()
      if (next.wire === WIRE.GROUP_END) {
        if (next.field !== field) malformed(`group ${field} ends as group ${next.field}`)
        return this.#bytes.subarray(start, end)
      }
      this.skip(next.field, next.wire, depth + 1)
    }
  }

  /** Passes over a field that the schema does not have. */
  skip(field: number, wire: number, depth = this.#depth): void {
    switch (wire) {
      case WIRE.VARINT:
        this.varint()
        return
      case WIRE.FIXED64:
        this.fixed(8)
        return
      case WIRE.BYTES:
        this.bytes()
        return
      case WIRE.GROUP:
        this.group(field, depth)
        return
      case WIRE.FIXED32:
        this.fixed(4)
        return
      default:
        malformed(`field ${field} has wire type ${wire}`)
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) malformed(`the message ends after byte ${this.#bytes.length}`)
    this.#at += 1
    return byte
  }
}

const MAX_FIELD = 536_870_911
