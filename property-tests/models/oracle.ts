import { comparePositions, read, type Event, type Refusal, type Types } from './events.ts'
import { field, type Json, type JsonObject } from './json.ts'
import type { Delivery, FlowOptions, Position, Scenario } from './scenario.ts'
import { compareSequences, readShown, typeOf } from './sequence.ts'
import { bitemporal, scd1, scd2 } from './tables.ts'

/** What a scenario comes to. */
export type Outcome = {
  /** The target's rows in no order; a column that is absent in a row is null. */
  readonly rows: readonly JsonObject[]
  /** The target's columns, keys first. */
  readonly columns: readonly string[]
  /** The accepted events, each once, as they arrived. */
  readonly events: readonly Event[]
  /** The records set aside, each once. */
  readonly quarantine: readonly Refused[]
  /** The refusal that stopped a flow with `on_error: fail`, and the batch (from 1) that it undid. */
  readonly failed: { readonly code: Refusal; readonly batch: number } | null
}

/** A record that was refused. */
export type Refused = {
  readonly flow: string
  readonly position: Position
  readonly code: Refusal
}

/**
 * The target of a scenario by brute force: semantics.md, sections 1 to 6, and the refusals of
 * section 8 that a record of plain JSON can earn.
 *
 * It starts from raw records and shares no code with the engine. It is slow on purpose: every
 * table is computed from all events at once, by the sentences of the page.
 */
export function oracle({ flows, deliveries }: Scenario): Outcome {
  let state = nothing(flows)
  for (const [i, batch] of deliveries.entries()) {
    const after = accept(state, batch, flows, i + 1)
    const fatal = after.faults.toSorted((a, b) => comparePositions(a.position, b.position))[0]
    if (fatal !== undefined) return outcome(state, flows, { code: fatal.code, batch: i + 1 })
    state = after
  }
  return outcome(state, flows, null)
}

/** What the target remembers of the records accepted so far. */
type State = {
  readonly events: readonly Event[]
  readonly quarantine: readonly Refused[]
  /** Refusals of this batch in flows that stop at one. */
  readonly faults: readonly Refused[]
  /** The one spelling of each column name, by its name as SQLite compares it. */
  readonly columns: ReadonlyMap<string, string>
  readonly types: Types
}

function nothing(flows: readonly FlowOptions[]): State {
  const columns = withNames(new Map(), flows[0]?.keys ?? [])
  return {
    events: [],
    quarantine: [],
    faults: [],
    columns,
    types: { sequence: null, system: null },
  }
}

function accept(
  before: State,
  batch: readonly Delivery[],
  flows: readonly FlowOptions[],
  number: number,
): State {
  let state: State = { ...before, faults: [] }
  for (const delivery of batch) {
    const flow = flowOf(delivery, flows)
    const event = read(delivery, flow, number, state.types)
    const code = typeof event === 'string' ? event : refusal(event, state)
    const refused = { flow: flow.name ?? '', position: delivery.position }

    if (typeof event !== 'string' && code === null) state = withEvent(state, event)
    else if (code !== null) state = withRefusal(state, { ...refused, code }, flow)
  }
  return state
}

/** What the records before this one forbid it to be; null accepts it. */
function refusal(event: Event, state: State): Refusal | null {
  const { flow, values } = event
  const names = Object.keys(values)
  const spelled = withNames(state.columns, names)
  if (names.some((name) => spelled.get(asSqlite(name)) !== name)) return 'COLUMN_NAME_CLASH'
  if (names.some((name) => systemColumns(flow).includes(asSqlite(name)))) return 'RESERVED_COLUMN'
  return flow.on_sequence_tie === 'fail' && isTied(event, state.events) ? 'SEQUENCE_TIE' : null
}

function isTied(event: Event, events: readonly Event[]): boolean {
  const others = events.filter(({ op, key }) => op !== 'truncate' && key === event.key)
  const tied = others.filter(({ sequence }) => compareSequences(sequence, event.sequence) === 0)
  return event.op !== 'truncate' && tied.some((other) => !isSame(other, event))
}

function isSame(a: Event, b: Event): boolean {
  return a.flow.name === b.flow.name && comparePositions(a.position, b.position) === 0
}

function withEvent(state: State, event: Event): State {
  if (state.events.some((other) => isSame(other, event))) return state
  return {
    ...state,
    events: [...state.events, event],
    columns: withNames(state.columns, Object.keys(event.values)),
    types: { sequence: typeOf(event.sequence), system: event.system && typeOf(event.system) },
  }
}

function withRefusal(state: State, refused: Refused, flow: FlowOptions): State {
  if (flow.on_error === 'fail') return { ...state, faults: [...state.faults, refused] }
  const known = state.quarantine.some(
    (other) =>
      other.flow === refused.flow && comparePositions(other.position, refused.position) === 0,
  )
  return known ? state : { ...state, quarantine: [...state.quarantine, refused] }
}

function outcome(state: State, flows: readonly FlowOptions[], failed: Outcome['failed']): Outcome {
  const { events, quarantine } = state
  const columns = [...state.columns.values()]
  return { rows: table(events, columns, flows), columns, events, quarantine, failed }
}

function table(
  events: readonly Event[],
  columns: readonly string[],
  [flow]: readonly FlowOptions[],
): JsonObject[] {
  if (flow === undefined) return []
  if (flow.stored_as_scd_type === 1) return scd1(events, columns)
  return (flow.stored_as_scd_type === 2 ? scd2 : bitemporal)(events, columns, flow)
}

/** The rows that are current and, in a bitemporal table, still believed. */
export function currentRows(rows: readonly JsonObject[]): JsonObject[] {
  return rows.filter((row) => (field(row, '__END_AT') ?? field(row, '__SYSTEM_END_AT')) === null)
}

/** A row without its system columns. */
export function withoutSystemColumns(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('__')))
}

/**
 * The rows that hold at a valid time, as believed at a system time, both as `__START_AT` and
 * `__SYSTEM_START_AT` show them. Without a system time: what is believed now.
 */
export function asOf(
  rows: readonly JsonObject[],
  flow: FlowOptions,
  at: { readonly valid: Json; readonly system?: Json },
): JsonObject[] {
  const [valid, system] = [flow.sequence_by, flow.system_sequence_by ?? '']
  return rows.filter((row) => {
    const holds = isWithin(at.valid, field(row, '__START_AT'), field(row, '__END_AT'), valid)
    if (at.system === undefined) return holds && field(row, '__SYSTEM_END_AT') === null
    return (
      holds &&
      isWithin(at.system, field(row, '__SYSTEM_START_AT'), field(row, '__SYSTEM_END_AT'), system)
    )
  })
}

/** Whether a shown sequence is in a half-open interval of shown sequences, whose end may be open. */
export function isWithin(
  value: Json,
  start: Json,
  end: Json,
  by: FlowOptions['sequence_by'],
): boolean {
  const at = readShown(value, by)
  const started = compareSequences(readShown(start, by), at) <= 0
  return started && (end === null || compareSequences(at, readShown(end, by)) < 0)
}

function flowOf({ flow }: Delivery, flows: readonly FlowOptions[]): FlowOptions {
  const found = flow === undefined ? flows[0] : flows.find(({ name }) => name === flow)
  if (found === undefined) throw new Error(`no flow ${flow}`)
  return found
}

function withNames(
  columns: ReadonlyMap<string, string>,
  names: readonly string[],
): Map<string, string> {
  const all = new Map(columns)
  for (const name of names) if (!all.has(asSqlite(name))) all.set(asSqlite(name), name)
  return all
}

/** SQLite folds the case of ASCII letters and of no others. */
function asSqlite(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function systemColumns({ stored_as_scd_type: kind, time_by: time }: FlowOptions): string[] {
  const valid = kind === 1 ? [] : ['__start_at', '__end_at']
  const times = kind === 1 || time === undefined ? [] : ['__start_time', '__end_time']
  const system = kind === 'bitemporal' ? ['__system_start_at', '__system_end_at'] : []
  return [...valid, ...times, ...system]
}
