import { TidemarkError } from './core/errors.ts'
import { isHandedOver } from './pipeline/handed-over.ts'
import type { FlowSpec } from './pipeline/flow-spec-type.ts'
import type { Checkpoint, SnapshotSource, Source, StreamLag } from './ports/source.ts'
import type { SharedClusters } from './wire-kafka.ts'
import { openSnapshots, openSource } from './wire.ts'

/** How far behind a flow is, or why nobody can say now. */
export type FlowLag = { readonly lag: readonly StreamLag[]; readonly unreachable?: string }

/** How far behind its source a flow is; one that cannot be reached keeps nobody from the rest of the status. */
export async function lagOf(
  flow: FlowSpec,
  base: string,
  after: readonly Checkpoint[],
  shared: SharedClusters,
): Promise<FlowLag> {
  const source = openForLag(flow, base, shared)
  if (source === null) return { lag: [] }
  try {
    return { lag: await source.lag(after) }
  } catch (error) {
    if (!(error instanceof TidemarkError) || error.code !== 'SOURCE_UNAVAILABLE') throw error
    return { lag: [], unreachable: error.message }
  } finally {
    await source[Symbol.asyncDispose]()
  }
}

/** What tells how far a flow is behind; null where its records come from code. */
function openForLag(
  flow: FlowSpec,
  base: string,
  shared: SharedClusters,
): Source | SnapshotSource | null {
  const { source } = flow
  if (source.kind === 'events') return null
  if (source.kind !== 'snapshots') return openSource(flow, base, undefined, shared)
  return isHandedOver(source) ? null : openSnapshots(flow, base)
}
