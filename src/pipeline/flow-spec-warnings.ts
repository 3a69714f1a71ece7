import { plainColumn } from '../core/condition.ts'
import { declaredSequenceType } from './flow-spec-agreement.ts'
import { isOrderedByFormat, messageFormatOf } from './flow-spec-messages.ts'
import { isVirtual } from './virtual-columns.ts'
import type { FlowSpec, SequenceSpec } from './flow-spec-type.ts'

/**
 * What is legal in a flow and rarely meant, a sentence each, with the remedy.
 *
 * Only what the flow alone tells: that no record has a column is for those to say who read
 * records. Names that come from the environment are not repeated.
 */
export function warningsOf(flow: FlowSpec): string[] {
  if (flow.source.kind === 'snapshots')
    return [noNullEver(flow)].flatMap((warning) => warning ?? [])
  return [
    trackedSequence(flow),
    trackedTime(flow),
    noNullEver(flow),
    coarseClock(flow),
    noDeletes(flow),
    undeclaredType(flow, 'sequence_by', flow.sequence_by),
    undeclaredType(flow, 'system_sequence_by', flow.system_sequence_by),
  ].flatMap((warning) => warning ?? [])
}

function trackedSequence(flow: FlowSpec): string | null {
  const tracked = trackedOf(flow, columnsOf(flow.sequence_by))
  if (tracked.length === 0) return null
  const called = list(flow, 'sequence_by', tracked)
  return `the sequence${called} is kept in the target and tracked, so every event opens a version; add it to except_column_list or track_history_except_column_list`
}

function trackedTime(flow: FlowSpec): string | null {
  const time = flow.time_by === null || isVirtual(flow.time_by) ? [] : [flow.time_by]
  const tracked = trackedOf(flow, time).filter(
    (name) => !columnsOf(flow.sequence_by).includes(name),
  )
  if (tracked.length === 0) return null
  const called = list(flow, 'time_by', tracked)
  return `the time${called} is kept in the target and tracked, so every event opens a version; add it to except_column_list or track_history_except_column_list`
}

function noNullEver(flow: FlowSpec): string | null {
  const isAll =
    flow.ignore_null_updates || flow.ignore_null_updates_except_column_list?.length === 0
  // Columns that an event names are written, null or not.
  if (!isAll || flow.columns_to_update !== null) return null
  return 'ignore_null_updates on every column means that no event can ever write a null; name the columns with ignore_null_updates_column_list'
}

/** Names that say no more of a column than that it is a time. */
const CLOCK = /(^|_)(ts|timestamp|time|millis|ms)$|_at$/i
const CAMEL_CLOCK = /[a-z](Ts|Timestamp|Time|Millis|Ms|At)$/

function coarseClock(flow: FlowSpec): string | null {
  const [part, second] = flow.sequence_by.parts
  const column = part?.column ?? null
  if (column === null || second !== undefined) return null
  const ofColumn = Object.hasOwn(flow.columns, column) ? flow.columns[column] : null
  const declared = part?.type ?? ofColumn
  const isClock = CLOCK.test(column) || CAMEL_CLOCK.test(column) || declared === 'epoch_ms'
  if (!isClock || declared === 'epoch_ns') return null
  const called = list(flow, 'sequence_by', [column])
  return `the sequence${called} looks like a clock, and several changes may share one value of it; add a column that orders them, as in sequence_by: [ts_ms, id]`
}

function noDeletes(flow: FlowSpec): string | null {
  if (flow.apply_as_deletes !== null || messageFormatOf(flow.source) !== null) return null
  return "no apply_as_deletes is given, so rows never stop existing whatever the records say; if they carry an operation, say which deletes: apply_as_deletes: op = 'DELETE'"
}

function undeclaredType(
  flow: FlowSpec,
  option: 'sequence_by' | 'system_sequence_by',
  by: SequenceSpec | null,
): string | null {
  if (option === 'sequence_by' && isOrderedByFormat(flow)) return null
  if (by === null || declaredSequenceType(by, flow.columns) !== null) return null
  return `the type of ${option} is not declared, so the first accepted record decides it for good; declare it, as in ${option}: { column: ts, type: timestamp }`
}

function columnsOf({ parts }: SequenceSpec): string[] {
  return parts.flatMap(({ column }) => (column === null || isVirtual(column) ? [] : [column]))
}

/** The names under which columns of the record are tracked in the target. */
function trackedOf(flow: FlowSpec, columns: readonly string[]): string[] {
  if (flow.stored_as_scd_type === 1) return []
  return columns.flatMap((column) => namesInTarget(flow, column)).filter(isTrackedIn(flow))
}

/** A column's own name, or those that `select` gives it instead. */
function namesInTarget({ select }: FlowSpec, column: string): string[] {
  const selected = Object.entries(select ?? {})
  if (selected.some(([name]) => name === column)) return [column]
  const renamed = selected.flatMap(([name, sql]) => (plainColumn(sql) === column ? [name] : []))
  return renamed.length === 0 ? [column] : renamed
}

function isTrackedIn(flow: FlowSpec): (name: string) => boolean {
  const { column_list: kept, except_column_list: left } = flow
  const { track_history_column_list: only, track_history_except_column_list: except } = flow
  return (name) => {
    if (flow.keys.includes(name) || flow.columns_to_update === name) return false
    if (kept !== null && !kept.includes(name)) return false
    if (left?.includes(name) === true) return false
    return only === null ? !(except ?? []).includes(name) : only.includes(name)
  }
}

/** ` "a", "b"` for columns that an option names; nothing if the environment has a say in it. */
function list({ environment }: FlowSpec, option: string, names: readonly string[]): string {
  const isHidden = environment.some(({ path: [first] }) => first === option || first === 'select')
  return isHidden ? '' : ` ${names.map((name) => `"${name}"`).join(', ')}`
}
