import type { Change, Delete, Stamp, Stream, Truncate, Upsert } from '../core/change.ts'
import { jsonText } from '../core/display.ts'
import { keyOf } from '../core/key.ts'
import { isRefusal, refuse, type Refusal } from '../core/refusal.ts'
import { convert, NOT_CONVERTIBLE, type DeclaredType } from '../core/types.ts'
import { isTagged, type Value } from '../core/value.ts'
import { ExpressionError, type Expressions } from '../ports/expressions.ts'
import type { Image, Shape, SourceRecord } from '../ports/source.ts'
import { compileFlow, namedColumns, type FlowExpressions } from './flow-expressions.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { planRecord, type Place, type RecordPlan } from './record-plan.ts'
import { RowBuilder } from './row-builder.ts'
import { SequenceReader } from './sequence-reader.ts'
import type { TargetDraft } from './target-draft.ts'
import { virtualValue } from './virtual-columns.ts'

/** What a flow makes of one image. */
export type Reading =
  | { readonly kind: 'change'; readonly change: Change; readonly warnings: readonly string[] }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'dropped'; readonly expectation: string }
  | { readonly kind: 'failed'; readonly expectation: string }
  | Refusal

/** A record's columns, the results of its expressions, and how to find a value in them. */
export type Cells = {
  readonly record: SourceRecord
  readonly plan: RecordPlan
  readonly own: readonly Value[]
  readonly selected: readonly Value[]
  readonly judged: readonly Value[]
}

/** The value at a place of a record; null where the record has none. */
export function valueAt(place: Place, { record, own, selected }: Cells): Value {
  switch (place.from) {
    case 'record':
      return own[place.index] ?? null
    case 'selected':
      return selected[place.index] ?? null
    case 'virtual':
      return virtualValue(place.name, record)
    case 'nowhere':
      return null
  }
}

/** Turns the images of a flow's records into changes of its target (semantics 1, 3 and 8). */
export class RecordReader {
  private readonly flow: FlowSpec
  private readonly draft: TargetDraft
  private readonly expressions: FlowExpressions
  private readonly types: ReadonlyMap<string, DeclaredType>
  private readonly plans = new Map<Shape, RecordPlan>()
  private readonly sequence: SequenceReader
  private readonly system: SequenceReader | null
  private readonly rows: RowBuilder

  /** @throws TidemarkError `EXPRESSION_INVALID` */
  constructor(flow: FlowSpec, draft: TargetDraft, expressions: Expressions) {
    this.flow = flow
    this.draft = draft
    this.expressions = compileFlow(flow, expressions)
    this.types = new Map(Object.entries(flow.columns))
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
    const plans = [...this.plans.values()]
    if (plans.length === 0) return []
    const met = (name: string) => plans.some((plan) => plan.find(name).from !== 'nowhere')
    return namedColumns(this.flow, this.expressions).filter((name) => !met(name))
  }

  /** Reads one image; `part` tells apart the images of one record. Columns come to be only for accepted ones. */
  read(image: Image, record: SourceRecord, stream: Stream, part: number): Reading {
    const cells = this.evaluate(image, record)
    if (isRefusal(cells)) return cells
    if (!this.holds(this.expressions.where, cells, true)) return { kind: 'ignored' }

    const written = this.rows.written(cells, image.hint?.unavailable ?? [])
    if (isRefusal(written)) return written
    const op = this.operation(image, cells)
    const stamp = this.stamp(image, cells, stream, part)
    if (isRefusal(stamp)) return stamp
    const key = op === 'truncate' ? null : this.key(cells)
    if (isRefusal(key)) return key
    const columns = this.rows.columnsOf(cells.plan)
    if (isRefusal(columns)) return columns

    const time =
      this.flow.time_by === null ? null : valueAt(cells.plan.find(this.flow.time_by), cells)
    const violated = op === 'upsert' ? this.violations(cells) : []
    const fatal = violated.find(({ on_violation }) => on_violation !== 'warn')
    if (fatal !== undefined) {
      return {
        kind: fatal.on_violation === 'drop' ? 'dropped' : 'failed',
        expectation: fatal.name,
      }
    }

    this.sequence.accept(stamp.sequence)
    this.system?.accept(stamp.system)
    this.draft.accept(columns)
    const warnings = violated.map(({ name }) => name)

    if (key === null) {
      const { reach } = this.flow
      const change: Truncate = { ...stamp.stamp, op: 'truncate', reach, time }
      return { kind: 'change', change, warnings }
    }
    if (op !== 'upsert') {
      const change: Delete = { ...stamp.stamp, op: 'delete', key, time }
      return { kind: 'change', change, warnings }
    }
    const { row, writes } = this.rows.build(cells, written)
    const change: Upsert = { ...stamp.stamp, op: 'upsert', key, row, writes, time }
    return { kind: 'change', change, warnings }
  }

  private evaluate(image: Image, record: SourceRecord): Cells | Refusal {
    const plan = this.planOf(image.shape)
    const own = this.typedValues(image, plan)
    if (isRefusal(own)) return own

    const bare: Cells = { record, plan, own, selected: [], judged: [] }
    try {
      const { compiled } = this.expressions.selection
      const raw = compiled?.evaluate(plan.selectInputs.map((place) => valueAt(place, bare))) ?? []
      const selected = this.typedSelection(raw)
      if (isRefusal(selected)) return selected
      const seen: Cells = { ...bare, selected }
      const { conditions } = this.expressions
      const judged =
        conditions?.evaluate(plan.conditionInputs.map((place) => valueAt(place, seen))) ?? []
      return { ...seen, judged }
    } catch (error) {
      if (error instanceof ExpressionError) return refuse('COLUMN_TYPE', error.message)
      throw error
    }
  }

  private planOf(shape: Shape): RecordPlan {
    let plan = this.plans.get(shape)
    if (plan === undefined) {
      const { selection, conditions } = this.expressions
      plan = planRecord(shape, selection, conditions, this.types)
      this.plans.set(shape, plan)
    }
    return plan
  }

  private typedValues(image: Image, { typed }: RecordPlan): readonly Value[] | Refusal {
    if (typed.length === 0) return image.values
    const values = [...image.values]
    for (const { index, type } of typed) {
      const converted = convert(values[index] ?? null, type)
      if (converted === NOT_CONVERTIBLE) {
        return notOfType(image.shape.names[index] ?? '', values[index] ?? null, type)
      }
      values[index] = converted
    }
    return values
  }

  private typedSelection(values: readonly Value[]): readonly Value[] | Refusal {
    const out: Value[] = []
    for (const [i, name] of this.expressions.selection.names.entries()) {
      const value = values[i] ?? null
      const type = this.types.get(name)
      const converted = type === undefined ? value : convert(value, type)
      if (converted === NOT_CONVERTIBLE) return notOfType(name, value, type ?? 'text')
      out.push(converted)
    }
    return out
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

  private stamp(image: Image, cells: Cells, stream: Stream, part: number) {
    const sequence = this.sequence.read(cells)
    if (isRefusal(sequence)) return sequence
    const system = this.system?.read(cells) ?? null
    if (isRefusal(system)) return system
    const stamp: Stamp = {
      sequence: sequence.sequence,
      rank: image.hint?.rank ?? 0,
      system: system?.sequence ?? null,
      stream,
      number: cells.record.number,
      part,
    }
    return { stamp, sequence, system }
  }

  private key(cells: Cells) {
    const parts: Value[] = []
    for (const name of this.flow.keys) {
      const value = valueAt(cells.plan.find(name), cells)
      if (value === null) return refuse('NULL_KEY', `the key column "${name}" is null or missing`)
      parts.push(value)
    }
    return keyOf(parts)
  }

  private violations(cells: Cells) {
    return this.flow.expectations.filter((_, i) => {
      const index = this.expressions.expectations[i]
      return index !== undefined && cells.judged[index] !== true
    })
  }
}

function notOfType(name: string, value: Value, type: string): Refusal {
  return refuse('COLUMN_TYPE', `column "${name}" is no ${type}: ${shown(value)}`)
}

/** A value for a message, cut to a readable length. */
export function shown(value: Value): string {
  const text = isTagged(value) ? value.text : jsonText(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
