import { refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Decoded, SourceRecord, StreamName } from '../ports/source.ts'

/** Of a refused record that is too large only this many bytes are kept (semantics 8). */
export const KEPT_BYTES = 65_536

/** A place between two records of a file, where reading can go on. */
export type Place = {
  /** Bytes from the start of the (unpacked) file. */
  readonly offset: number
  /** Number of the next record. */
  readonly next: number
  /** What the framing has to know there; empty at the start of the file. */
  readonly state: string
}

/** The place at the start of a file. */
export const START: Place = { offset: 0, next: 1, state: '' }

/** Records that were found. After the one at an index lies the place with its offset in `ends` and its state in `states`. */
export type Framed = {
  readonly records: readonly SourceRecord[]
  readonly ends: readonly number[]
  readonly states: readonly string[]
}

/**
 * What may follow a file that ended without its last record's end, and was read to there nevertheless.
 *
 * - `line`: the end of the line first, then anything.
 * - `rest`: what was read was only the beginning of something; any growth shows that it was wrong.
 */
export type OpenEnd = 'line' | 'rest'

/**
 * Cuts the bytes of one file into records and decodes them, chunk by chunk.
 *
 * The caller must: push the bytes from the given place on, without gaps, and call `finish`
 * at most once, at the end. The framing must: give the same records with the same numbers
 * however the bytes are cut into chunks and wherever reading was taken up again (of a refused
 * rest, fewer bytes may be kept); never throw
 * for a bad record; hold no more than one record of the largest size.
 *
 * @throws TidemarkError `FILE_BROKEN` for a file of which no record can be understood
 */
export interface Framing {
  /** The records that end in this chunk. The chunk is kept, and must not change. */
  push(chunk: Buffer): Framed

  /** The file ends here: what was waiting for its end is a record or a refusal now. */
  finish(): Framed

  /** After the last record, and after the blank space behind it as far as it makes no difference. */
  readonly place: Place

  /** Offset of the first byte that may still belong to a record to come. */
  readonly heldFrom: number

  /** Set by `finish` where the file ended without what ends its last record. */
  readonly openEnd: OpenEnd | null
}

/** What every framing is made from. */
export type FramingOptions = {
  readonly stream: StreamName
  readonly from: Place
  readonly maxRecordBytes: number
}

/** Collects records while a chunk is worked through. */
export class FramedRecords implements Framed {
  readonly records: SourceRecord[] = []
  readonly ends: number[] = []
  readonly states: string[] = []
  readonly #stream: StreamName

  constructor(stream: StreamName) {
    this.#stream = stream
  }

  /** Adds a record. `end` and `state` are those of the place after it. */
  add({ number, bytes, decoded, end, state, readWith }: FramedRecord): void {
    const stream = this.#stream
    this.push({ stream, number, bytes, decoded, timestamp: null, readWith }, end, state)
  }

  /** The same with a record as it is to be. */
  push(record: SourceRecord, end: number, state: string): void {
    this.records.push(record)
    this.ends.push(end)
    this.states.push(state)
  }
}

type FramedRecord = {
  readonly number: number
  readonly bytes: Uint8Array
  readonly decoded: Decoded
  readonly end: number
  readonly state: string
  readonly readWith?: string | undefined
}

/** The refusal of a record with more bytes than the flow allows. */
export function tooLarge(bytes: number, maxRecordBytes: number): Refusal {
  return refuse('TOO_LARGE', `${bytes} bytes, max_record_bytes is ${maxRecordBytes}`)
}
