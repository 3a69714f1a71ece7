import { meaningOf, type TargetFacts } from '../core/target.ts'
import { RegistersFold } from '../core/registers-fold.ts'
import type { BatchLimits } from '../ports/source.ts'
import type { Store } from '../ports/store.ts'
import { messageFormatOf } from './flow-spec-messages.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { HeldFold } from './held-changes.ts'
import type { PlainFold } from './plain-reader.ts'
import { writesAllValues, writesEverything } from './row-builder.ts'

/** Takes the changes of a backlog as they come, and keeps of them only what still counts. */
export type Fold = HeldFold | RegistersFold

/** A fold of the changes of a target; null where all of them are needed. */
export function newFold(store: Store, facts: TargetFacts): Fold | null {
  const { name, layout } = facts
  // A change that has come before is known by its content, which folding forgets.
  if (layout === 'timeline' || meaningOf(facts) === 'named') return null
  const isNew = store.target(name) === null
  if (layout === 'registers') {
    return new RegistersFold((key) => (isNew ? null : store.registersTable(name).registers(key)))
  }
  return new HeldFold((key) => (isNew ? null : store.latestTable(name).latest(key)))
}

/** A fold of a flow's changes, where plain rows of the flow mean what plain changes mean to it; else null. */
export function plainFold(flow: FlowSpec, fold: Fold | null): PlainFold | null {
  // Other flows into the target may be what gave its columns writers of their own.
  const isMeant = fold instanceof RegistersFold ? writesAllValues(flow) : writesEverything(flow)
  return isMeant ? fold : null
}

/** Records of a batch where the flow does not say how many. */
const BATCH_RECORDS = 50_000

/** Batches that are folded are read in pieces, so that what is older than what has come is let go soon. */
const PIECE_RECORDS = 8_192
const PIECE_BYTES = 4 * 1024 * 1024

/** How much a source hands over at a time. */
export function limitsOf({ source }: FlowSpec, isGathering: boolean): BatchLimits {
  const { max_batch_records, max_batch_bytes, max_batch_delay } = source
  const whole = {
    maxRecords: max_batch_records ?? BATCH_RECORDS,
    maxBytes: max_batch_bytes,
    maxDelayMs: max_batch_delay,
  }
  return isGathering ? { ...whole, maxRecords: PIECE_RECORDS, maxBytes: PIECE_BYTES } : whole
}

/**
 * Whether a run to the end of its source may commit as much at once as memory allows: each key is
 * then looked up and written once, and where only the newest change counts, most are never written.
 *
 * A flow that stops at a bad record commits in small steps, so that it stops near it; one that
 * tells when it was believed what was so, in steps that its readers can tell apart.
 */
export function mayGather(flow: FlowSpec, { kind }: TargetFacts): boolean {
  const { source, on_error, on_sequence_tie, expectations } = flow
  if (kind === 'bitemporal' || source.max_batch_records !== null) return false
  if (messageFormatOf(source) !== null) return false
  const stops = on_error === 'fail' || on_sequence_tie === 'fail'
  return !stops && expectations.every(({ on_violation }) => on_violation !== 'fail')
}
