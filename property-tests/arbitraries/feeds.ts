import fc from 'fast-check'
import type { Delivery, FlowOptions } from '../models/scenario.ts'
import { CLOCKS, type Clock } from './clocks.ts'
import { flowsOf, options, type Options } from './flows.ts'
import { anyFault, eventsWith, ownFaults, recordOf, type DraftEvent } from './records.ts'

/** Flows and all that their sources ever published, in order of position, each record once. Plain JSON. */
export type Feed = {
  readonly flows: readonly FlowOptions[]
  readonly published: readonly Delivery[]
}

/** A feed before its ticks are spelled as sequences. */
export type Draft = {
  readonly options: Options
  readonly clock: Clock
  readonly events: readonly DraftEvent[]
}

/** So few that they are delivered in many orders, so many that a key has a history of some length. */
export const MAX_RECORDS = 14

/** Any event without a fault. */
const events = eventsWith(fc.constant(null))

/** Feeds in which no record is refused. */
export const cleanDrafts: fc.Arbitrary<Draft> = draftsOf(events, options)

/** Feeds in which some records are refused, the same ones however they are delivered and whatever the kind of the target. */
export const drafts: fc.Arbitrary<Draft> = draftsOf(
  fc.oneof({ weight: 24, arbitrary: events }, { weight: 1, arbitrary: eventsWith(ownFaults) }),
  options,
)

/** Feeds in which it may depend on arrival what is refused, and whether anything goes on after it. */
export const faultyDrafts: fc.Arbitrary<Draft> = draftsOf(
  fc.oneof({ weight: 5, arbitrary: events }, { weight: 1, arbitrary: eventsWith(anyFault) }),
  fc
    .tuple(
      options,
      fc.constantFrom({}, { on_sequence_tie: 'fail' as const }),
      fc.constantFrom({}, { on_error: 'fail' as const }),
    )
    .map(([{ shared, each }, tie, error]) => ({ shared: { ...shared, ...tie, ...error }, each })),
)

/** Feeds of {@link drafts}. */
export const feeds: fc.Arbitrary<Feed> = drafts.map((draft) => feedOf(draft))

/** Feeds of {@link cleanDrafts}. */
export const cleanFeeds: fc.Arbitrary<Feed> = cleanDrafts.map((draft) => feedOf(draft))

/** Feeds of {@link faultyDrafts}. */
export const faultyFeeds: fc.Arbitrary<Feed> = faultyDrafts.map((draft) => feedOf(draft))

/** The feed of a draft, its ticks spelled by the draft's clock or by another. */
export function feedOf({ options: chosen, events: drawn, clock: own }: Draft, clock = own): Feed {
  const flows = flowsOf(chosen, clock)
  const counts = new Map<string, number>()
  const published = drawn.map((event, i): Delivery => {
    const flow = flows[event.flow % flows.length]?.name ?? ''
    const number = (counts.get(flow + event.file) ?? 0) + 1
    counts.set(flow + event.file, number)
    const record = recordOf(repeated(event, drawn.slice(0, i)), clock)
    return { flow, position: { name: event.file, number }, record }
  })
  return { flows, published }
}

function repeated(event: DraftEvent, earlier: readonly DraftEvent[]): DraftEvent {
  const { again } = event
  const said = again === null ? undefined : earlier[again.of % earlier.length]
  if (again === null || said === undefined) return event
  return again.what === 'all' ? said : { ...event, key: said.key, columns: said.columns }
}

function draftsOf(
  event: fc.Arbitrary<DraftEvent>,
  chosen: fc.Arbitrary<Options>,
): fc.Arbitrary<Draft> {
  return fc.record({
    options: chosen,
    clock: fc.oneof(
      { weight: 3, arbitrary: fc.constant('integer' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...CLOCKS) },
    ),
    events: fc.array(event, { minLength: 1, maxLength: MAX_RECORDS, size: 'max' }),
  })
}
