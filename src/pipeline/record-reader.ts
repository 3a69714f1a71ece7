import type { Change, Stamp, Stream } from '../core/change.ts'
import { keyOf, type Key } from '../core/key.ts'
import { isRefusal, refuse, type Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Expressions } from '../ports/expressions.ts'
import type { Image, SourceRecord } from '../ports/source.ts'
import { compileFlow, namedColumns, type FlowExpressions } from './flow-expressions.ts'
import type { ExpectationSpec, FlowSpec } from './flow-spec-type.ts'
import { CellReader, valueAt, type Cells } from './record-cells.ts'
import { RowBuilder, type WrittenColumns } from './row-builder.ts'
import { SequenceReader } from './sequence-reader.ts'
import type { TargetDraft } from './target-draft.ts'

/** What a flow makes of one image. */
export type Reading =
  | { readonly kind: 'change'; readonly change: Change; readonly warnings: readonly string[] }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'dropped'; readonly expectation: string }
  | { readonly kind: 'failed'; readonly expectation: string }
  | Refusal

/** Turns the images of a flow's records into changes of its target (semantics 1, 3 and 8). */
export class RecordReader {
  private readonly flow: FlowSpec
  private readonly draft: TargetDraft
  private readonly expressions: FlowExpressions
  private readonly cells: CellReader
  private readonly sequence: SequenceReader
  private readonly system: SequenceReader | null
  private readonly rows: RowBuilder
  private readonly acceptedLists = new Set<readonly string[]>()

  /** @throws TidemarkError `EXPRESSION_INVALID` */
  constructor(flow: FlowSpec, draft: TargetDraft, expressions: Expressions) {
    this.flow = flow
    this.draft = draft
    this.expressions = compileFlow(flow, expressions)
    this.cells = new CellReader(flow, this.expressions)
    this.sequence = new SequenceReader(flow.sequence_by, this.expressions.sequence, {
      missing: 'NULL_SEQUENCE',
      type: () => this.draft.facts.sequenceType,
      fix: (type) => this.draft.fixSequenceType(type),
    })
    this.system =
      flow.system_sequence_by === null
        ? null
        : new SequenceReader(flow.system_sequence_by, this.expressions.system, {
            missing: 'NULL_SYSTEM_TIME',
            type: () => this.draft.facts.systemType,
            fix: (type) => this.draft.fixSystemType(type),
          })
    this.rows = new RowBuilder(flow, draft)
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

  /** Reads one image; `part` tells apart the images of one record. Columns come to be only for accepted ones. */
  read(image: Image, record: SourceRecord, stream: Stream, part: number): Reading {
    const cells = this.cells.read(image, record)
    if (isRefusal(cells)) return cells
    if (!this.holds(this.expressions.where, cells, true)) return IGNORED

    const written = this.rows.written(cells, image.hint?.unavailable ?? NONE)
    if (isRefusal(written)) return written
    const op = this.operation(image, cells)
    const sequence = this.sequence.read(cells, cells.plan.sequence)
    if (isRefusal(sequence)) return sequence
    const system = this.system?.read(cells, cells.plan.system) ?? null
    if (isRefusal(system)) return system
    const key = op === 'truncate' ? null : this.key(cells)
    if (isRefusal(key)) return key
    const columns = this.rows.columnsOf(cells.plan)
    if (isRefusal(columns)) return columns

    const violated = op === 'upsert' ? this.violations(cells) : NO_EXPECTATIONS
    const fatal = violated.find(({ on_violation }) => on_violation !== 'warn')
    if (fatal !== undefined) {
      const kind = fatal.on_violation === 'drop' ? 'dropped' : 'failed'
      return { kind, expectation: fatal.name }
    }

    this.sequence.accept(sequence)
    this.system?.accept(system)
    this.draft.accept(columns)
    this.acceptedLists.add(columns)
    const stamp: Stamp = {
      sequence: sequence.sequence,
      rank: image.hint?.rank ?? 0,
      system: system?.sequence ?? null,
      stream,
      number: record.number,
      part,
    }
    const warnings = violated.length === 0 ? NONE : violated.map(({ name }) => name)
    return {
      kind: 'change',
      change: this.change(op === 'truncate' ? null : key, op, stamp, { cells, written }),
      warnings,
    }
  }

  private change(
    key: Key | null,
    op: Change['op'],
    stamp: Stamp,
    { cells, written }: { cells: Cells; written: WrittenColumns },
  ): Change {
    // Spelled out: a spread of the stamp costs more than all the rest of reading.
    const { sequence, rank, system, stream, number, part } = stamp
    const time = valueAt(cells.plan.time, cells)
    if (key === null) {
      const { reach } = this.flow
      return { sequence, rank, system, stream, number, part, op: 'truncate', reach, time }
    }
    if (op === 'delete') return { sequence, rank, system, stream, number, part, op, key, time }
    const { row, writes } = this.rows.build(cells, written)
    return { sequence, rank, system, stream, number, part, op: 'upsert', key, row, writes, time }
  }

  private holds(condition: number | null, cells: Cells, otherwise: boolean): boolean {
    return condition === null ? otherwise : cells.judged[condition] === true
  }

  private operation(image: Image, cells: Cells): Change['op'] {
    const hinted = image.hint?.op ?? 'upsert'
    if (this.holds(this.expressions.truncates, cells, hinted === 'truncate')) return 'truncate'
    if (this.holds(this.expressions.deletes, cells, hinted === 'delete')) return 'delete'
    return 'upsert'
  }

  private key(cells: Cells): Key | Refusal {
    const parts: Value[] = []
    for (const place of cells.plan.keys) {
      const value = valueAt(place, cells)
      if (value === null) {
        const name = this.flow.keys[parts.length] ?? ''
        return refuse('NULL_KEY', `the key column "${name}" is null or missing`)
      }
      parts.push(value)
    }
    return keyOf(parts)
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

const IGNORED: Reading = { kind: 'ignored' }
const NONE: readonly string[] = []
const NO_EXPECTATIONS: readonly ExpectationSpec[] = []
