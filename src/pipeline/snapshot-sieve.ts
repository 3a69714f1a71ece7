import { FINGERPRINT_WORDS } from '../core/fingerprint.ts'
import type { Key } from '../core/key.ts'
import { writeSha256 } from '../formats/sha256.ts'
import type { FingerprintDraft, Fingerprints, FingerprintsHead } from '../ports/fingerprints.ts'
import type { SourceRecord } from '../ports/source.ts'
import { Recognition } from './recognition.ts'

/** What becomes of the records that go through a sieve. */
export type SieveOptions = {
  /** Reads a record; gives its key if it was plainly accepted, else null. */
  readonly read: (record: SourceRecord) => Key | null
  /** Is told of each record that need not be read. */
  readonly pass: (record: SourceRecord) => void
}

/** What a sieve knows of the snapshot before, and where it puts what the next one may know of this one. */
export type SieveTools = {
  readonly known: Fingerprints | null
  readonly draft: FingerprintDraft
  /** The context of records with the same `readWith`. */
  readonly contextOf: (readWith: string) => string
}

/**
 * So many records are looked for at a time, and so many bytes of them held. In another order than
 * before each time takes a look at all that is known; in the same one it does not, and little is held.
 */
const BATCH_RECORDS = { inOrder: 32_768, inAnyOrder: 262_144 }
const BATCH_BYTES = 32 * 2 ** 20

/** A shape is one byte. */
const MOST_SHAPES = 255

/**
 * Keeps back the records of a snapshot that the one before had, by their bytes, and takes the
 * fingerprints of all.
 *
 * It knows only plain snapshots: each record a row, each of another key. Where one turns out to be
 * anything else after some records were kept back, nobody knows what those would have been
 * beside it, and the snapshot has to be read again without.
 */
export class SnapshotSieve {
  /** Whether the snapshot has to be read again, without what is known. */
  mustStartOver = false
  private readonly tools: SieveTools
  private recognition: Recognition | null
  private isPlain = true
  private context: string | null = null
  private readWith: string | null = null
  private readonly names: (readonly string[])[]
  private readonly shapes = new Map<readonly string[], number>()
  private pending: SourceRecord[] = []
  private pendingBytes = 0
  private words: Uint32Array = new Uint32Array(FINGERPRINT_WORDS)

  constructor(tools: SieveTools) {
    this.tools = tools
    this.recognition = tools.known === null ? null : new Recognition(tools.known)
    this.names = [...(tools.known?.head.shapes ?? [])]
  }

  /** What was kept back; null where nothing was. */
  get recognised(): Recognition | null {
    return this.recognition?.count === 0 ? null : this.recognition
  }

  /** What the fingerprints were taken of; null where the snapshot is not plain. */
  headOf(digest: string): FingerprintsHead | null {
    const { context, names, isPlain } = this
    return isPlain && context !== null ? { context, digest, shapes: names } : null
  }

  /** The columns of records that were kept back. */
  recognisedColumns(): readonly string[] {
    return [...(this.recognised?.shapes ?? [])].flatMap((shape) => this.names[shape] ?? [])
  }

  get draft(): FingerprintDraft {
    return this.tools.draft
  }

  /** Takes the next record. */
  add(record: SourceRecord, options: SieveOptions): void {
    if (!this.isPlain || !this.isAlike(record)) {
      options.read(record)
      return
    }
    const at = this.recognition === null ? 0 : this.pending.length * FINGERPRINT_WORDS
    if (at === this.words.length) this.words = grown(this.words)
    const { bytes } = record
    writeSha256(bytes, this.words, { at, count: FINGERPRINT_WORDS })
    if (this.recognition === null) {
      this.read(record, 0, options)
      return
    }
    this.pendingBytes += bytes.length
    const most = this.recognition.isInOrder ? BATCH_RECORDS.inOrder : BATCH_RECORDS.inAnyOrder
    const isFull = this.pending.push(record) >= most || this.pendingBytes > BATCH_BYTES
    if (isFull) this.settle(options)
  }

  /** All records were added. */
  finish(options: SieveOptions): void {
    this.settle(options)
  }

  private settle(options: SieveOptions): void {
    const { recognition, pending, words } = this
    if (recognition === null || pending.length === 0) return
    const { keys, shapes } = recognition.match(words, pending.length)
    for (let i = 0; i < pending.length && !this.mustStartOver; i += 1) {
      const record = pending[i]
      const key = keys[i]
      if (record === undefined) break
      if (key === undefined) this.read(record, i * FINGERPRINT_WORDS, options)
      else {
        options.pass(record)
        this.draft.add(words, i * FINGERPRINT_WORDS, shapes[i] ?? 0, key)
      }
    }
    this.pending = []
    this.pendingBytes = 0
  }

  /** Reads a record whose fingerprint is at a place. */
  private read(record: SourceRecord, at: number, options: SieveOptions): void {
    const key = options.read(record)
    const shape = key === null ? null : this.shapeOf(record)
    if (key === null || shape === null) this.giveUp()
    else if (this.isPlain) this.draft.add(this.words, at, shape, key)
  }

  /** Whether a record is read as those before it; the first one decides whether anything is known. */
  private isAlike({ readWith }: SourceRecord): boolean {
    if (readWith !== undefined && readWith === this.readWith) return true
    if (readWith === undefined || this.readWith !== null) {
      this.giveUp()
      return false
    }
    this.readWith = readWith
    this.context = this.tools.contextOf(readWith)
    if (this.context === this.tools.known?.head.context) return true
    this.recognition = null
    this.names.length = 0
    return true
  }

  private giveUp(): void {
    this.isPlain = false
    if (this.recognition === null) return
    this.mustStartOver = true
  }

  private shapeOf({ decoded }: SourceRecord): number | null {
    if (decoded.kind !== 'image') return null
    const { names } = decoded.shape
    const known = this.shapes.get(names)
    if (known !== undefined) return known
    const text = JSON.stringify(names)
    const alike = this.names.findIndex((each) => JSON.stringify(each) === text)
    const shape = alike < 0 ? this.names.push(names) - 1 : alike
    if (shape === MOST_SHAPES) return null
    this.shapes.set(names, shape)
    return shape
  }
}

function grown(words: Uint32Array): Uint32Array {
  const larger = new Uint32Array(words.length * 2)
  larger.set(words)
  return larger
}
