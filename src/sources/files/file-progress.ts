import { START } from '../../formats/framing.ts'
import type { Framed, Framing, OpenEnd, Place } from '../../formats/framing.ts'
import type { Checkpoint, SourceRecord } from '../../ports/source.ts'
import { digestOf } from './digest.ts'
import { fileChanged } from './file-faults.ts'
import { encodeState } from './file-state.ts'
import type { FileState } from './file-state.ts'
import type { History } from './history.ts'
import type { FileEntry } from './listing.ts'

/** How a file is read. */
export type Reading = {
  readonly file: FileEntry
  /** Where it was left, null if it was never read. */
  readonly after: Checkpoint | null
  /** Whether an unterminated record at the end is read, or waits for its end. */
  readonly end: 'read' | 'wait'
  readonly framing: (from: Place) => Framing
  /** The size of the largest record where the file is Parquet, which has no frames; null where it is not. */
  readonly parquet: { readonly maxRecordBytes: number } | null
}

/** Some records of a file, and where it stands after each. Good until the next piece is asked for. */
export type Piece = {
  readonly records: readonly SourceRecord[]
  /** The checkpoint after one of the records. */
  readonly checkpointAfter: (index: number) => Checkpoint
  /** The checkpoint after all of them. */
  readonly checkpoint: () => Checkpoint
  /** Whether no batch may end within the piece. */
  readonly isAtomic: boolean
}

/** Turns the new bytes of a file into records and checkpoints. */
export class Progress {
  readonly #reading: Reading
  readonly #history: History
  /** Null until the end of the line has come at which the file ended when it was last read. */
  #framing: Framing | null
  #place: Place
  /** The bytes before the place, taken while they were at hand. */
  #block: Buffer | null = null
  #openEnd: OpenEnd | null
  #packed: FileState['packed'] = null
  /** A `\r` of which it is not known yet whether `\n` follows. */
  #lead: Buffer = Buffer.alloc(0)

  /** @param history ends at the place where reading goes on, by the time of the first `push` */
  constructor(reading: Reading, state: FileState | null, history: History) {
    this.#reading = reading
    this.#history = history
    this.#openEnd = state?.openEnd ?? null
    const next = reading.after?.next ?? START.next
    this.#place = state === null ? START : { offset: state.offset, next, state: state.framing }
    this.#framing = this.#openEnd === null ? reading.framing(this.#place) : null
  }

  /** The records that end in the next bytes. */
  *push(chunk: Buffer): Generator<Piece> {
    this.#block ??= this.#history.blockBefore(this.#place.offset)
    this.#history.push(chunk)
    const bytes = this.#framing === null ? this.#afterOpenEnd(chunk) : chunk
    if (this.#framing === null) return

    yield this.#piece(this.#framing, this.#framing.push(bytes), null)
    this.#history.forget(this.#framing.heldFrom)
  }

  /**
   * The file ends here; what was waiting becomes a record.
   *
   * @param packed the packed file, if it is one
   */
  *finish(packed: FileState['packed']): Generator<Piece> {
    this.#block ??= this.#history.blockBefore(this.#place.offset)
    this.#packed = packed
    if (this.#framing === null) {
      if (this.#lead.length === 0) yield this.#pieceOf(NO_RECORDS, this.#openEnd)
      return
    }
    yield this.#piece(this.#framing, this.#framing.finish(), this.#framing.openEnd)
  }

  #piece(framing: Framing, framed: Framed, openEnd: OpenEnd | null): Piece {
    const { place } = framing
    if (place.offset !== this.#place.offset) this.#block = this.#history.blockBefore(place.offset)
    this.#place = place
    return this.#pieceOf(framed, openEnd)
  }

  #pieceOf(framed: Framed, openEnd: OpenEnd | null): Piece {
    const { records, ends, states } = framed
    const last = records.length - 1
    return {
      records,
      checkpointAfter: (index) => {
        const offset = ends[index] ?? 0
        const next = (records[index]?.number ?? 0) + 1
        const place = { offset, next, state: states[index] ?? '' }
        return this.#checkpoint(
          place,
          this.#history.blockBefore(offset),
          index === last ? openEnd : null,
        )
      },
      checkpoint: () => this.#checkpoint(this.#place, this.#block ?? NO_BYTES, openEnd),
      isAtomic: openEnd === 'rest',
    }
  }

  #checkpoint(place: Place, block: Buffer, openEnd: OpenEnd | null): Checkpoint {
    const state = encodeState({
      offset: place.offset,
      framing: place.state,
      head: digestOf(this.#history.headTo(place.offset)),
      block: digestOf(block),
      openEnd,
      packed: this.#packed,
    })
    return { name: this.#reading.file.name, partition: 0, next: place.next, state }
  }

  /** Makes sure that what was read as the last line was the whole line; returns what follows it. */
  #afterOpenEnd(chunk: Buffer): Buffer {
    const bytes = Buffer.concat([this.#lead, chunk])
    const isLine = this.#openEnd === 'line'
    if (isLine && bytes.length === 1 && bytes[0] === CARRIAGE_RETURN) {
      this.#lead = bytes
      return bytes
    }
    const skipped = isLine ? lineEndLength(bytes) : 0
    if (skipped === 0) {
      throw fileChanged(
        this.#reading.file.name,
        `went on at byte ${this.#place.offset}, where its last record was read while incomplete`,
      )
    }
    const offset = this.#place.offset + skipped
    this.#place = { ...this.#place, offset }
    this.#block = this.#history.blockBefore(offset)
    this.#openEnd = null
    this.#framing = this.#reading.framing(this.#place)
    return bytes.subarray(skipped)
  }
}

/** Length of the end of line that bytes begin with; 0 if they do not. */
function lineEndLength(bytes: Buffer): number {
  if (bytes[0] === NEWLINE) return 1
  return bytes[0] === CARRIAGE_RETURN && bytes[1] === NEWLINE ? 2 : 0
}

const NO_BYTES = Buffer.alloc(0)
const NO_RECORDS: Framed = { records: [], ends: [], states: [] }
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
