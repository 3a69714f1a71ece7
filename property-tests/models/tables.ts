import { compareEvents, type Event } from './events.ts'
import { canonical, canonicalRow, field, isObject, type Json, type JsonObject } from './json.ts'
import type { FlowOptions } from './scenario.ts'
import { compareSequences, shownSequence, type Sequence } from './sequence.ts'

/** Semantics 2, the first half: the events of a key, and the truncates that reach it, in order. */
export function eventsOf(key: string, events: readonly Event[]): Event[] {
  const own: Event[] = []
  for (const event of events.toSorted(compareEvents)) {
    if (event.op === 'truncate' ? reaches(event, own) : event.key === key) own.push(event)
  }
  return own
}

function reaches(truncate: Event, earlier: readonly Event[]): boolean {
  if (truncate.flow.reach !== 'flow') return true
  return earlier.findLast(({ op }) => op !== 'truncate')?.flow.name === truncate.flow.name
}

/** Semantics 2, the second half: the row after a key's events, null where it does not exist. */
export function replay(events: readonly Event[], columns: readonly string[]): JsonObject | null {
  let row: JsonObject | null = null
  for (const event of events) {
    const before: JsonObject = row ?? {}
    const after = columns.map((column) => [column, write(event, column, field(before, column))])
    row = event.op === 'upsert' ? (Object.fromEntries(after) as JsonObject) : null
  }
  return row
}

/** Semantics 3: what an upsert makes of the value that was in a column. */
function write({ flow, values, named }: Event, column: string, before: Json): Json {
  const value = field(values, column)
  if (flow.keys.includes(column)) return value
  if (named !== null) return named.includes(column) ? value : before
  if (flow.missing_columns === 'keep' && !Object.hasOwn(values, column)) return before
  return ignoresNull(flow, column) ? merge(before, value) : value
}

function ignoresNull(flow: FlowOptions, column: string): boolean {
  const all = flow.ignore_null_updates === true
  const listed = flow.ignore_null_updates_column_list?.includes(column) === true
  const excepted = flow.ignore_null_updates_except_column_list?.includes(column)
  return all || listed || excepted === false
}

function merge(before: Json, value: Json): Json {
  if (value === null) return before
  if (!isObject(value)) return value
  const base = isObject(before) ? before : {}
  const written = Object.entries(value).filter(([, leaf]) => leaf !== null)
  const leaves = written.map(([name, leaf]) => [name, merge(field(base, name), leaf)] as const)
  return { ...base, ...Object.fromEntries(leaves) }
}

/** Semantics 4. */
export function scd1(events: readonly Event[], columns: readonly string[]): JsonObject[] {
  const rows = keysOf(events).map((key) => replay(eventsOf(key, events), columns))
  return rows.filter((row) => row !== null)
}

/** Semantics 5. */
export function scd2(
  events: readonly Event[],
  columns: readonly string[],
  flow: FlowOptions,
): JsonObject[] {
  return keysOf(events)
    .flatMap((key) => versions(eventsOf(key, events), columns, trackedColumns(columns, flow)))
    .map(({ row, start, end }) => ({
      ...row,
      __START_AT: shownSequence(start.sequence),
      __END_AT: end === null ? null : shownSequence(end.sequence),
      ...(flow.time_by !== undefined && {
        __START_TIME: start.time,
        __END_TIME: end === null ? null : end.time,
      }),
    }))
}

type Version = { readonly row: JsonObject; readonly start: Event; readonly end: Event | null }

function versions(
  events: readonly Event[],
  columns: readonly string[],
  tracked: readonly string[],
): Version[] {
  // 1. of several events at one sequence only the state after the last one remains
  const cuts = events.filter((event, i) => {
    const next = events[i + 1]
    return next === undefined || compareSequences(event.sequence, next.sequence) !== 0
  })
  // 2. intervals in which the key does not exist are dropped
  const intervals = cuts.flatMap((start, i) => {
    const row = replay(events.slice(0, events.indexOf(start) + 1), columns)
    return row === null ? [] : [{ row, start, end: cuts[i + 1] ?? null }]
  })
  // 3. neighbours that touch and agree on every tracked column merge
  const merged: Version[] = []
  for (const version of intervals) {
    const last = merged.at(-1)
    if (last?.end === version.start && agree(last.row, version.row, tracked)) {
      merged.splice(-1, 1, { ...version, start: last.start })
    } else {
      merged.push(version)
    }
  }
  return merged
}

/** The columns whose change opens a version. */
export function trackedColumns(columns: readonly string[], flow: FlowOptions): string[] {
  const { track_history_column_list: only, track_history_except_column_list: except = [] } = flow
  return columns.filter((column) => {
    return only ? only.includes(column) : !flow.keys.includes(column) && !except.includes(column)
  })
}

function agree(a: JsonObject, b: JsonObject, columns: readonly string[]): boolean {
  return columns.every((column) => canonical(field(a, column)) === canonical(field(b, column)))
}

/** Semantics 6. */
export function bitemporal(
  events: readonly Event[],
  columns: readonly string[],
  flow: FlowOptions,
): JsonObject[] {
  const closed: JsonObject[] = []
  let believed = new Map<string, JsonObject>()
  for (const time of systemTimes(events)) {
    const known = events.filter((event) => compareSequences(systemTime(event), time) <= 0)
    const table = new Map(scd2(known, columns, flow).map((row) => [canonicalRow(row), row]))
    const now = shownSequence(time)
    for (const [text, row] of believed) {
      if (!table.has(text)) closed.push({ ...row, __SYSTEM_END_AT: now })
    }
    const opened = { __SYSTEM_START_AT: now, __SYSTEM_END_AT: null }
    believed = new Map(
      Array.from(table, ([text, row]) => [text, believed.get(text) ?? { ...row, ...opened }]),
    )
  }
  return [...closed, ...believed.values()]
}

/** When the engine learned of an event: the data's account, else the number of its batch. */
export function systemTime({ system, batch }: Event): Sequence {
  const order = { coefficient: BigInt(batch), scale: 0 }
  return system ?? [{ type: 'number', order, shown: batch }]
}

/** The instants of system time at which something was learned, in order, each once. */
export function systemTimes(events: readonly Event[]): Sequence[] {
  const times = events.map(systemTime).toSorted(compareSequences)
  return times.filter((time, i) => i === 0 || compareSequences(time, times[i - 1] ?? []) !== 0)
}

/** The keys that some event names. */
export function keysOf(events: readonly Event[]): string[] {
  return [...new Set(events.flatMap(({ op, key }) => (op === 'truncate' ? [] : key)))]
}
