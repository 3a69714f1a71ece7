import { asciiLowerCase } from '../core/sql-tokens.ts'
import type { DeclaredType } from '../core/types.ts'
import type { Shape } from '../ports/source.ts'
import type { FlowExpressions } from './flow-expressions.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { isVirtual } from './virtual-columns.ts'

/** Where a value of a record is found: a column of its own, a computed one, or what the transport knows. */
export type Place =
  | { readonly from: 'record'; readonly index: number }
  | { readonly from: 'selected'; readonly index: number }
  | { readonly from: 'virtual'; readonly name: string }
  | { readonly from: 'nowhere' }

/** A column that a record has after `select`, and where its value is. */
export type PlannedColumn = { readonly name: string; readonly place: Place }

/** What a flow works out once for all records of one shape. */
export type RecordPlan = {
  /** Declared types of the record's own columns, by index. */
  readonly typed: readonly { readonly index: number; readonly type: DeclaredType }[]
  /** Inputs of the `select` expressions, from the record as it came. */
  readonly selectInputs: readonly Place[]
  /** Inputs of conditions and expectations, which also see what was selected. */
  readonly conditionInputs: readonly Place[]
  /** Every column after `select`. */
  readonly columns: readonly PlannedColumn[]
  /** Where the flow's own columns are; a part that is computed is nowhere. */
  readonly keys: readonly Place[]
  readonly sequence: readonly Place[]
  readonly system: readonly Place[]
  readonly time: Place
  readonly control: Place
  readonly find: (name: string) => Place
}

/** Works out a plan for a shape. */
export function planRecord(
  shape: Shape,
  flow: FlowSpec,
  { selection, conditions }: FlowExpressions,
  { types, keys }: { types: ReadonlyMap<string, DeclaredType>; keys: readonly string[] },
): RecordPlan {
  const own = finder(shape.names.map((name, index) => ({ name, place: { from: 'record', index } })))
  const selected = selection.names.map((name, index): PlannedColumn => ({
    name,
    place: { from: 'selected', index },
  }))
  const kept = shape.names.flatMap((name, index): PlannedColumn[] =>
    selection.renamed.has(name) || selection.names.includes(name)
      ? []
      : [{ name, place: { from: 'record', index } }],
  )
  const columns = inOrderOf(shape.names, [...kept, ...selected])
  const after = finder(columns)
  const find = (name: string): Place => after(name) ?? own(name) ?? virtualPlace(name)
  const named = (name: string | null): Place => (name === null ? { from: 'nowhere' } : find(name))

  return {
    typed: shape.names.flatMap((name, index) => {
      const type = types.get(name)
      return type === undefined || selection.names.includes(name) ? [] : [{ index, type }]
    }),
    selectInputs: (selection.compiled?.columns ?? []).map(
      (name) => own(name) ?? virtualPlace(name),
    ),
    conditionInputs: (conditions?.columns ?? []).map(find),
    columns,
    keys: keys.map(find),
    sequence: flow.sequence_by.parts.map(({ column }) => named(column)),
    system: (flow.system_sequence_by?.parts ?? []).map(({ column }) => named(column)),
    time: named(flow.time_by),
    control: named(flow.columns_to_update),
    find,
  }
}

/** Finds a column by its name, else by its name in other case, as SQLite does. */
function finder(columns: readonly PlannedColumn[]): (name: string) => Place | null {
  const exact = new Map(columns.map(({ name, place }) => [name, place]))
  const folded = new Map(columns.map(({ name, place }) => [asciiLowerCase(name), place]))
  return (name) => exact.get(name) ?? folded.get(asciiLowerCase(name)) ?? null
}

function virtualPlace(name: string): Place {
  return isVirtual(name) ? { from: 'virtual', name } : { from: 'nowhere' }
}

/** The record's own order first, so that a cast stays where its column was. */
function inOrderOf(names: readonly string[], columns: readonly PlannedColumn[]): PlannedColumn[] {
  const position = new Map(names.map((name, index) => [name, index]))
  const rank = ({ name }: PlannedColumn) => position.get(name) ?? names.length
  return columns.toSorted((a, b) => rank(a) - rank(b))
}
