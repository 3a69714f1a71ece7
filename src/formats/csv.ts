import { BugError, TidemarkError } from '../core/errors.ts'
import { isRefusal, refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Image, Shape, StreamName } from '../ports/source.ts'
import { Carry } from './carry.ts'
import { dialectOf, ROW, rowEnd } from './csv-dialect.ts'
import type { CsvDialect, CsvOptions } from './csv-dialect.ts'
import { CsvFields } from './csv-fields.ts'
import type { Fields, Row } from './csv-fields.ts'
import { FramedRecords, KEPT_BYTES, tooLarge } from './framing.ts'
import type { Framed, Framing, FramingOptions, OpenEnd, Place } from './framing.ts'
import { Shapes } from './shapes.ts'
import { BOM_LENGTH, startsWithBom } from './utf8.ts'

/**
 * CSV: a record per row, numbered from 1 without the header; all values are text or null.
 *
 * An empty field is null, an empty quoted one the empty text. Empty lines are passed over. A
 * row with a broken quote is refused together with its line only; the next line is a row again.
 *
 * @throws TidemarkError `FILE_BROKEN` for a header that does not name each column once
 */
export class Csv implements Framing {
  readonly #stream: StreamName
  readonly #maxRecordBytes: number
  readonly #dialect: CsvDialect
  readonly #fields: CsvFields
  readonly #shapes = new Shapes()
  #shape: Shape | null
  #state: string
  #readWith: string
  /** Bytes of the row at hand; or, if the row is longer than is allowed, `#skipped` holds what is kept of it. */
  #held: Buffer = NO_BYTES
  #skipped: Carry | null = null
  /** Where `#held`, or the row that is skipped, begins. */
  #offset: number
  #number: number
  #place: Place
  #openEnd: OpenEnd | null = null

  constructor({ stream, from, maxRecordBytes }: FramingOptions, options: CsvOptions) {
    this.#stream = stream
    this.#maxRecordBytes = maxRecordBytes
    this.#dialect = dialectOf(options)
    this.#fields = new CsvFields(this.#dialect)
    this.#offset = from.offset
    this.#number = from.next
    this.#place = from
    const { header = true } = options
    const names = header === true ? namesIn(from.state) : header
    this.#shape = names === null ? null : this.#shapes.of(names)
    this.#state = names === null ? '' : JSON.stringify(names)
    this.#readWith = this.#with(this.#state)
  }

  get place(): Place {
    return this.#place
  }

  get heldFrom(): number {
    return this.#offset + (this.#skipped?.length ?? 0)
  }

  /** A header that has not ended yet is not read, so nothing was read while incomplete. */
  get openEnd(): OpenEnd | null {
    return this.#shape === null ? null : this.#openEnd
  }

  push(chunk: Buffer): Framed {
    const out = new FramedRecords(this.#stream)
    this.#read(out, chunk, false)
    return out
  }

  finish(): Framed {
    const out = new FramedRecords(this.#stream)
    this.#read(out, NO_BYTES, true)
    return out
  }

  #read(out: FramedRecords, chunk: Buffer, isLast: boolean): void {
    const bytes = this.#bytesAtHand(out, chunk, isLast)
    const base = this.#offset
    const isTooShortForBom = base === 0 && bytes.length < BOM_LENGTH && !isLast
    let at = base === 0 && startsWithBom(bytes) ? BOM_LENGTH : 0
    let run: Row[] = []

    const end = isTooShortForBom ? 0 : bytes.length
    while (at < end) {
      const row = this.#rowAt(bytes, at, isLast)
      if (row === null) break
      if (this.#shape === null) {
        // Without its newline a header may still grow.
        if (row.next > bytes.length) break
        if (row.stop > row.start) this.#readHeader(bytes, row)
      } else if (row.isBroken) {
        this.#addRun(out, bytes, run, this.#shape)
        run = []
        this.#addRefused(out, bytes, row)
      } else if (row.stop > row.start) run.push(row)
      at = Math.min(row.next, bytes.length)
    }

    if (this.#shape !== null) this.#addRun(out, bytes, run, this.#shape)
    this.#offset = base + at
    this.#place = { offset: this.#offset, next: this.#number, state: this.#state }
    this.#hold(bytes.subarray(at))
  }

  /** What was held and what is new, after a row that is skipped has been brought to its end. */
  #bytesAtHand(out: FramedRecords, chunk: Buffer, isLast: boolean): Buffer {
    const skipped = this.#skipped
    if (skipped === null)
      return this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])

    const end = lineEnd(chunk, 0, isLast)
    skipped.add(end < 0 ? chunk : chunk.subarray(0, end))
    if (end < 0) return NO_BYTES
    const next = Math.min(end + 1, chunk.length)
    const { length, lastByte } = skipped
    const size = lastByte === CARRIAGE_RETURN ? length - 1 : length
    this.#offset += length + next - end
    this.#skipped = null
    if (isLast) this.#openEnd = 'line'
    const kept = skipped.take().subarray(0, Math.min(size, KEPT_BYTES))
    this.#add(out, kept, tooLarge(size, this.#maxRecordBytes), this.#offset)
    return chunk.subarray(next)
  }

  /**
   * The row at a place; null if it goes on beyond the bytes.
   *
   * A quoted newline is followed no further than a record may be long: beyond, and behind
   * a broken quote, the line is taken for the row, so that the lines after it are not lost.
   */
  #rowAt(bytes: Buffer, start: number, isLast: boolean): BrokenOrNot | null {
    const end = rowEnd(this.#dialect, bytes, start, isLast)
    // The last byte at hand may be a carriage return that is no part of the row.
    const stop = end < 0 ? bytes.length - 1 : stopBefore(bytes, start, end)
    const isTooLong = stop - start > this.#maxRecordBytes
    if (isLast && end === ROW.OPEN_QUOTE) this.#openEnd = 'rest'
    if (end === bytes.length) this.#openEnd ??= 'line'
    if (end >= 0 && !isTooLong) return { start, stop, next: end + 1, isBroken: false }
    if (end !== ROW.BAD_QUOTE && !isTooLong && !isLast) return null

    const line = lineEnd(bytes, start, isLast)
    if (line < 0) return null
    if (line === bytes.length) this.#openEnd ??= 'line'
    return { start, stop: stopBefore(bytes, start, line), next: line + 1, isBroken: true }
  }

  /** Keeps the beginning of a row until the rest of it comes. */
  #hold(bytes: Buffer): void {
    if (this.#skipped !== null) return
    this.#held = bytes
    if (bytes.length - 1 <= this.#maxRecordBytes) return
    if (this.#shape === null) throw this.#tooLongHeader()
    this.#skipped = new Carry(this.#maxRecordBytes)
    this.#skipped.add(bytes)
    this.#held = NO_BYTES
  }

  #readHeader(bytes: Buffer, row: Row): void {
    if (row.stop - row.start > this.#maxRecordBytes) throw this.#tooLongHeader()
    const [names] = this.#fields.of(bytes, [row])
    if (names === undefined || isRefusal(names)) {
      throw this.#brokenHeader(names?.message ?? 'it is empty')
    }
    const seen = new Set<string>()
    for (const [i, name] of names.entries()) {
      if (typeof name !== 'string' || name === '')
        throw this.#brokenHeader(`column ${i + 1} has no name`)
      if (seen.has(name)) throw this.#brokenHeader(`column ${JSON.stringify(name)} appears twice`)
      seen.add(name)
    }
    this.#shape = this.#shapes.of([...seen])
    this.#state = JSON.stringify([...seen])
    this.#readWith = this.#with(this.#state)
  }

  /** What a row is read with beside its bytes. */
  #with(names: string): string {
    const { delimiter, quote, escape } = this.#dialect
    return `csv ${delimiter.toString('hex')} ${quote} ${escape} ${names}`
  }

  #tooLongHeader(): TidemarkError {
    return this.#brokenHeader(`it has more than max_record_bytes, ${this.#maxRecordBytes}`)
  }

  #brokenHeader(why: string): TidemarkError {
    const { name } = this.#stream
    return new TidemarkError('FILE_BROKEN', `the header of ${name} is broken: ${why}`, {
      file: name,
    })
  }

  #addRun(out: FramedRecords, bytes: Buffer, run: readonly Row[], shape: Shape): void {
    const decoded = this.#fields.of(bytes, run)
    for (const [i, row] of run.entries()) {
      const fields = decoded[i]
      if (fields === undefined) throw new BugError('a row of CSV was neither read nor refused')
      const raw = bytes.subarray(row.start, row.stop)
      this.#add(out, raw, imageOf(fields, shape), this.#endOf(bytes, row))
    }
  }

  #addRefused(out: FramedRecords, bytes: Buffer, row: Row): void {
    const size = row.stop - row.start
    const raw = bytes.subarray(row.start, row.stop)
    const refusal =
      size > this.#maxRecordBytes ? tooLarge(size, this.#maxRecordBytes) : this.#fields.faultOf(raw)
    this.#add(out, raw.subarray(0, KEPT_BYTES), refusal, this.#endOf(bytes, row))
  }

  #endOf(bytes: Buffer, row: Row): number {
    return this.#offset + Math.min(row.next, bytes.length)
  }

  #add(out: FramedRecords, bytes: Buffer, decoded: Image | Refusal, end: number): void {
    const readWith = decoded.kind === 'image' ? this.#readWith : undefined
    out.add({ number: this.#number, bytes, decoded, end, state: this.#state, readWith })
    this.#number += 1
  }
}

function imageOf(fields: Fields | Refusal, shape: Shape): Image | Refusal {
  if (isRefusal(fields)) return fields
  const { length } = shape.names
  if (fields.length === length) return { kind: 'image', shape, values: fields, hint: null }
  const counted = fields.length === 1 ? '1 field' : `${fields.length} fields`
  return refuse('UNDECODABLE', `broken CSV: ${counted} where there are ${length} columns`)
}

/** The names that a place was left with. */
function namesIn(state: string): readonly string[] | null {
  if (state === '') return null
  const names: unknown = JSON.parse(state)
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names
  throw new BugError(`no list of columns: ${state}`)
}

/** Where a row ends whose newline is at `end`. */
function stopBefore(bytes: Buffer, start: number, end: number): number {
  return end > start && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end
}

/** Offset of the next newline, or of the end where nothing follows; -1 if there is none. */
function lineEnd(bytes: Buffer, from: number, isLast: boolean): number {
  const end = bytes.indexOf(NEWLINE, from)
  return end < 0 && isLast ? bytes.length : end
}

type BrokenOrNot = Row & { readonly isBroken: boolean }

const NO_BYTES = Buffer.alloc(0)
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
