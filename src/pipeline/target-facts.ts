import { TidemarkError } from '../core/errors.ts'
import { describeSequenceType, sameSequenceType, type SequenceType } from '../core/sequence.ts'
import type { Tracking } from '../core/scd2.ts'
import type { Layout, TargetFacts } from '../core/target.ts'
import { declaredSequenceType } from './flow-spec-agreement.ts'
import { isOrderedByFormat, mayBePartial } from './flow-spec-messages.ts'
import type { FlowSpec, SequenceSpec } from './flow-spec-type.ts'
import { configuredColumns, isTargetColumn, writesEverything } from './row-builder.ts'
import { TargetDraft } from './target-draft.ts'

/** The facts of a target that no flow has written yet; `flows` are all that write into it. */
export function freshFacts(flows: readonly FlowSpec[], first: FlowSpec): TargetFacts {
  const bare: TargetFacts = {
    name: first.target,
    kind: first.stored_as_scd_type,
    layout: layoutOf(flows, first),
    keys: first.keys,
    columns: first.keys,
    seen: first.keys,
    excluded: [],
    tracking: { mode: 'except', columns: [] },
    sequenceType: declaredType(flows, ({ sequence_by }) => sequence_by),
    systemTime: first.system_sequence_by === null ? 'engine' : 'data',
    systemType: declaredType(flows, ({ system_sequence_by }) => system_sequence_by),
    timed: first.time_by !== null,
    feed: isOrderedByFormat(first) ? { logs: [] } : null,
  }
  return configured(bare, flows)
}

/** Gives the columns that flows name a place, and resolves what they track. */
export function configured(facts: TargetFacts, flows: readonly FlowSpec[]): TargetFacts {
  const draft = new TargetDraft(facts)
  for (const flow of flows) {
    draft.reserve(configuredColumns(flow).filter((name) => isTargetColumn(flow, name)))
  }
  return { ...draft.facts, tracking: trackingOf(draft, flows[0]) }
}

/** @throws TidemarkError `TARGET_CHANGED` where keys, kind or types are not those the target was built with */
export function refuseOtherNature(stored: TargetFacts, wanted: TargetFacts): void {
  const differences = [
    // Keys that the feed tells are known from its first record of a row on.
    wanted.keys.length === 0 || stored.keys.length === 0
      ? null
      : difference('keys', stored.keys.join(', '), wanted.keys.join(', ')),
    difference('stored_as_scd_type', String(stored.kind), String(wanted.kind)),
    difference('system time from', stored.systemTime, wanted.systemTime),
    typeDifference('sequence type', stored.sequenceType, wanted.sequenceType),
    typeDifference('system time type', stored.systemType, wanted.systemType),
    difference('sequence from', sequenceFrom(stored), sequenceFrom(wanted)),
  ].filter((text) => text !== null)
  if (differences.length === 0) return
  throw new TidemarkError(
    'TARGET_CHANGED',
    `the target "${stored.name}" was built otherwise: ${differences.join('; ')}; write to another target, or restore the configuration`,
    { target: stored.name },
  )
}

function layoutOf(flows: readonly FlowSpec[], { stored_as_scd_type }: FlowSpec): Layout {
  const needsHistory = flows.some(
    ({ reach, source }) => reach === 'flow' || source.kind === 'snapshots',
  )
  if (stored_as_scd_type !== 1 || needsHistory) return 'timeline'
  // Where sequences name changes, the latest one does not tell what is a repetition.
  const isWhole = (flow: FlowSpec) =>
    writesEverything(flow) && !mayBePartial(flow) && !isOrderedByFormat(flow)
  return flows.every(isWhole) ? 'latest' : 'registers'
}

function sequenceFrom({ feed }: TargetFacts): string {
  return feed === null ? 'sequence_by' : 'the format of the feed'
}

/** For SCD type 1 nothing is tracked: one row per existence, showing the last values. */
function trackingOf(draft: TargetDraft, flow: FlowSpec | undefined): Tracking {
  if (flow === undefined || flow.stored_as_scd_type === 1) return { mode: 'only', columns: [] }
  const ordinals = (names: readonly string[]) =>
    names.flatMap((name) => draft.ordinal(name) ?? []).toSorted((a, b) => a - b)
  const { track_history_column_list: only, track_history_except_column_list: except } = flow
  if (only !== null) return { mode: 'only', columns: ordinals(only) }
  return { mode: 'except', columns: ordinals(except ?? []) }
}

/** The type that some flow declares for its sequence; null where the first record decides. */
function declaredType(
  flows: readonly FlowSpec[],
  by: (flow: FlowSpec) => SequenceSpec | null,
): SequenceType | null {
  for (const flow of flows) {
    const spec = by(flow)
    const type = spec === null ? null : declaredSequenceType(spec, flow.columns)
    if (type !== null) return type
  }
  return null
}

function difference(what: string, stored: string, wanted: string): string | null {
  return stored === wanted ? null : `${what} was ${stored}, is now ${wanted}`
}

function typeDifference(
  what: string,
  stored: SequenceType | null,
  wanted: SequenceType | null,
): string | null {
  if (stored === null || wanted === null || sameSequenceType(stored, wanted)) return null
  return difference(what, describeSequenceType(stored), describeSequenceType(wanted))
}
