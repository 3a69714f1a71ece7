import type { Delete, Stream } from '../core/change.ts'
import { keyOf, type Key } from '../core/key.ts'
import { isSlotInteger } from '../core/key-slots.ts'
import { plainSequence, type PlainChange } from '../core/plain-changes.ts'
import type { Value } from '../core/value.ts'
import { ExpressionError } from '../ports/expressions.ts'
import type { Image, Shape, SourceRecord, Values } from '../ports/source.ts'
import type { FlowExpressions } from './flow-expressions.ts'
import { isOrderedByFormat } from './flow-spec-messages.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { LaterUpsert } from './later-upsert.ts'
import type { Place, RecordPlan } from './record-plan.ts'
import { writesAllValues, writesEverything } from './row-builder.ts'

/** A fold that takes plain changes; false where it has to be given a change. */
export type PlainFold = {
  addPlain(key: Key | number, change: PlainChange<Values>): boolean
}

/** Where rows of one shape have what decides over them. */
type Way = {
  readonly keys: readonly number[]
  readonly sequence: number
  readonly conditions: readonly number[]
  readonly order: readonly number[]
}

/**
 * Reads rows that are plain straight into a fold, without making anything of them that is not kept:
 * all else, and every row of which it cannot be sure, is for the reader of records, which also sees
 * the first row of each shape.
 */
export class PlainReader {
  readonly #expressions: FlowExpressions
  /** Null for shapes that lack something in columns of their own. */
  readonly #ways = new Map<Shape, Way | null>()
  #last: { readonly shape: Shape; readonly way: Way } | null = null
  /** What the conditions look at in the row at hand. */
  readonly #inputs: Value[] = []

  private constructor(expressions: FlowExpressions) {
    this.#expressions = expressions
  }

  /** Null where no row of a flow can be plain. */
  static for(flow: FlowSpec, expressions: FlowExpressions): PlainReader | null {
    return mayBePlain(flow) ? new PlainReader(expressions) : null
  }

  /** Learns from a row that was accepted where those of its shape have what decides over them. */
  learn(shape: Shape, plan: RecordPlan, order: readonly number[] | null): void {
    this.#ways.set(shape, order === null ? null : wayOf(plan, order))
  }

  knows(shape: Shape): boolean {
    return this.#ways.has(shape)
  }

  /** Reads a row into a fold; false where that is not for this reader. */
  read(
    { shape, values }: Image,
    { number }: SourceRecord,
    stream: Stream,
    fold: PlainFold,
  ): boolean {
    const way = this.#wayOf(shape)
    if (way === null) return false
    const sequence = values.at(way.sequence)
    if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence)) return false
    const judged = this.#judge(way, values)
    if (judged === null) return false
    const key = keyIn(values, way.keys)
    if (key === null) return false
    const { deletes } = this.#expressions
    const isDeletion = deletes !== null && judged[deletes] === true
    const { order } = way
    return fold.addPlain(key, {
      sequence,
      stream,
      number,
      values: isDeletion ? null : values,
      order,
    })
  }

  #wayOf(shape: Shape): Way | null {
    if (this.#last?.shape === shape) return this.#last.way
    const way = this.#ways.get(shape) ?? null
    if (way === null) return null
    this.#last = { shape, way }
    return way
  }

  /** What the conditions say; null where the row is not wanted, or they cannot tell. */
  #judge({ conditions: indexes }: Way, values: Values): readonly Value[] | null {
    const { conditions, where } = this.#expressions
    if (conditions === null) return NOTHING
    // Once for every record: no array is made.
    for (let i = 0; i < indexes.length; i += 1) {
      this.#inputs[i] = values.at(indexes[i] ?? -1) ?? null
    }
    this.#inputs.length = indexes.length
    try {
      const judged = conditions.evaluate(this.#inputs)
      return where === null || judged[where] === true ? judged : null
    } catch (error) {
      if (error instanceof ExpressionError) return null
      throw error
    }
  }
}

/** Whether rows of a flow can be plain. */
function mayBePlain(flow: FlowSpec): boolean {
  const { select, expectations, system_sequence_by, sequence_by, time_by, keys } = flow
  const [part, ...others] = sequence_by.parts
  return (
    keys.length > 0 &&
    select === null &&
    expectations.length === 0 &&
    typeof flow.apply_as_truncates !== 'string' &&
    system_sequence_by === null &&
    time_by === null &&
    part?.column !== null &&
    (part?.type === null || part?.type === 'integer' || part?.type === 'number') &&
    others.length === 0 &&
    !isOrderedByFormat(flow) &&
    (writesEverything(flow) || writesAllValues(flow))
  )
}

/** The change that a plain one is. */
export function changeOf(key: Key, plain: PlainChange<Values>): LaterUpsert | Delete {
  const { stream, number, values, order } = plain
  const stamp = {
    sequence: plainSequence(plain.sequence),
    rank: 0,
    system: null,
    stream,
    number,
    part: 0,
  }
  if (values === null) return { ...stamp, op: 'delete', key, time: null }
  return new LaterUpsert(stamp, { key, time: null }, values, order)
}

function keyIn(values: Values, indexes: readonly number[]): Key | number | null {
  if (indexes.length === 1) {
    const value = values.at(indexes[0] ?? -1) ?? null
    if (typeof value === 'number' && isSlotInteger(value)) return value
    return value === null ? null : keyOf([value])
  }
  const parts = indexes.map((index) => values.at(index) ?? null)
  return parts.includes(null) ? null : keyOf(parts)
}

function wayOf(plan: RecordPlan, order: readonly number[]): Way | null {
  const [sequence, ...others] = indexesOf(plan.sequence) ?? []
  const keys = indexesOf(plan.keys)
  const conditions = indexesOf(plan.conditionInputs)
  if (sequence === undefined || others.length > 0 || keys === null || conditions === null)
    return null
  return plan.typed.length > 0 ? null : { keys, sequence, conditions, order }
}

function indexesOf(places: readonly Place[]): number[] | null {
  const indexes: number[] = []
  for (const place of places) {
    if (place.from !== 'record') return null
    indexes.push(place.index)
  }
  return indexes
}

const NOTHING: readonly Value[] = []
