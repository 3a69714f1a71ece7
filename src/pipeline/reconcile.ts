import { TidemarkError } from '../core/errors.ts'
import { storedJson } from '../core/stored-json.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Store } from '../ports/store.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { refuseOtherFeed, type RememberedEpoch } from './feed-agreement.ts'
import { isTargetColumn } from './row-builder.ts'
import { configured, freshFacts, refuseOtherNature } from './target-facts.ts'

/** What a target is to become before its flows run, and whether its history is to be told again. */
export type Reconciled = { readonly facts: TargetFacts; readonly recompute: boolean }

/**
 * Compares what flows want of a target with what it is (semantics 10, "Changing a flow later").
 * Another tracked set or fewer columns are told again from what is kept; more columns need values
 * that were not, so they are refused unless `fromNow` accepts that they begin now.
 *
 * @throws TidemarkError `TARGET_CHANGED`, `REFRESH_NEEDED`
 */
export function reconcile(
  store: Store,
  flows: readonly FlowSpec[],
  first: FlowSpec,
  fromNow: boolean,
): Reconciled {
  const wanted = freshFacts(flows, first)
  const stored = store.target(first.target)
  if (stored === null) return { facts: wanted, recompute: false }
  refuseOtherNature(stored, wanted)
  refuseOtherFeed(store, stored, flows)
  refuseOtherShape(stored, wanted)
  if (!fromNow) for (const flow of flows) refuseNewColumns(store, flow)

  const facts = configured({ ...stored, layout: widerLayout(stored, wanted) }, flows)
  const excluded = facts.columns.filter((name) => !flows.some((flow) => isTargetColumn(flow, name)))
  const next: TargetFacts = {
    ...facts,
    excluded,
    sequenceType: stored.sequenceType ?? wanted.sequenceType,
    systemType: stored.systemType ?? wanted.systemType,
  }
  const fewer = excluded.some((name) => !stored.excluded.includes(name))
  const tracked = JSON.stringify(next.tracking) !== JSON.stringify(stored.tracking)
  return { facts: next, recompute: next.layout === 'timeline' && (fewer || tracked) }
}

/** What is remembered of a flow's configuration, to tell later whether it asks for more, or goes back. */
export function rememberedOf(flow: FlowSpec): string {
  const { epoch } = flow.source
  const told: ColumnRule & RememberedEpoch = { ...ruleOf(flow), epoch }
  return JSON.stringify(told)
}

function ruleOf(flow: FlowSpec): ColumnRule {
  const { column_list, except_column_list, columns_to_update, select } = flow
  const control = columns_to_update === null ? [] : [columns_to_update]
  return {
    only: column_list,
    except: [...(except_column_list ?? []), ...control],
    select: Object.keys(select ?? {}),
  }
}

type ColumnRule = {
  readonly only: readonly string[] | null
  readonly except: readonly string[]
  readonly select: readonly string[]
}

/** A flow of another name reads its source from the start: checkpoints go by the name. */
const BUILD_ANEW =
  'give the flow another name and target, to build the table anew from what its source still has'

function refuseNewColumns(store: Store, flow: FlowSpec): void {
  const record = store.flow(flow.name)
  if (record === null || record.target !== flow.target) return
  const before = storedJson<ColumnRule>(record.spec)
  const now = ruleOf(flow)
  const more = newlyAdmitted(before, now)
  if (more === null) return
  throw new TidemarkError(
    'REFRESH_NEEDED',
    `flow "${flow.name}" now asks for ${more}, whose earlier values were not kept; run with --from-now to have them from now on, or ${BUILD_ANEW}`,
    { flow: flow.name },
  )
}

/** Names that were left out before and are not now; null if there are none. */
function newlyAdmitted(before: ColumnRule, now: ColumnRule): string | null {
  const names = new Set<string>()
  if (before.only !== null && now.only === null) return 'columns beyond those that were listed'
  const wasOut = (name: string) =>
    before.only === null ? before.except.includes(name) : !before.only.includes(name)
  for (const name of now.only ?? before.except) {
    const isIn = now.only === null ? !now.except.includes(name) : true
    if (isIn && wasOut(name)) names.add(name)
  }
  for (const name of now.select) if (!before.select.includes(name)) names.add(name)
  return names.size === 0 ? null : [...names].map((name) => `"${name}"`).join(', ')
}

function refuseOtherShape(stored: TargetFacts, wanted: TargetFacts): void {
  const isDeeper = wanted.layout === 'timeline' && stored.layout !== 'timeline'
  if (stored.timed === wanted.timed && !isDeeper) return
  const what = isDeeper ? 'reach, or without snapshots' : 'time_by'
  throw new TidemarkError(
    'REFRESH_NEEDED',
    `the target "${stored.name}" was built with another ${what}; restore that, or ${BUILD_ANEW}`,
    { target: stored.name },
  )
}

/** A layout that keeps more can serve a flow that needs less, not the other way round. */
function widerLayout(stored: TargetFacts, wanted: TargetFacts): TargetFacts['layout'] {
  return stored.layout === 'latest' ? wanted.layout : stored.layout
}
