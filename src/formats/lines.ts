import type { Decoded, SourceRecord, StreamName } from '../ports/source.ts'
import { Carry } from './carry.ts'
import { FramedRecords, KEPT_BYTES, tooLarge } from './framing.ts'
import type { Framed, Framing, FramingOptions, OpenEnd, Place } from './framing.ts'
import { JsonRecords } from './json-record.ts'
import { BOM_LENGTH, startsWithBom } from './utf8.ts'

/** Reads a record from the bytes between two places. */
export type LineDecoder = { decode(bytes: Buffer, start: number, end: number): Decoded }

/**
 * NDJSON: a record per line, numbered by line.
 *
 * Lines end with `\n` or `\r\n`. Blank ones are no records but count as lines. A byte order
 * mark at the start of the file is passed over.
 */
export class Lines implements Framing {
  readonly #stream: StreamName
  readonly #maxRecordBytes: number
  readonly #decoder: LineDecoder
  /** What lines are read with beside their bytes; nobody knows what another decoder looks at. */
  readonly #readWith: string | undefined
  readonly #carry: Carry
  #out: FramedRecords
  #line: number
  #lineStart: number
  #openEnd: OpenEnd | null = null

  constructor(
    { stream, from, maxRecordBytes }: FramingOptions,
    decoder: LineDecoder | null = null,
  ) {
    this.#decoder = decoder ?? new JsonRecords()
    this.#readWith = decoder === null ? 'lines' : undefined
    this.#stream = stream
    this.#maxRecordBytes = maxRecordBytes
    this.#out = new FramedRecords(stream)
    // Room for what is no part of the record: a byte order mark and `\r`.
    this.#carry = new Carry(maxRecordBytes + BOM_LENGTH + 1)
    this.#line = from.next
    this.#lineStart = from.offset
  }

  get place(): Place {
    return { offset: this.#lineStart, next: this.#line, state: '' }
  }

  get heldFrom(): number {
    return this.#carry.isCut ? this.#lineStart + this.#carry.length : this.#lineStart
  }

  get openEnd(): OpenEnd | null {
    return this.#openEnd
  }

  push(chunk: Buffer): Framed {
    const out = this.#begin()
    let start = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start)
      if (end < 0) break
      if (this.#carry.length === 0) this.#add(chunk, start, end, 1)
      else {
        this.#carry.add(chunk.subarray(start, end))
        this.#addCarried(1)
      }
      start = end + 1
    }
    this.#carry.add(chunk.subarray(start))
    return out
  }

  finish(): Framed {
    const out = this.#begin()
    if (this.#carry.length === 0) return out

    const { place } = this
    this.#addCarried(0)
    if (out.records.length > 0) this.#openEnd = 'line'
    else [this.#lineStart, this.#line] = [place.offset, place.next]
    return out
  }

  #begin(): FramedRecords {
    this.#out = new FramedRecords(this.#stream)
    return this.#out
  }

  /** Adds the line that began in an earlier chunk. */
  #addCarried(terminator: number): void {
    const carry = this.#carry
    const { length, isCut } = carry
    const size = carry.lastByte === CARRIAGE_RETURN ? length - 1 : length
    const bytes = carry.take()
    if (!isCut) {
      this.#add(bytes, 0, bytes.length, terminator)
      return
    }
    const bom = this.#bomLength(bytes, 0)
    const number = this.#nextLine(length + terminator)
    const decoded = tooLarge(size - bom, this.#maxRecordBytes)
    this.#out.add({ number, bytes: bytes.subarray(bom), decoded, end: this.#lineStart, state: '' })
  }

  /** Adds the line that lies whole in `bytes`. */
  #add(bytes: Buffer, from: number, to: number, terminator: number): void {
    const start = from + this.#bomLength(bytes, from)
    const end = to > start && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to
    const number = this.#nextLine(to - from + terminator)
    if (isBlank(bytes, start, end)) return

    const size = end - start
    if (size <= this.#maxRecordBytes) {
      const place = { stream: this.#stream, number, readWith: this.#readWith }
      const record = new Line(place, { chunk: bytes, start, size }, this.#decoder)
      this.#out.push(record, this.#lineStart, '')
      return
    }
    this.#out.add({
      number,
      bytes: bytes.subarray(start, Math.min(end, start + KEPT_BYTES)),
      decoded: tooLarge(size, this.#maxRecordBytes),
      end: this.#lineStart,
      state: '',
    })
  }

  #bomLength(bytes: Buffer, from: number): number {
    const isFirst = this.#lineStart === 0
    return isFirst && startsWithBom(bytes.subarray(from, from + BOM_LENGTH)) ? BOM_LENGTH : 0
  }

  /** The number of the line at hand; the next one begins so many bytes later. */
  #nextLine(bytes: number): number {
    const number = this.#line
    this.#line += 1
    this.#lineStart += bytes
    return number
  }
}

type Span = { readonly chunk: Buffer; readonly start: number; readonly size: number }

/** A line, decoded when it is asked for. */
class Line implements SourceRecord {
  readonly stream: StreamName
  readonly number: number
  readonly timestamp = null
  readonly size: number
  readonly readWith: string | undefined
  readonly #chunk: Buffer
  readonly #start: number
  readonly #decoder: LineDecoder
  #decoded: Decoded | null = null

  constructor(
    { stream, number, readWith }: Pick<SourceRecord, 'stream' | 'number' | 'readWith'>,
    { chunk, start, size }: Span,
    decoder: LineDecoder,
  ) {
    this.stream = stream
    this.number = number
    this.readWith = readWith
    this.size = size
    this.#chunk = chunk
    this.#start = start
    this.#decoder = decoder
  }

  get bytes(): Buffer {
    return this.#chunk.subarray(this.#start, this.#start + this.size)
  }

  get decoded(): Decoded {
    this.#decoded ??= this.#decoder.decode(this.#chunk, this.#start, this.#start + this.size)
    return this.#decoded
  }
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i]
    if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) return false
  }
  return true
}

const TAB = 0x09
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
