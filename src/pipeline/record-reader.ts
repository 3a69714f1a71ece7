import type { Change, KeyChange, Stamp, Stream } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { isRefusal, type Refusal } from '../core/refusal.ts'
import { isNumberAlone } from '../core/sequence.ts'
import type { Expressions } from '../ports/expressions.ts'
import type { Hint, Image, SourceRecord } from '../ports/source.ts'
import type { WrittenColumns } from './column-writes.ts'
import { compileFlow, namedColumns, type FlowExpressions } from './flow-expressions.ts'
import type { ExpectationSpec, FlowSpec } from './flow-spec-type.ts'
import { CellReader, valueAt, type Cells } from './record-cells.ts'
import type { KeyPast } from './key-past.ts'
import { FeedLogs } from './feed-log.ts'
import { KeyReader } from './key-reader.ts'
import { LaterUpsert } from './later-upsert.ts'
import { isOrderedByFormat, mayBePartial } from './flow-spec-messages.ts'
import type { Move } from './moves.ts'
import { PlainReader, type PlainFold } from './plain-reader.ts'
import type { RecordPlan } from './record-plan.ts'
import { RowBuilder } from './row-builder.ts'
import { SequenceReader } from './sequence-reader.ts'
import type { StreamTails } from './stream-tails.ts'
import type { TargetDraft } from './target-draft.ts'

/** What a flow makes of one image. */
export type Reading =
  | AcceptedChange
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'dropped'; readonly expectation: string }
  | { readonly kind: 'failed'; readonly expectation: string }
  | Refusal

/** An image that was accepted. */
export type AcceptedChange = {
  readonly kind: 'change'
  readonly change: Change
  /** Expectations that it violates and that only warn. */
  readonly warnings: readonly string[]
  /** Columns that the feed marks as unavailable. */
  readonly unavailable: readonly string[]
  /** What it has to do with a row that gets another key; null for all others. */
  readonly move: Move | null
}

/** Where an image comes from, and what is known of keys by then. */
export type Arrival = {
  readonly record: SourceRecord
  readonly stream: Stream
  /** Tells apart the images of one record. */
  readonly part: number
  /** Null where the records of the source are no messages. */
  readonly past: MessagePast | null
}

/** What is known of keys and streams before a message. */
export type MessagePast = { readonly keys: KeyPast; readonly tails: StreamTails }

type UpsertParts = { readonly cells: Cells; readonly written: WrittenColumns }

/** Turns the images of a flow's records into changes of its target (semantics 1, 3 and 8). */
export class RecordReader {
  private readonly flow: FlowSpec
  private readonly draft: TargetDraft
  private readonly expressions: FlowExpressions
  private readonly cells: CellReader
  private readonly keys: KeyReader
  private readonly logs: FeedLogs
  private readonly sequence: SequenceReader
  private readonly system: SequenceReader | null
  private readonly rows: RowBuilder
  private readonly plain: PlainReader | null
  /** Whether records may leave values out that a row keeps. */
  private readonly mayLack: boolean
  private readonly acceptedLists = new Set<readonly string[]>()

  /** @throws TidemarkError `EXPRESSION_INVALID` */
  constructor(flow: FlowSpec, draft: TargetDraft, expressions: Expressions) {
    this.flow = flow
    this.draft = draft
    this.expressions = compileFlow(flow, expressions)
    this.cells = new CellReader(flow, this.expressions, () => this.draft.facts.keys)
    this.keys = new KeyReader(flow, draft, this.cells)
    this.logs = new FeedLogs(flow, draft)
    this.sequence = new SequenceReader(flow.sequence_by, this.expressions.sequence, {
      missing: 'NULL_SEQUENCE',
      type: () => this.draft.facts.sequenceType,
      fix: (type) => this.draft.fixSequenceType(type),
      epoch: isOrderedByFormat(flow) ? flow.source.epoch : null,
    })
    this.system =
      flow.system_sequence_by === null
        ? null
        : new SequenceReader(flow.system_sequence_by, this.expressions.system, {
            missing: 'NULL_SYSTEM_TIME',
            type: () => this.draft.facts.systemType,
            fix: (type) => this.draft.fixSystemType(type),
            epoch: null,
          })
    this.rows = new RowBuilder(flow, draft)
    this.plain = PlainReader.for(flow, this.expressions)
    this.mayLack = mayBePartial(flow) || flow.missing_columns === 'keep'
  }

  /** Columns that the flow names and no record so far had; empty before the first record. */
  unmetColumns(): readonly string[] {
    const plans = this.cells.met
    if (plans.length === 0) return []
    const met = (name: string) => plans.some((plan) => plan.find(name).from !== 'nowhere')
    return namedColumns(this.flow, this.expressions).filter((name) => !met(name))
  }

  /** The target's columns that accepted records had. */
  acceptedColumns(): readonly string[] {
    return [...new Set([...this.acceptedLists].flat())]
  }

  /** Names in `columns_to_update` that are no columns, and how often they were given. */
  unknownNames(): readonly (readonly [name: string, times: number])[] {
    const { seen } = this.draft.facts
    return [...this.rows.named].filter(([name]) => !seen.includes(name))
  }

  /** Reads one image. Columns come to be only for accepted ones. @throws TidemarkError `TARGET_CHANGED` */
  read(image: Image, arrival: Arrival): Reading {
    const isFirst = image.hint !== null && this.keys.learn(image.hint)
    const reading = this.readImage(image, arrival)
    // What is not accepted decides nothing for what comes after it.
    if (isFirst && reading.kind !== 'change') this.keys.forget()
    return reading
  }

  /** Reads a row straight into a fold; false where it has to be read by {@link read}. */
  readPlain(image: Image, record: SourceRecord, stream: Stream, fold: PlainFold): boolean {
    return this.plain?.read(image, record, stream, fold) ?? false
  }

  /** Takes the columns of an image for those of the target whatever orders it: a row of an extract has no version yet. */
  learnColumns(image: Image, { record }: Pick<Arrival, 'record'>): void {
    const cells = this.cells.read(image, record)
    if (isRefusal(cells) || !this.holds(this.expressions.where, cells, true)) return
    const columns = this.rows.columnsOf(cells.plan)
    if (!isRefusal(columns)) this.draft.accept(columns)
  }

  private readImage(image: Image, arrival: Arrival): Reading {
    const { hint } = image
    const cells = this.cells.read(image, arrival.record)
    if (isRefusal(cells)) return cells
    if (!this.holds(this.expressions.where, cells, true)) return ignored('where')
    if (hint?.op === 'tombstone') return this.tombstone(cells, arrival)

    const written = this.rows.written(cells)
    if (isRefusal(written)) return written
    const op = this.operation(cells)
    if (op === 'truncate' && this.flow.apply_as_truncates === false) return ignored('truncate')
    const sequence = this.sequence.read(cells, cells.plan.sequence)
    const log = this.logs.read(hint)
    // Another log says more than another type, which may come of it.
    if (isRefusal(sequence)) return isRefusal(log) && sequence.code === log.code ? log : sequence
    if (isRefusal(log)) return log
    const system = this.system?.read(cells, cells.plan.system) ?? null
    if (isRefusal(system)) return system
    const key = op === 'truncate' ? null : this.keys.read(cells)
    if (isRefusal(key)) return key
    const columns = this.rows.columnsOf(cells.plan)
    if (isRefusal(columns)) return columns

    const violated = op === 'upsert' ? this.violations(cells) : NO_EXPECTATIONS
    const fatal = violated.find(({ on_violation }) => on_violation !== 'warn')
    if (fatal !== undefined) {
      const kind = fatal.on_violation === 'drop' ? 'dropped' : 'failed'
      return { kind, expectation: fatal.name }
    }

    this.logs.accept(log)
    this.sequence.accept(sequence)
    this.system?.accept(system)
    this.draft.accept(columns)
    this.acceptedLists.add(columns)
    const { stream, part, record } = arrival
    const stamp: Stamp = {
      sequence: sequence.sequence,
      rank: hint?.rank ?? 0,
      system: system?.sequence ?? null,
      stream,
      number: record.number,
      part,
    }
    if (op === 'upsert' && hint === null && this.plain?.knows(image.shape) === false) {
      this.plain.learn(image.shape, cells.plan, this.plainOrder(cells.plan))
    }
    const warnings = violated.length === 0 ? NONE : violated.map(({ name }) => name)
    const change = this.change(op === 'truncate' ? null : key, op, stamp, { cells, written })
    const move = hint === null || op === 'truncate' ? null : this.move(op, hint, cells, written)
    return { kind: 'change', change, warnings, unavailable: written.unavailable, move }
  }

  /** Null where more than a number orders changes, or values are computed. */
  private plainOrder(plan: RecordPlan): readonly number[] | null {
    return isNumberAlone(this.draft.facts.sequenceType) ? this.rows.plainOrder(plan) : null
  }

  /** The key that an image deletes; null where it deletes none, or does not say which. */
  deletedKey(image: Image, record: SourceRecord): Key | null {
    if (image.hint?.op !== 'delete') return null
    const cells = this.cells.read(image, record)
    const key = isRefusal(cells) ? cells : this.keys.read(cells)
    return isRefusal(key) ? null : key
  }

  /**
   * A message without a value marks the deletion that stands right before it in its stream. Where
   * compaction took that away, it is the deletion: of the newest that its stream had told of the key
   * before, and of everything else at that sequence, for the one that was taken away was later.
   */
  private tombstone(cells: Cells, { record, stream, part, past }: Arrival): Reading {
    const { number } = record
    const key = this.keys.read(cells)
    if (isRefusal(key)) return ignored('tombstone without the key')
    if (past === null || past.tails.hasRead(stream, number)) return ignored('tombstone read before')
    if (past.tails.endsInDeletionOf(key, stream)) return ignored('tombstone after delete')
    const newest = past.keys.newest(key, stream, number)
    if (newest === null) return ignored('tombstone of an unknown key')
    if (newest.isDeletion) return ignored('tombstone after delete')
    const { sequence, system } = newest.stamp
    const stamp = { sequence, rank: AFTER_ALL_RANKS, system, stream, number, part }
    const change = { ...stamp, op: 'delete' as const, key, time: cells.hint?.time ?? null }
    return { kind: 'change', change, warnings: NONE, unavailable: NONE, move: null }
  }

  private change(
    key: Key | null,
    op: Change['op'],
    stamp: Stamp,
    { cells, written }: UpsertParts,
  ): Change {
    // Spelled out: a spread of the stamp costs more than all the rest of reading.
    const { sequence, rank, system, stream, number, part } = stamp
    const time = valueAt(cells.plan.time, cells)
    if (key === null) {
      const { reach } = this.flow
      return { sequence, rank, system, stream, number, part, op: 'truncate', reach, time }
    }
    if (op === 'delete') return { sequence, rank, system, stream, number, part, op, key, time }
    const order = this.rows.order(cells, written)
    if (order !== null) return new LaterUpsert(stamp, { key, time }, cells.own, order)
    const { row, writes } = this.rows.build(cells, written)
    return { sequence, rank, system, stream, number, part, op: 'upsert', key, row, writes, time }
  }

  /** Whether the change is half of one that gave a row another key, where records may lack values. */
  private move(
    op: KeyChange['op'],
    hint: Hint,
    cells: Cells,
    written: WrittenColumns,
  ): Move | null {
    if (!this.mayLack) return null
    if (op === 'upsert') {
      if (hint.oldKey === null || this.keys.ofValues(hint.keys, hint.oldKey) === null) return null
      return { half: 'arrives', lacking: this.rows.lacking(cells, written) }
    }
    const to = hint.newKey === null ? null : this.keys.ofValues(hint.keys, hint.newKey)
    return to === null ? null : { half: 'leaves', to }
  }

  private holds(condition: number | null, cells: Cells, otherwise: boolean): boolean {
    return condition === null ? otherwise : cells.judged[condition] === true
  }

  private operation(cells: Cells): Change['op'] {
    const hinted = cells.hint?.op ?? 'upsert'
    if (this.holds(this.expressions.truncates, cells, hinted === 'truncate')) return 'truncate'
    if (this.holds(this.expressions.deletes, cells, hinted === 'delete')) return 'delete'
    return 'upsert'
  }

  private violations(cells: Cells): readonly ExpectationSpec[] {
    const { expectations } = this.flow
    if (expectations.length === 0) return NO_EXPECTATIONS
    return expectations.filter((_, i) => {
      const index = this.expressions.expectations[i]
      return index !== undefined && cells.judged[index] !== true
    })
  }
}

function ignored(reason: string): Reading {
  return { kind: 'ignored', reason }
}

/** Above every rank that a format gives. */
const AFTER_ALL_RANKS = 9

const NONE: readonly string[] = []
const NO_EXPECTATIONS: readonly ExpectationSpec[] = []
