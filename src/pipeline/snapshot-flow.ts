import { addCounts, NO_COUNTS } from '../core/counts.ts'
import { TidemarkError, type FaultCode } from '../core/errors.ts'
import { timestampFromMicros } from '../core/temporal.ts'
import type { SnapshotRecord } from '../ports/snapshots.ts'
import type { FlowRecord } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { EngineRun, EngineTools } from './engine-run.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { RunTotals } from './flow-tools.ts'
import { addViolations, freshRecord } from './flow-totals.ts'
import { tellSnapshot } from './snapshot-events.ts'
import { PlanNotes, type SnapshotPlan } from './snapshot-plan.ts'
import { SnapshotRun } from './snapshot-run.ts'
import { inOrder } from './snapshot-order.ts'
import type { SnapshotTask } from './snapshot-task.ts'
import { SnapshotWatch } from './snapshot-watch.ts'
import type { TargetDraft } from './target-draft.ts'

/** A flow of snapshots, and what it needs to run. */
export type SnapshotFlow = {
  readonly flow: FlowSpec
  readonly tools: EngineTools
  readonly force: ReadonlySet<string>
  readonly ownersMatter: boolean
  /** The draft of the target, a new one after `forget`. */
  readonly draft: () => TargetDraft
  /** Forgets what a snapshot that was not applied taught about the target. */
  readonly forget: () => void
  /** The configuration as it is remembered. */
  readonly spec: string
}

/** Until when snapshots are applied, and who is told. */
export type SnapshotRunOptions = {
  /** All that is offered now, or whatever comes until the signal aborts. */
  readonly mode: 'bounded' | 'continuous'
  readonly signal: AbortSignal
  readonly telemetry: Telemetry
  readonly onBatch: (totals: RunTotals) => void
}

/**
 * Applies every snapshot that the source offers, in order of version, each in one transaction.
 * One that is refused keeps none of the others from being applied.
 *
 * @throws TidemarkError at the end, the first refusal; any other fault at once
 */
export async function runSnapshots(
  given: SnapshotFlow,
  { mode, signal, telemetry, onBatch }: SnapshotRunOptions,
): Promise<EngineRun> {
  const { flow, tools } = given
  const { store, clock } = tools
  const started = clock.micros()
  given.draft()
  let record = store.flow(flow.name) ?? freshRecord(flow.name, flow.target, given.spec)
  record = { ...record, spec: given.spec }
  const passed = flow.once && record.done
  let totals: RunTotals = { counts: NO_COUNTS, violations: {}, systemTime: null }
  const snapshots: SnapshotRecord[] = []
  const note = (change: Partial<FlowRecord>) => {
    record = { ...record, ...change }
    store.transact(() => {
      store.saveFlow(record)
    })
  }

  if (!passed) note({ lastRunAt: timestampFromMicros(started).text, lastFault: null })
  try {
    for await (const task of passed ? [] : tasks(given, mode, signal)) {
      if (signal.aborted) break
      const result = await new SnapshotRun(task).apply(record, signal)
      if (result === null) break
      record = result.flowRecord
      totals = sumTotals(totals, result.totals)
      snapshots.push(result.record)
      if (result.record.outcome !== 'applied') given.forget()
      tellSnapshot(telemetry, result)
      onBatch(totals)
    }
    // When it watches, the first refusal is told at once and ends the run with its code at last.
    const refused = snapshots.find(({ outcome }) => outcome === 'refused')
    if (refused !== undefined) throw refusal(refused)
  } catch (error) {
    given.forget()
    note({ lastFault: error instanceof TidemarkError ? error.code : 'BUG' })
    throw error
  }
  if (!passed) note({ lastFault: '', done: flow.once && !signal.aborted })
  const seconds = Number(clock.micros() - started) / 1e6
  return { flow, passed, totals, seconds, warnings: [], snapshots }
}

/** What the snapshots that the source offers would do, each on top of what is there now. */
export async function planSnapshots(given: SnapshotFlow): Promise<readonly SnapshotPlan[]> {
  const plans: SnapshotPlan[] = []
  const { signal } = new AbortController()
  for await (const task of tasks(given, 'bounded', signal)) {
    const notes = new PlanNotes()
    const record = await new SnapshotRun(task).plan(signal, (row) => {
      notes.note(row)
    })
    const { columns, keys } = task.draft.facts
    plans.push(notes.plan(record, columns, keys))
    given.forget()
  }
  return plans
}

async function* tasks(
  given: SnapshotFlow,
  mode: 'bounded' | 'continuous',
  signal: AbortSignal,
): AsyncIterable<SnapshotTask> {
  const { flow, tools, force, ownersMatter } = given
  const { source } = flow
  if (source.kind !== 'snapshots' || tools.openSnapshots === undefined) return
  await using snapshots = tools.openSnapshots(flow)
  const watch = mode === 'continuous' ? new SnapshotWatch(snapshots) : null
  for (;;) {
    const known = tools.store.checkpoints(flow.name)
    const offers = await (watch?.offers(known) ?? snapshots.offers(known))
    for (const { offer, version } of inOrder(offers, source, tools.clock.micros())) {
      watch?.looked(offer)
      yield { flow, source, offer, version, draft: given.draft(), tools, force, ownersMatter }
    }
    if (watch === null || signal.aborted) return
    await snapshots.wait(signal)
  }
}

function refusal({ code, message, flow, name, version }: SnapshotRecord): TidemarkError {
  const what = `snapshot ${version ?? 'without version'} of flow "${flow}" (${name}) is not applied`
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- records hold no other codes
  return new TidemarkError(code as FaultCode, `${what}: ${message ?? ''}`, { flow, name, version })
}

/** What two runs did together. */
export function sumTotals(a: RunTotals, b: RunTotals): RunTotals {
  return {
    counts: addCounts(a.counts, b.counts),
    violations: addViolations(a.violations, new Map(Object.entries(b.violations))),
    systemTime: b.systemTime ?? a.systemTime,
  }
}
