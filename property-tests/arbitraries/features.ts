import { isObject } from '../models/json.ts'
import { oracle } from '../models/oracle.ts'
import type { Event } from '../models/events.ts'
import type { Delivery, FlowOptions, Scenario } from '../models/scenario.ts'
import { compareSequences } from '../models/sequence.ts'
import { placeOf } from './draw.ts'

/** What makes a scenario hard. */
export type Feature =
  | 'tie'
  | 'repeat'
  | 'late'
  | 'delete'
  | 'truncate'
  | 'late truncate'
  | 'partial'
  | 'nested merge'
  | 'named columns'
  | 'late column'
  | 'untracked column'
  | 'two flows'
  | 'truncate of one flow'
  | 'swallowed event'
  | 'refused'
  | 'late system time'

/** The hard things that a scenario has. For judging generators, not engines. */
export function featuresOf(scenario: Scenario): Feature[] {
  const { flows, deliveries } = scenario
  const [flow] = flows
  const { events, quarantine, failed, columns } = oracle(scenario)
  const keyed = events.filter(({ op }) => op !== 'truncate')
  const truncates = events.filter(({ op }) => op === 'truncate')
  const upserts = events.filter(({ op }) => op === 'upsert')
  const ignoring = upserts.filter((event) => ignores(event))
  const first = new Set(deliveries[0]?.flatMap(({ record }) => Object.keys(record)))

  const has: Record<Feature, boolean> = {
    tie: somePair(
      keyed,
      (a, b) => a.key === b.key && compareSequences(a.sequence, b.sequence) === 0,
    ),
    repeat: new Set(deliveries.flat().map(placeOf)).size < deliveries.flat().length,
    late: somePair(keyed, (a, b) => a.key === b.key && isLater(a, b)),
    delete: events.some(({ op }) => op === 'delete'),
    truncate: truncates.length > 0,
    'late truncate': somePair(events, (a, b) => b.op === 'truncate' && isLater(a, b)),
    partial: upserts.some((event) => isPartial(event, columns)),
    'nested merge': somePair(ignoring, (a, b) => a.key === b.key && shareObject(a, b)),
    'named columns': events.some(({ named }) => named !== null),
    'late column': columns.some((column) => !first.has(column)),
    'untracked column':
      flow?.stored_as_scd_type !== 1 &&
      (flow?.track_history_column_list ?? flow?.track_history_except_column_list) !== undefined,
    'two flows': new Set(events.map((event) => event.flow.name)).size > 1,
    'truncate of one flow':
      truncates.some((event) => event.flow.reach === 'flow') && flows.length > 1,
    'swallowed event': isSwallowed(scenario),
    refused: quarantine.length > 0 || failed !== null,
    'late system time': somePair(
      events,
      (a, b) => compareSequences(a.system ?? [], b.system ?? []) > 0,
    ),
  }
  return Object.entries(has).flatMap(([feature, there]) => (there ? [feature as Feature] : []))
}

function somePair(events: readonly Event[], holds: (a: Event, b: Event) => boolean): boolean {
  return events.some((a, i) => events.slice(i + 1).some((b) => holds(a, b)))
}

function isLater(a: Event, b: Event): boolean {
  return compareSequences(a.sequence, b.sequence) > 0
}

function ignores({ flow }: Event): boolean {
  return (
    flow.ignore_null_updates === true ||
    flow.ignore_null_updates_column_list !== undefined ||
    flow.ignore_null_updates_except_column_list !== undefined
  )
}

function isPartial(event: Event, columns: readonly string[]): boolean {
  if (event.named !== null) return true
  const { flow, values } = event
  const absent = columns.some((column) => !Object.hasOwn(values, column))
  const empty = absent || Object.values(values).includes(null)
  return (flow.missing_columns === 'keep' && absent) || (ignores(event) && empty)
}

function shareObject(a: Event, b: Event): boolean {
  return Object.entries(a.values).some(
    ([column, value]) => isObject(value) && isObject(b.values[column] ?? null),
  )
}

/** Whether fewer versions remain than if every event wrote something else. */
function isSwallowed({ flows, deliveries }: Scenario): boolean {
  const kind = { stored_as_scd_type: 2 } as const
  const merged = oracle({ flows: flows.map((flow) => ({ ...flow, ...kind })), deliveries })
  const split = oracle({
    flows: flows.map((flow) => ({ ...withoutLists(flow), ...kind })),
    deliveries: deliveries.map((batch) => batch.map(unlikeAnyOther)),
  })
  return merged.rows.length < split.rows.length
}

function withoutLists(flow: FlowOptions): FlowOptions {
  const {
    column_list: _columns,
    track_history_column_list: _tracked,
    track_history_except_column_list: _untracked,
    ...rest
  } = flow
  return rest
}

function unlikeAnyOther(delivery: Delivery): Delivery {
  return { ...delivery, record: { ...delivery.record, place: placeOf(delivery) } }
}
