import { isJsonArray, parseCanonical } from '../core/json.ts'
import { isRefusal, refuse, type Refusal } from '../core/refusal.ts'
import { isTagged, type Row, type Value } from '../core/value.ts'
import type { ColumnSet } from '../core/column-set.ts'
import { isWritten, type Writes } from '../core/writes.ts'
import { asciiLowerCase } from '../core/sql-tokens.ts'
import { ColumnWrites, PLAIN, type WrittenColumns } from './column-writes.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { Place, RecordPlan } from './record-plan.ts'
import { shown, valueAt, type Cells } from './record-cells.ts'
import type { TargetDraft } from './target-draft.ts'

/** A table of SQLite has 2,000 columns at most, those that we add included. */
const MOST_COLUMNS = 1_900

/** Where the target's columns are found in records of one plan. */
type Mapping = {
  readonly names: readonly string[]
  readonly places: readonly { readonly ordinal: number; readonly place: Place }[]
  /** For each ordinal the index among the record's own values, -1 for none; null where there are others. */
  readonly order: readonly number[] | null
  /** Which columns such records write. */
  readonly writes: ColumnWrites
}

/** Builds the target's row from a record, and tells which of its columns the record writes (semantics 3). */
export class RowBuilder {
  private readonly flow: FlowSpec
  private readonly draft: TargetDraft
  private readonly columns = new Map<RecordPlan, readonly string[]>()
  private readonly mappings = new Map<RecordPlan, Mapping>()
  private readonly isPlain: boolean
  private nulls: readonly Value[] = []
  /** How often `columns_to_update` named each column. */
  readonly named = new Map<string, number>()

  constructor(flow: FlowSpec, draft: TargetDraft) {
    this.flow = flow
    this.draft = draft
    this.isPlain = writesEverything(flow)
  }

  /** The record's columns that are columns of the target, or why they cannot be. */
  columnsOf(plan: RecordPlan): readonly string[] | Refusal {
    const known = this.columns.get(plan)
    if (known !== undefined) return known

    const names = plan.columns.map(({ name }) => name).filter((name) => this.isTargetColumn(name))
    const refusal = this.refused(plan, names)
    if (refusal !== null) return refusal
    // Only once its columns are the target's can they no longer clash with another record's.
    if (names.every((name) => this.draft.ordinal(name) !== null)) this.columns.set(plan, names)
    return names
  }

  /** What `columns_to_update` and the feed say of the written columns. */
  written(cells: Cells): WrittenColumns | Refusal {
    const { columns_to_update: control } = this.flow
    const { unavailable, isPartial, merge } = cells.hint ?? PLAIN
    const isPlain = unavailable.length === 0 && !isPartial && merge.length === 0
    if (control === null) return isPlain ? PLAIN : { named: null, unavailable, isPartial, merge }
    const named = namesOf(valueAt(cells.plan.control, cells), control)
    return isRefusal(named) ? named : { named, unavailable, isPartial, merge }
  }

  /** The row by ordinal; cells that the record does not write are null. */
  build(cells: Cells, written: WrittenColumns): { row: Row; writes: Writes } {
    if (written.named !== null) {
      // A named column that no record has had is written too, once one has it.
      for (const name of written.named) this.named.set(name, (this.named.get(name) ?? 0) + 1)
      this.draft.reserve(written.named.filter((name) => this.isTargetColumn(name)))
    }
    const { places, writes } = this.mapping(cells.plan)
    const row = this.blank()
    for (const { ordinal, place } of places) row[ordinal] = valueAt(place, cells)
    if (!isWhole(written) || written.named !== null) {
      const some = writes.ofSome(row, written)
      return { row: blanked(row, some), writes: some }
    }
    return { row, writes: this.isPlain ? 'all' : writes.ofAll(row) }
  }

  /** For each column the index among the values of a record that writes all of them, -1 for none; null for other records. */
  order({ plan }: Cells, written: WrittenColumns): readonly number[] | null {
    if (!this.isPlain || written.named !== null || !isWhole(written)) return null
    return this.plainOrder(plan)
  }

  /** The same, whatever records of the plan write; null where not all of it is in columns of their own. */
  plainOrder(plan: RecordPlan): readonly number[] | null {
    return this.mapping(plan).order
  }

  /** The columns that a record marks as unavailable, or leaves out where those keep their value; never keys. */
  lacking({ plan }: Cells, { unavailable, isPartial }: WrittenColumns): ColumnSet {
    const ordinals = (names: readonly string[]) =>
      names.flatMap((name) => this.draft.ordinal(name) ?? [])
    if (!isPartial && this.flow.missing_columns !== 'keep') {
      return { mode: 'only', columns: ordinals(unavailable) }
    }
    const present = this.mapping(plan).names.filter((name) => !unavailable.includes(name))
    const columns = ordinals([...new Set([...this.draft.facts.keys, ...present])])
    return { mode: 'except', columns }
  }

  private blank(): Value[] {
    const { length } = this.draft.facts.columns
    if (this.nulls.length !== length) this.nulls = Array.from({ length }, () => null)
    return this.nulls.slice()
  }

  private isTargetColumn(name: string): boolean {
    return this.draft.facts.keys.includes(name) || isTargetColumn(this.flow, name)
  }

  private refused(plan: RecordPlan, names: readonly string[]): Refusal | null {
    const max_columns = Math.min(this.flow.source.max_columns, MOST_COLUMNS)
    if (plan.columns.length > max_columns) {
      return refuse(
        'TOO_LARGE',
        `the record has ${plan.columns.length} columns, more than ${max_columns}`,
      )
    }
    const folded = new Map<string, string>()
    for (const name of names) {
      const other = this.draft.clash(name) ?? folded.get(asciiLowerCase(name))
      if (other !== undefined) {
        return refuse(
          'COLUMN_NAME_CLASH',
          `SQLite cannot tell the columns "${name}" and "${other}" apart`,
        )
      }
      if (name.includes('\0')) {
        return refuse('COLUMN_NAME_CLASH', 'SQLite cannot tell names apart after a NUL character')
      }
      folded.set(asciiLowerCase(name), name)
    }
    const reserved = names.find((name) => this.draft.isReserved(name))
    if (reserved !== undefined) {
      return refuse('RESERVED_COLUMN', `"${reserved}" is a system column of the target`)
    }
    const total = this.draft.facts.columns.length
    const fresh = names.filter((name) => this.draft.ordinal(name) === null).length
    if (fresh > 0 && total + fresh > max_columns) {
      return refuse(
        'TOO_LARGE',
        `the target would have ${total + fresh} columns, more than ${max_columns}`,
      )
    }
    return null
  }

  private mapping(plan: RecordPlan): Mapping {
    const known = this.mappings.get(plan)
    if (known !== undefined) return known
    const names = plan.columns.map(({ name }) => name).filter((name) => this.isTargetColumn(name))
    const all = [...new Set([...this.draft.facts.keys, ...names])]
    const places = all.map((name) => ({
      ordinal: this.draft.ordinal(name) ?? 0,
      place: plan.find(name),
    }))
    const writes = new ColumnWrites(this.flow, this.draft, new Set(names))
    const mapping = { names, places, order: orderOf(places), writes }
    this.mappings.set(plan, mapping)
    return mapping
  }
}

/** Columns that come to be later are null in rows of this order, as they are in those that are built now. */
function orderOf(places: Mapping['places']): readonly number[] | null {
  const order: number[] = []
  for (const { ordinal, place } of places) {
    if (place.from !== 'record') return null
    while (order.length <= ordinal) order.push(-1)
    order[ordinal] = place.index
  }
  return order
}

/** Whether nothing keeps a record from writing every column. */
function isWhole({ unavailable, isPartial, merge }: WrittenColumns): boolean {
  return unavailable.length === 0 && !isPartial && merge.length === 0
}

/** Whether a record's column becomes one of the target: keys do, whatever the lists say. */
export function isTargetColumn(flow: FlowSpec, name: string): boolean {
  if (flow.keys.includes(name)) return true
  const { columns_to_update, column_list, except_column_list } = flow
  if (name === columns_to_update) return false
  if (column_list !== null) return column_list.includes(name)
  return !(except_column_list?.includes(name) ?? false)
}

/** Names in lists of the configuration, which have a place in the target from the start. */
export function configuredColumns(flow: FlowSpec): string[] {
  return [
    ...(flow.ignore_null_updates_column_list ?? []),
    ...(flow.ignore_null_updates_except_column_list ?? []),
    ...(flow.track_history_column_list ?? []),
    ...(flow.track_history_except_column_list ?? []),
  ]
}

/** Whether every event of a flow writes every column of its target. */
export function writesEverything(flow: FlowSpec): boolean {
  return (
    !flow.ignore_null_updates &&
    flow.ignore_null_updates_column_list === null &&
    flow.ignore_null_updates_except_column_list === null &&
    flow.columns_to_update === null &&
    flow.missing_columns !== 'keep'
  )
}

/** Whether every event of a flow writes just the columns that it has values for. */
export function writesAllValues(flow: FlowSpec): boolean {
  return (
    flow.ignore_null_updates &&
    flow.ignore_null_updates_column_list === null &&
    flow.ignore_null_updates_except_column_list === null &&
    flow.columns_to_update === null
  )
}

/** The array of column names in the control column; null where the other options hold. */
function namesOf(value: Value, control: string): readonly string[] | null | Refusal {
  if (value === null) return null
  if (isTagged(value) && value.type === 'json') {
    const node = parseCanonical(value.text)
    if (isJsonArray(node)) {
      const names = node.filter((name) => typeof name === 'string')
      if (names.length === node.length) return names
    }
  }
  return refuse('COLUMN_TYPE', `column "${control}" is no array of column names: ${shown(value)}`)
}

/** Cells that are not written say nothing, so they are null: equal events are equal rows. */
function blanked(row: readonly Value[], writes: Writes): Row {
  return writes === 'all'
    ? row
    : row.map((value, ordinal) => (isWritten(writes, ordinal) ? value : null))
}
