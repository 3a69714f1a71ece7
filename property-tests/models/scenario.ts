import type { JsonObject } from './json.ts'
import type { SequenceBy, SequenceColumn } from './sequence.ts'

/** The options of a flow that the oracle knows, spelled as in a flow file. */
export type FlowOptions = {
  /** Only needed where several flows write the target. */
  readonly name?: string
  readonly keys: readonly string[]
  readonly sequence_by: SequenceBy
  readonly system_sequence_by?: SequenceColumn
  readonly time_by?: string
  readonly stored_as_scd_type: 1 | 2 | 'bitemporal'
  /** Only of the form `column = 'text'`. */
  readonly apply_as_deletes?: string
  /** Only of the form `column = 'text'`. */
  readonly apply_as_truncates?: string
  readonly column_list?: readonly string[]
  readonly except_column_list?: readonly string[]
  readonly ignore_null_updates?: boolean
  readonly ignore_null_updates_column_list?: readonly string[]
  readonly ignore_null_updates_except_column_list?: readonly string[]
  readonly columns_to_update?: string
  readonly missing_columns?: 'null' | 'keep'
  readonly track_history_column_list?: readonly string[]
  readonly track_history_except_column_list?: readonly string[]
  readonly reach?: 'target' | 'flow'
  readonly on_sequence_tie?: 'source_order' | 'fail'
  readonly on_error?: 'quarantine' | 'fail'
}

/** Where the source published a record: a file, and the number of the record in it. */
export type Position = { readonly name: string; readonly number: number }

/** A record as read by a flow, the first one if it names none. */
export type Delivery = {
  readonly flow?: string
  readonly position: Position
  readonly record: JsonObject
}

/** Flows into one target and what they read: lists of records, each list one commit. Plain JSON. */
export type Scenario = {
  readonly flows: readonly FlowOptions[]
  readonly deliveries: readonly (readonly Delivery[])[]
}
