import { refuse } from '../core/refusal.ts'
import type { StreamName } from '../ports/source.ts'
import { Carry } from './carry.ts'
import { FramedRecords, KEPT_BYTES, tooLarge } from './framing.ts'
import type { Framed, Framing, FramingOptions, OpenEnd, Place } from './framing.ts'
import { JsonRecords } from './json-record.ts'

/**
 * JSON files: the elements of one array, or values one after the other, numbered from 1.
 *
 * A file whose first byte that is not blank is `[` holds an array. Elements are found by
 * their brackets alone, so that a bad one is refused and the next is read. Where that is
 * impossible (no comma between two, an element or array without end, text after the array)
 * the rest of the file becomes one `UNDECODABLE` record and nothing after it is read.
 */
export class JsonElements implements Framing {
  readonly #stream: StreamName
  readonly #maxRecordBytes: number
  readonly #decoder = new JsonRecords()
  readonly #carry: Carry
  #phase: Phase
  #kind: 'array' | 'sequence'
  /** Where the next byte that is pushed lies. */
  #offset: number
  #number: number
  #place: Place
  #openEnd: OpenEnd | null = null
  #depth = 0
  #isEscaped = false

  constructor({ stream, from, maxRecordBytes }: FramingOptions) {
    this.#stream = stream
    this.#maxRecordBytes = maxRecordBytes
    this.#carry = new Carry(maxRecordBytes)
    this.#offset = from.offset
    this.#number = from.next
    this.#place = from
    this.#kind = from.state === 'sequence' ? 'sequence' : 'array'
    this.#phase = phaseOf(from.state)
  }

  get place(): Place {
    return this.#place
  }

  get heldFrom(): number {
    return this.#offset - (this.#carry.isCut ? 0 : this.#carry.length)
  }

  get openEnd(): OpenEnd | null {
    return this.#openEnd
  }

  push(chunk: Buffer): Framed {
    const out = new FramedRecords(this.#stream)
    let at = 0
    while (at < chunk.length && this.#phase !== 'stopped') {
      at = isInside(this.#phase)
        ? this.#readElement(out, chunk, at)
        : this.#readBetween(out, chunk, at)
    }
    this.#offset += chunk.length
    if (this.#phase === 'after') this.#settle(this.#offset, this.#kind)
    if (this.#phase === 'closed' || this.#phase === 'stopped') {
      this.#settle(this.#offset, this.#phase)
    }
    return out
  }

  finish(): Framed {
    const out = new FramedRecords(this.#stream)
    if (this.#phase === 'scalar') {
      this.#addElement(out, NO_BYTES, this.#offset)
      this.#openEnd = 'rest'
    }
    if (this.#phase === 'start' || this.#phase === 'closed' || this.#phase === 'stopped') return out
    if (this.#kind === 'sequence' && !isInside(this.#phase)) return out

    this.#openEnd = 'rest'
    const what = isInside(this.#phase) ? 'an element has no end' : 'the array has no end'
    this.#stop(out, NO_BYTES, 0, what)
    this.#settle(this.#offset, 'stopped')
    return out
  }

  /** Reads what lies between elements; returns where to go on. */
  #readBetween(out: FramedRecords, chunk: Buffer, at: number): number {
    const byte = chunk[at] ?? 0
    if (isBlank(byte)) return at + 1

    switch (this.#phase) {
      case 'start':
        if (byte === BOM[this.#offset + at]) return at + 1
        this.#kind = byte === OPEN_BRACKET ? 'array' : 'sequence'
        this.#phase = this.#kind === 'array' ? 'first' : 'next'
        return this.#kind === 'array' ? at + 1 : at
      case 'first':
        if (byte === CLOSE_BRACKET) return this.#close(at)
        return this.#begin(out, chunk, at)
      case 'next':
        return this.#begin(out, chunk, at)
      case 'after':
        if (this.#kind === 'sequence') return this.#begin(out, chunk, at)
        if (byte === CLOSE_BRACKET) return this.#close(at)
        if (byte === COMMA) {
          this.#phase = 'next'
          return at + 1
        }
        return this.#stop(out, chunk, at, 'expected a comma or the end of the array')
      default:
        return this.#stop(out, chunk, at, 'text after the end of the array')
    }
  }

  #begin(out: FramedRecords, chunk: Buffer, at: number): number {
    const byte = chunk[at]
    if (byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE || byte === COLON) {
      return this.#stop(out, chunk, at, 'expected an element')
    }
    this.#depth = 0
    if (byte === QUOTE) {
      this.#phase = 'text'
      this.#carry.add(chunk.subarray(at, at + 1))
      return at + 1
    }
    this.#phase = byte === OPEN_BRACE || byte === OPEN_BRACKET ? 'nested' : 'scalar'
    return at
  }

  /** Reads on in an element; returns where it ends, or the end of the chunk. */
  #readElement(out: FramedRecords, chunk: Buffer, from: number): number {
    const end = this.#elementEnd(chunk, from)
    if (end === null) {
      this.#carry.add(chunk.subarray(from))
      return chunk.length
    }
    this.#addElement(out, chunk.subarray(from, end), this.#offset + end)
    return end
  }

  /** Offset after the element at hand; null if it goes on beyond the chunk. */
  #elementEnd(chunk: Buffer, from: number): number | null {
    let at = from
    while (at < chunk.length) {
      if (this.#phase === 'text' || this.#phase === 'nested-text') {
        at = this.#textEnd(chunk, at)
        if (at === 0) return null
        if (this.#phase === 'text') return at
        this.#phase = 'nested'
      } else if (this.#phase === 'nested') {
        at = this.#nestedEnd(chunk, at)
        if (this.#depth === 0) return at
      } else {
        if (endsScalar(chunk[at])) return at
        at += 1
      }
    }
    return null
  }

  /** After the brackets that close at depth zero, after an opening quote, or the end of the chunk. */
  #nestedEnd(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (byte === QUOTE) {
        this.#phase = 'nested-text'
        return at + 1
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth += 1
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#depth -= 1
        if (this.#depth === 0) return at + 1
      }
    }
    return chunk.length
  }

  /** After the closing quote; 0 if it is not in the chunk. */
  #textEnd(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) return at + 1
    }
    return 0
  }

  #addElement(out: FramedRecords, last: Buffer, end: number): void {
    const isCarried = this.#carry.length > 0
    if (isCarried) this.#carry.add(last)
    const size = isCarried ? this.#carry.length : last.length
    const whole = isCarried ? this.#carry.take() : last
    const isTooLarge = size > this.#maxRecordBytes
    const bytes = isTooLarge ? whole.subarray(0, KEPT_BYTES) : whole
    const decoded = isTooLarge ? tooLarge(size, this.#maxRecordBytes) : this.#decoder.decode(whole)
    const readWith = isTooLarge ? undefined : 'elements'
    out.add({ number: this.#number, bytes, decoded, end, state: this.#kind, readWith })
    this.#number += 1
    this.#phase = 'after'
    this.#settle(end, this.#kind)
  }

  #close(at: number): number {
    this.#phase = 'closed'
    return at + 1
  }

  /** Refuses all that is left, beginning at `at`, and reads nothing after it. Ends the chunk. */
  #stop(out: FramedRecords, chunk: Buffer, at: number, why: string): number {
    this.#carry.add(chunk.subarray(at))
    const bytes = this.#carry.take().subarray(0, KEPT_BYTES)
    const refusal = refuse('UNDECODABLE', `broken JSON: ${why}; nothing after this is read`)
    const end = this.#offset + chunk.length
    out.add({ number: this.#number, bytes, decoded: refusal, end, state: 'stopped' })
    this.#number += 1
    this.#phase = 'stopped'
    return chunk.length
  }

  #settle(offset: number, state: string): void {
    this.#place = { offset, next: this.#number, state }
  }
}

/**
 * `start`: of the file; `first`: after `[`; `next`: an element has to come; `nested`, `nested-text`,
 * `text`, `scalar`: in one; `after`: behind one; `closed`: after `]`; `stopped`: after the refused rest.
 */
type Phase =
  | 'start'
  | 'first'
  | 'next'
  | 'nested'
  | 'nested-text'
  | 'text'
  | 'scalar'
  | 'after'
  | 'closed'
  | 'stopped'

function phaseOf(state: string): Phase {
  if (state === '') return 'start'
  return state === 'closed' || state === 'stopped' ? state : 'after'
}

function isInside(phase: Phase): boolean {
  return phase === 'nested' || phase === 'nested-text' || phase === 'text' || phase === 'scalar'
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function endsScalar(byte: number | undefined): boolean {
  return byte === undefined || isBlank(byte) || SCALAR_ENDS.includes(byte)
}

const BOM = [0xef, 0xbb, 0xbf]
const NO_BYTES = Buffer.alloc(0)
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SCALAR_ENDS = [QUOTE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]
