import type { Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'

/**
 * The column names of records, in order, without repetition. Records alike share one object,
 * so that what a flow works out per shape is worked out once.
 */
export type Shape = { readonly names: readonly string[] }

/** Memory that bytes can be copied to: gives where they are then, and how many there is room for. */
export interface Room {
  keep(
    bytes: Buffer,
    start: number,
    end: number,
  ): { readonly bytes: Buffer; readonly start: number; readonly size: number }
}

/** Values by index: an array, or a row that decodes a value when it is asked for. */
export interface Values {
  at(index: number): Value | undefined
  /** Copies the bytes that values are decoded from, so that those around them can go. */
  moveTo?(room: Room): void
  /** Becomes other values of the same kind, in the memory that it has there if that is enough; false where they are of another. */
  become?(other: Values, room: Room): boolean
}

/** One row as a format reads it: a value for each name of the shape. */
export type Image = {
  readonly kind: 'image'
  readonly shape: Shape
  readonly values: Values
  /** What the format knows beyond the columns; null for plain rows. */
  readonly hint: Hint | null
}

/** All values of an image; null where it has none. */
export function valuesOf({ shape, values }: Image): Value[] {
  return shape.names.map((_, index) => values.at(index) ?? null)
}

/** The value of an image's column; undefined where it has no such column. */
export function valueIn({ shape, values }: Image, column: string): Value | undefined {
  const index = shape.names.indexOf(column)
  return index < 0 ? undefined : (values.at(index) ?? null)
}

/** What an envelope says of its row, for presets to act upon. Made by `hintOf` of formats/hint.ts. */
export type Hint = {
  /**
   * A `tombstone` is a message without a value: a deletion ordered right after the newest
   * earlier record of its key in its stream, and nothing where that is a deletion already.
   */
  readonly op: 'upsert' | 'delete' | 'truncate' | 'tombstone'
  /** Order at one sequence: a snapshot row -1, a streamed one 0 (semantics 1, "rank"). */
  readonly rank: number
  /** The parts of the sequence that the format knows, without epoch and offset; null where it knows none. */
  readonly sequence: readonly Value[] | null
  /** What the sequence is a place in, where the format knows several that do not compare; else null. */
  readonly log: string | null
  /** When the source changed, as a timestamp; null where the format does not tell. */
  readonly time: Value
  /** The columns that are the key by the feed's own account, in order; empty where it does not tell. */
  readonly keys: readonly string[]
  /** Columns that the feed marks as unavailable. Their cells are null. */
  readonly unavailable: readonly string[]
  /** Whether columns that the image lacks keep their value rather than become null. */
  readonly isPartial: boolean
  /** Columns whose objects merge into what is there, leaf by leaf. */
  readonly merge: readonly string[]
  /** The values of `keys` before the change that gave the row another key; null for every other row. */
  readonly oldKey: readonly Value[] | null
  /** The values of `keys` that the row goes on with where this deletion only gave it another key; null for every other image. */
  readonly newKey: readonly Value[] | null
  /** The values of the key by position, where the feed does not name its columns: those of the flow's keys, in order. */
  readonly keyValues: readonly Value[] | null
  /**
   * What columns held before this change, as far as the feed tells; empty where it does not, and
   * where the row's old key has been dealt with already. See `splitKeyChange` of formats/key-change.ts.
   */
  readonly before: ReadonlyMap<string, Value>
  /** The name of the database server or connector whose log the sequence is a position of; null where it does not matter. */
  readonly origin: string | null
  /** What expressions can read by these names, each beginning with `_`: `_op`, `_table`, `_source`… */
  readonly fields: ReadonlyMap<string, Value>
}

/** What became of the bytes of one record. */
export type Decoded =
  | Image
  | { readonly kind: 'images'; readonly images: readonly Image[] }
  | { readonly kind: 'ignored'; readonly reason: string }
  | Refusal

/** A stream by name: topic and partition, or path of a file relative to the flow file and 0. */
export type StreamName = { readonly name: string; readonly partition: number }

/** A stream as a key of a map. */
export function streamKey({ name, partition }: StreamName): string {
  return `${partition} ${name}`
}

/** One record of a source. */
export type SourceRecord = {
  readonly stream: StreamName
  /** Offset, or number of the record in its file from 1 (for lines the line number). */
  readonly number: number
  /** The bytes as they were, for the quarantine. May be a view; copy before keeping. */
  readonly bytes: Uint8Array
  /** How many they are, where that can be told without making a view of them. */
  readonly size?: number
  readonly decoded: Decoded
  /** Time that the transport gives the record, if any, as a timestamp value. */
  readonly timestamp: Value
  /** Version of the snapshot that the record is a row of. */
  readonly version?: Value
  /**
   * What decides beside its bytes how the record is decoded, a header for one: two records with equal
   * bytes and equal `readWith` decode alike. Left out where a source does not promise that.
   */
  readonly readWith?: string | undefined
}

/** How far a stream has been read: `next` is the number to read next, `state` what the driver needs to go on. */
export type Checkpoint = StreamName & { readonly next: number; readonly state: string }

/** Records that are to be committed together, and where their streams stand after them. */
export type SourceBatch = {
  readonly records: readonly SourceRecord[]
  /** Only the streams that moved. */
  readonly checkpoints: readonly Checkpoint[]
  /** How many bytes the records took in the source, where it counts them. */
  readonly bytes?: number
}

/** When a batch is cut, whichever comes first. */
export type BatchLimits = {
  readonly maxRecords: number
  readonly maxBytes: number
  /** Longest wait for a batch to fill, in milliseconds; bounded reads do not wait. */
  readonly maxDelayMs: number
}

/** What is known about a stream without reading it: for `status` and lag. */
export type StreamLag = StreamName & {
  /** Records or bytes still to be read, as `unit` says. */
  readonly behind: number
  readonly unit: 'records' | 'bytes'
  /** Of a stream that was never read, where the source knows it: what is to be read first. */
  readonly start?: number
}

/**
 * Delivers records at least once, each stream in order, streams in any interleaving.
 *
 * The source must: yield every record from each checkpoint on, with the checkpoint that lies
 * after the records of the batch; number the records of a stream the same way whenever they
 * are read; yield empty batches never; end when `mode` is `bounded` and everything present at
 * the start has been yielded, go on until `signal` aborts when it is `continuous`.
 * The caller must: commit checkpoints with the records, or not at all.
 *
 * @throws TidemarkError `FILE_CHANGED`, `FILE_BROKEN`, `SOURCE_UNAVAILABLE`, `NOT_FOUND`
 */
export interface Source extends AsyncDisposable {
  read(
    after: readonly Checkpoint[],
    mode: 'bounded' | 'continuous',
    limits: BatchLimits,
    signal: AbortSignal,
  ): AsyncIterable<SourceBatch>

  /** How far behind the checkpoints are. */
  lag(after: readonly Checkpoint[]): Promise<readonly StreamLag[]>
}

/** A full extract that a source offers, before its rows are read. */
export type SourceSnapshot = {
  /** What messages call it: its file, or the first of several. */
  readonly name: string
  /** Null where it was looked for and not found. */
  readonly version: Value
  /** Whether the version is the time of the run instead. */
  readonly isOfTheRun: boolean
  /** Whether it is complete whenever it is offered, unlike a file that may still be being written. */
  readonly isWhole: boolean
  /** Values of the scope column that it is limited to; null: the whole table. */
  readonly scope: readonly Value[] | null
  /** How many rows it says that it has; null if it does not say. */
  readonly declaredRows: number | null
  /** Guards that it lifts by itself. */
  readonly force: readonly string[]
  /** To be saved once it is applied. */
  readonly checkpoints: readonly Checkpoint[]
  /** The rows, in order, part by part. */
  readonly read: (signal: AbortSignal) => AsyncIterable<readonly SourceRecord[]>
}

/**
 * Offers full extracts of a table.
 *
 * The source must: offer every snapshot that no checkpoint says was applied, and give the same
 * rows in the same order whenever one is read. The caller must: save a snapshot's checkpoints
 * with what it changed, or not at all.
 *
 * @throws TidemarkError `FILE_BROKEN` while reading one that is cut short, `SOURCE_UNAVAILABLE`,
 *   `NOT_FOUND`, `SPEC_INVALID`
 */
export interface SnapshotSource extends AsyncDisposable {
  offers(after: readonly Checkpoint[]): Promise<readonly SourceSnapshot[]>

  /** Waits until it is time to look again, or the signal aborts. */
  wait(signal: AbortSignal): Promise<void>

  /** Which of its files no checkpoint says were applied. */
  lag(after: readonly Checkpoint[]): Promise<readonly StreamLag[]>
}
