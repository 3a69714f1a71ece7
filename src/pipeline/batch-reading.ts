import { KEPT_BYTES } from '../formats/framing.ts'
import { compareStreams, type Change, type KeyChange, type Stream } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import type { TargetFacts } from '../core/target.ts'
import { TidemarkError, type FaultCode } from '../core/errors.ts'
import { placeText } from '../core/place.ts'
import { splitKeyChange } from '../formats/key-change.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Image, SourceRecord, StreamName } from '../ports/source.ts'
import type { Counts, Quarantined, Store } from '../ports/store.ts'
import { Arrivals } from './arrivals.ts'
import { NO_COUNTS } from '../core/counts.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { Fold } from './gathering.ts'
import { KeyPast } from './key-past.ts'
import { Moves } from './moves.ts'
import type { AcceptedChange, MessagePast, Reading, RecordReader } from './record-reader.ts'
import type { PlainFold } from './plain-reader.ts'
import type { RefusalMeter } from './refusal-meter.ts'
import type { StreamTails } from './stream-tails.ts'
import type { TieGuard } from './tie-guard.ts'

/** What a record that is set aside takes beside its bytes: most that are refused are short. */
const ASIDE_BYTES = 1000

/** A record set aside, before it has a number. */
export type SetAside = Omit<Quarantined, 'id' | 'flow' | 'at'>

/** Tools that turn the records of a batch into changes. */
export type ReadingTools = {
  readonly flow: FlowSpec
  readonly reader: RecordReader
  readonly meter: RefusalMeter
  /** Null unless the flow refuses ties. */
  readonly ties: TieGuard | null
  readonly streamOf: (name: StreamName) => Stream
  readonly store: Store
  /** Takes the changes as they come, where only the newest of each key count; null where all are needed. */
  readonly fold: Fold | null
  /** The fold, where it takes plain changes and nobody asks what became of each record. */
  readonly plain: PlainFold | null
  /** The target as the records read so far have made it. */
  readonly facts: () => TargetFacts
  /** What the streams said last before the batch; null where their records are no messages. */
  readonly tails: StreamTails | null
  /** Told what became of each record. */
  readonly onOutcome?: (record: SourceRecord, outcome: RecordOutcome) => void
}

/** What became of a record: whether it was taken, or why it was not. */
export type RecordOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'dropped'; readonly expectation: string }
  | { readonly kind: 'failed'; readonly expectation: string }
  | Refusal

/** Values of an accepted record that the feed did not have. */
export type Unavailable = {
  readonly record: SourceRecord
  readonly change: KeyChange
  readonly columns: readonly string[]
}

/**
 * What became of the records of a batch: each is accepted, ignored, dropped or quarantined
 * (law 9). A record of several images is taken or refused whole.
 */
export class BatchReading {
  readonly arrivals = new Arrivals()
  readonly aside: SetAside[] = []
  /** About how much memory they take, in bytes. */
  asideBytes = 0
  readonly violations = new Map<string, number>()
  readonly unavailable: Unavailable[] = []
  /** How many records were ignored for which reason. */
  readonly ignoredBy = new Map<string, number>()
  private readonly tools: ReadingTools
  private readonly counts = { ...NO_COUNTS } as Mutable<Counts>
  private failure: { stream: Stream; number: number; error: TidemarkError } | null = null

  private readonly past: MessagePast | null
  private readonly moves: Moves | null

  constructor(tools: ReadingTools) {
    this.tools = tools
    const { store, facts, tails } = tools
    const keys = tails === null ? null : new KeyPast(store, facts, this.arrivals)
    this.past = keys === null || tails === null ? null : { keys, tails: tails.copy() }
    this.moves = keys === null ? null : new Moves(store, facts, keys)
  }

  get fold(): Fold | null {
    return this.tools.fold
  }

  /** What the streams said last, this batch included; null where their records are no messages. */
  get tails(): StreamTails | null {
    return this.past?.tails ?? null
  }

  /** @throws TidemarkError `TOO_MANY_REFUSED` */
  add(record: SourceRecord): void {
    this.counts.read += 1
    const stream = this.tools.streamOf(record.stream)
    if (this.takePlain(record, stream)) return
    const outcome = this.outcome(record, stream)
    this.past?.tails.pass(stream, record.number, this.deletedBy(record, outcome))
    this.tools.meter.count(outcome.kind === 'refusal')
    this.tools.onOutcome?.(record, outcome)

    switch (outcome.kind) {
      case 'accepted':
        this.counts.accepted += 1
        this.counts.changes += outcome.accepted.length
        for (const accepted of outcome.accepted) this.arrive(accepted, outcome.accepted.length)
        if (outcome.unavailable.length > 0) this.unavailable.push(...outcome.unavailable)
        return
      case 'ignored':
        this.counts.ignored += 1
        this.ignoredBy.set(outcome.reason, (this.ignoredBy.get(outcome.reason) ?? 0) + 1)
        return
      case 'dropped':
        this.counts.dropped += 1
        this.violated(outcome.expectation)
        this.setAside(record, 'EXPECTATION', `violates the expectation "${outcome.expectation}"`)
        return
      case 'failed':
        this.fail(record, stream, 'EXPECTATION_FAILED', `violates "${outcome.expectation}"`)
        return
      case 'refusal':
        this.refused(record, stream, outcome)
    }
  }

  /** Counts of the batch, without what only merging finds out. */
  finish(): Counts {
    if (this.failure !== null) throw this.failure.error
    return { ...this.counts, batches: Math.min(1, this.counts.read) }
  }

  /** Takes a record of which there is nothing to tell but that it was accepted. */
  private takePlain(record: SourceRecord, stream: Stream): boolean {
    const { plain, reader, meter } = this.tools
    const { decoded } = record
    if (plain === null || decoded.kind !== 'image' || decoded.hint !== null) return false
    if (!reader.readPlain(decoded, record, stream, plain)) return false
    this.counts.accepted += 1
    this.counts.changes += 1
    meter.count(false)
    return true
  }

  private outcome(record: SourceRecord, stream: Stream): Outcome {
    const { decoded } = record
    switch (decoded.kind) {
      case 'refusal':
        return decoded
      case 'ignored':
        return decoded
      case 'image':
        return decoded.hint === null
          ? this.ofPlainRow(decoded, record, stream)
          : this.ofImages([decoded], record, stream)
      case 'images':
        return this.ofImages(decoded.images, record, stream)
    }
  }

  private ofImages(images: readonly Image[], record: SourceRecord, stream: Stream): Outcome {
    const accepted: AcceptedChange[] = []
    const warnings: string[] = []
    const unavailable: Unavailable[] = []
    let last: Reading = { kind: 'ignored', reason: 'no rows' }
    const whole = images.flatMap((image) => splitKeyChange(image, this.keysOf(image)))
    for (const [part, image] of whole.entries()) {
      last = this.tools.reader.read(image, { record, stream, part, past: this.past })
      if (last.kind === 'refusal' || last.kind === 'failed') return last
      if (last.kind !== 'change') continue
      const tie = this.tieOf(last.change)
      if (tie !== null) return tie
      const { change, unavailable: columns } = last
      accepted.push(last)
      warnings.push(...last.warnings)
      if (columns.length > 0 && change.op === 'upsert') {
        unavailable.push({ record, change, columns })
      }
    }
    if (accepted.length === 0 && last.kind !== 'change') return last
    this.warned(warnings)
    return { kind: 'accepted', accepted, unavailable }
  }

  /** A row without an envelope says nothing of what was before, and of nothing that it lacks. */
  private ofPlainRow(image: Image, record: SourceRecord, stream: Stream): Outcome {
    const reading = this.tools.reader.read(image, { record, stream, part: 0, past: this.past })
    if (reading.kind !== 'change') return reading
    const tie = this.tieOf(reading.change)
    if (tie !== null) return tie
    this.warned(reading.warnings)
    return { kind: 'accepted', accepted: [reading], unavailable: NOTHING }
  }

  private tieOf(change: Change): Refusal | null {
    return change.op === 'truncate' ? null : (this.tools.ties?.admit(change) ?? null)
  }

  private warned(warnings: readonly string[]): void {
    if (warnings.length === 0) return
    for (const name of warnings) this.violated(name)
    this.counts.warned += 1
  }

  /** Adds a change to what arrived, and the values that rows with other keys get by it. */
  private arrive({ change, move }: AcceptedChange, parts: number): void {
    const isMoved = move !== null && change.op !== 'truncate'
    // Asked before it arrives: what is known of it is what came before.
    const carried = isMoved ? this.moves?.follow(change, move, parts) : undefined
    const { fold } = this.tools
    if (fold === null) this.arrivals.add(change)
    else fold.add(change)
    for (const each of carried ?? []) this.arrivals.add(each)
  }

  /** The key that a record deleted last, whatever became of it; undefined where it says nothing of any. */
  private deletedBy(record: SourceRecord, outcome: Outcome): Key | null | undefined {
    if (outcome.kind === 'accepted') {
      const last = outcome.accepted.at(-1)?.change
      return last?.op === 'delete' ? last.key : null
    }
    const { decoded } = record
    if (decoded.kind !== 'image' || decoded.hint?.op === 'tombstone') return undefined
    return this.tools.reader.deletedKey(decoded, record)
  }

  private keysOf({ hint }: Image): readonly string[] {
    const { keys } = this.tools.facts()
    return keys.length > 0 ? keys : (hint?.keys ?? keys)
  }

  private refused(record: SourceRecord, stream: Stream, { code, message }: Refusal): void {
    this.counts.quarantined += 1
    if (this.tools.flow.on_error === 'fail') this.fail(record, stream, code, message)
    else this.setAside(record, code, message)
  }

  private setAside(record: SourceRecord, code: Quarantined['code'], reason: string): void {
    const { name, partition } = record.stream
    const bytes = code === 'TOO_LARGE' ? record.bytes.subarray(0, KEPT_BYTES) : record.bytes
    this.asideBytes += bytes.length + ASIDE_BYTES
    this.aside.push({
      stream: name,
      partition,
      number: record.number,
      code,
      reason,
      bytes: Uint8Array.from(bytes),
    })
  }

  /** Of several faults of a batch the first by position is reported. */
  private fail(record: SourceRecord, stream: Stream, code: FaultCode, reason: string): void {
    const { number } = record
    const before = this.failure
    if (before !== null) {
      const order = compareStreams(before.stream, stream) || before.number - number
      if (order <= 0) return
    }
    const place = placeText(record.stream, number)
    const error = new TidemarkError(code, `${reason} (flow "${this.tools.flow.name}", ${place})`, {
      flow: this.tools.flow.name,
      place,
    })
    this.failure = { stream, number, error }
  }

  private violated(expectation: string): void {
    this.violations.set(expectation, (this.violations.get(expectation) ?? 0) + 1)
  }
}

type Outcome =
  | {
      readonly kind: 'accepted'
      readonly accepted: readonly AcceptedChange[]
      readonly unavailable: readonly Unavailable[]
    }
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'dropped'; readonly expectation: string }
  | { readonly kind: 'failed'; readonly expectation: string }
  | Refusal

const NOTHING: readonly Unavailable[] = []

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
