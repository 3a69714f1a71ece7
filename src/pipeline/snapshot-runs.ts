import { NO_COUNTS } from '../core/counts.ts'
import { decodeSequence } from '../core/sequence.ts'
import { compareSnapshots } from '../core/snapshot.ts'
import type { Value } from '../core/value.ts'
import type { Store } from '../ports/store.ts'
import type { EngineRun } from './engine-run.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { RunTotals } from './flow-tools.ts'
import { sumTotals } from './snapshot-flow.ts'

/** The newest version that a flow has applied, null before the first. */
export function lastVersion(store: Store, { name, target }: FlowSpec): Value {
  const type = store.target(target)?.sequenceType ?? null
  if (type === null) return null
  const newest = store
    .snapshots(target)
    .map(({ snapshot }) => snapshot)
    .filter(({ stream }) => stream.flow === name)
    .toSorted(compareSnapshots)
    .at(-1)
  return newest === undefined ? null : decodeSequence(newest.version, type)
}

/** Several runs of one flow as one. */
export function sumOfRuns(flow: FlowSpec, runs: readonly EngineRun[]): EngineRun {
  const nothing: RunTotals = { counts: NO_COUNTS, violations: {}, systemTime: null }
  return {
    flow,
    passed: runs.some(({ passed }) => passed),
    totals: runs.reduce((sum, { totals }) => sumTotals(sum, totals), nothing),
    seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0),
    warnings: [...new Set(runs.flatMap(({ warnings }) => warnings))],
    snapshots: runs.flatMap(({ snapshots }) => snapshots),
  }
}
