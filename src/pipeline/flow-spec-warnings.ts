import type { FlowSpec, SequencePart } from './flow-spec-type.ts'

/** What is legal in a flow and rarely meant, a sentence each, with the remedy. */
export function warningsOf(flow: FlowSpec): string[] {
  if (flow.source.kind === 'snapshots')
    return [noNullEver(flow)].flatMap((warning) => warning ?? [])
  return [
    trackedSequence(flow),
    noNullEver(flow),
    millisecondClock(flow),
    noDeletes(flow),
    undeclaredType(flow),
  ].flatMap((warning) => warning ?? [])
}

function trackedSequence(flow: FlowSpec): string | null {
  if (flow.stored_as_scd_type === 1) return null
  const kept = columnsOf(flow.sequence_by.parts).filter((name) => isKept(flow, name))
  const tracked = kept.filter((name) => isTracked(flow, name))
  if (tracked.length === 0) return null
  return `the sequence column ${list(tracked)} is kept and tracked, so every event opens a version; add it to except_column_list or track_history_except_column_list`
}

function noNullEver(flow: FlowSpec): string | null {
  const all = flow.ignore_null_updates || flow.ignore_null_updates_except_column_list?.length === 0
  return all
    ? 'ignore_null_updates on every column means that no event can ever write a null; name the columns with ignore_null_updates_column_list'
    : null
}

function millisecondClock(flow: FlowSpec): string | null {
  const clocks = columnsOf(flow.sequence_by.parts).filter((name) =>
    /(^|_)(ts|timestamp|time|millis|ms)$|_at$/i.test(name),
  )
  if (clocks.length === 0 || flow.sequence_by.parts.length > 1) return null
  return `the sequence ${list(clocks)} looks like a clock, whose ticks several changes can share; add a column that orders them: sequence_by: [${clocks[0] ?? ''}, id]`
}

function noDeletes(flow: FlowSpec): string | null {
  if (flow.apply_as_deletes !== null) return null
  return 'no apply_as_deletes: rows never stop existing, whatever the records say of an operation'
}

function undeclaredType(flow: FlowSpec): string | null {
  const open = [...flow.sequence_by.parts, ...(flow.system_sequence_by?.parts ?? [])].filter(
    ({ type }) => type === null,
  )
  if (open.length === 0) return null
  return `the type of the sequence is not declared, so the first accepted record decides it; declare it: { column: ${columnsOf(open)[0] ?? '…'}, type: … }`
}

function columnsOf(parts: readonly SequencePart[]): string[] {
  return parts.flatMap(({ column }) => column ?? [])
}

function isKept(flow: FlowSpec, name: string): boolean {
  if (flow.keys.includes(name)) return false
  if (flow.column_list !== null) return flow.column_list.includes(name)
  return !(flow.except_column_list?.includes(name) ?? false)
}

function isTracked(flow: FlowSpec, name: string): boolean {
  if (flow.track_history_column_list !== null) return flow.track_history_column_list.includes(name)
  return !(flow.track_history_except_column_list?.includes(name) ?? false)
}

function list(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
