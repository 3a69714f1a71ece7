import { canonical, compareText, field, isArray, type Json, type JsonObject } from './json.ts'
import type { Delivery, FlowOptions, Position } from './scenario.ts'
import { compareSequences, sequenceOf, typeOf, type Sequence } from './sequence.ts'

/** A change event (semantics 1). */
export type Event = {
  readonly flow: FlowOptions
  readonly position: Position
  readonly op: 'upsert' | 'delete' | 'truncate'
  /** Canonical text of the key's values. */
  readonly key: string
  readonly sequence: Sequence
  /** System time where it comes from the data. */
  readonly system: Sequence | null
  /** The batch that brought it, from 1: system time where the engine gives it. */
  readonly batch: number
  /** The record's own columns, as far as they are the target's. */
  readonly values: JsonObject
  /** The columns that `columns_to_update` names, null where it leaves that to the other options. */
  readonly named: readonly string[] | null
  /** Value of the `time_by` column. */
  readonly time: Json
}

/** Why a record is refused (semantics 8), as far as records of plain JSON can be. */
export type Refusal =
  | 'COLUMN_TYPE'
  | 'NULL_SEQUENCE'
  | 'SEQUENCE_TYPE'
  | 'NULL_SYSTEM_TIME'
  | 'NULL_KEY'
  | 'COLUMN_NAME_CLASH'
  | 'RESERVED_COLUMN'
  | 'SEQUENCE_TIE'

/** The types that the target's sequences have, null as long as no record was accepted. */
export type Types = { readonly sequence: string | null; readonly system: string | null }

/** Semantics 1 and 3: what a record says; of several faults the first of semantics 8. */
export function read(
  delivery: Delivery,
  flow: FlowOptions,
  batch: number,
  types: Types,
): Event | Refusal {
  const { record, position } = delivery
  const named = field(record, flow.columns_to_update)
  if (named !== null && !isListOfText(named)) return 'COLUMN_TYPE'

  const sequence = sequenceOf(record, flow.sequence_by)
  if (sequence === 'null') return 'NULL_SEQUENCE'
  if (sequence === 'no sequence' || !fits(sequence, types.sequence)) return 'SEQUENCE_TYPE'

  const { system_sequence_by: systemBy } = flow
  const system = systemBy === undefined ? null : sequenceOf(record, systemBy)
  if (system === 'null') return 'NULL_SYSTEM_TIME'
  if (system === 'no sequence' || !fits(system, types.system)) return 'SEQUENCE_TYPE'

  const op = operation(record, flow)
  const key = flow.keys.map((column) => field(record, column))
  if (op !== 'truncate' && key.includes(null)) return 'NULL_KEY'

  const values = Object.fromEntries(
    Object.entries(record).filter(([column]) => isTargetColumn(column, flow)),
  )
  const time = field(record, flow.time_by)
  return { flow, position, op, key: canonical(key), sequence, system, batch, values, named, time }
}

/** Semantics 1, "Total order". */
export function compareEvents(a: Event, b: Event): number {
  return (
    compareSequences(a.sequence, b.sequence) ||
    Number(b.op === 'truncate') - Number(a.op === 'truncate') ||
    compareSequences(a.system ?? [], b.system ?? []) ||
    compareText(a.flow.name ?? '', b.flow.name ?? '') ||
    comparePositions(a.position, b.position)
  )
}

/** Order of two positions: file names in natural order, then record numbers. */
export function comparePositions(a: Position, b: Position): number {
  return compareNatural(a.name, b.name) || a.number - b.number
}

function compareNatural(a: string, b: string): number {
  const left = a.match(/[0-9]+|[^0-9]+/g) ?? []
  const right = b.match(/[0-9]+|[^0-9]+/g) ?? []
  for (const [i, part] of left.entries()) {
    const other = right[i] ?? ''
    const bothNumbers = /^[0-9]/.test(part) && /^[0-9]/.test(other)
    const difference = bothNumbers ? Number(BigInt(part) - BigInt(other)) : compareText(part, other)
    if (difference !== 0) return difference
  }
  return left.length - right.length || compareText(a, b)
}

function fits(sequence: Sequence | null, type: string | null): boolean {
  return sequence === null || type === null || typeOf(sequence) === type
}

function isTargetColumn(column: string, flow: FlowOptions): boolean {
  if (flow.keys.includes(column)) return true
  if (column === flow.columns_to_update) return false
  if (flow.column_list !== undefined) return flow.column_list.includes(column)
  return !(flow.except_column_list ?? []).includes(column)
}

function operation(record: JsonObject, flow: FlowOptions): Event['op'] {
  if (holds(flow.apply_as_truncates, record)) return 'truncate'
  return holds(flow.apply_as_deletes, record) ? 'delete' : 'upsert'
}

function holds(condition: string | undefined, record: JsonObject): boolean {
  if (condition === undefined) return false
  const [, column, text] = /^(\w+) = '([^']*)'$/.exec(condition) ?? []
  if (column === undefined) throw new Error(`the oracle cannot read ${condition}`)
  return field(record, column) === text
}

function isListOfText(value: Json): value is readonly string[] {
  return isArray(value) && value.every((name) => typeof name === 'string')
}
