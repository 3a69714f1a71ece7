import { TidemarkError } from '../core/errors.ts'
import { storedJson } from '../core/stored-json.ts'
import { highestEpoch, logOfEpoch, type FeedFacts, type TargetFacts } from '../core/target.ts'
import type { Store } from '../ports/store.ts'
import { orderOf } from './flow-spec-messages.ts'
import type { FlowSpec } from './flow-spec-type.ts'

/** The epoch that a flow last ran with, kept with what else is remembered of its configuration. */
export type RememberedEpoch = { readonly epoch?: number }

/**
 * Flows that a format orders go on in the log that the target has at their epoch, or in a later
 * epoch: what they read would else be sorted among events that it does not compare with.
 *
 * @throws TidemarkError `TARGET_CHANGED`
 */
export function refuseOtherFeed(
  store: Store,
  { name, feed }: TargetFacts,
  flows: readonly FlowSpec[],
): void {
  if (feed === null) return
  for (const flow of flows) {
    const what = otherOrder(flow, feed) ?? lowerEpoch(store, flow, feed, flows)
    if (what === null) continue
    const message = `the target "${name}" was built otherwise: ${what}`
    throw new TidemarkError('TARGET_CHANGED', message, { target: name, flow: flow.name })
  }
}

function otherOrder(flow: FlowSpec, feed: FeedFacts): string | null {
  const { epoch } = flow.source
  const stored = logOfEpoch(feed, epoch)?.order ?? null
  const order = orderOf(flow)
  if (stored === null || order === null || stored === order) return null
  const next = highestEpoch(feed) + 1
  return (
    `its events of epoch ${epoch} are in the order of ${stored}, and those of flow "${flow.name}" in that of ${order}, ` +
    `which do not compare; give the flow \`epoch: ${next}\` in source to put them after all that is there, or write to another target`
  )
}

/** An epoch that no accepted record had yet may be taken back. */
function lowerEpoch(
  store: Store,
  flow: FlowSpec,
  feed: FeedFacts,
  flows: readonly FlowSpec[],
): string | null {
  const { epoch } = flow.source
  const highest = highestEpoch(feed)
  const before = rememberedEpoch(store, flow)
  // A flow of which nothing is known may be meant for an old log, but hardly the only one.
  const known = before ?? (flows.some(({ source }) => source.epoch >= highest) ? epoch : highest)
  if (epoch >= Math.min(known, highest)) return null
  return (
    `it has events of epoch ${highest}, and flow "${flow.name}" now says \`epoch: ${epoch}\`, so that all it reads would count as older; ` +
    `an epoch is only ever raised: give it ${known} again, or more after another fail-over`
  )
}

function rememberedEpoch(store: Store, flow: FlowSpec): number | null {
  const record = store.flow(flow.name)
  if (record === null || record.target !== flow.target) return null
  return storedJson<RememberedEpoch>(record.spec).epoch ?? null
}
