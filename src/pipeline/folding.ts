import { meaningOf, type TargetFacts } from '../core/target.ts'
import { RegistersFold } from '../core/registers-fold.ts'
import { LatestFold } from '../core/scd1.ts'
import type { BatchLimits } from '../ports/source.ts'
import type { Store } from '../ports/store.ts'
import { messageFormatOf } from './flow-spec-messages.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { inPlaceOf } from './later-upsert.ts'

/** Takes the changes of a backlog as they come, and keeps of them only what still counts. */
export type Fold = LatestFold | RegistersFold

/** A fold of the changes of an SCD type 1 target. */
export function newFold(store: Store, { name, layout }: TargetFacts): Fold {
  const isNew = store.target(name) === null
  if (layout === 'registers') {
    return new RegistersFold((key) => (isNew ? null : store.registersTable(name).registers(key)))
  }
  return new LatestFold((key) => (isNew ? null : store.latestTable(name).latest(key)), inPlaceOf)
}

/** Records of a batch where the flow does not say how many. */
const BATCH_RECORDS = 50_000

/** Batches that are folded are read in pieces, so that what is older than what has come is let go soon. */
const PIECE_RECORDS = 16_384
const PIECE_BYTES = 4 * 1024 * 1024

/** How much a source hands over at a time. */
export function limitsOf({ source }: FlowSpec, isFolding: boolean): BatchLimits {
  const { max_batch_records, max_batch_bytes, max_batch_delay } = source
  const whole = {
    maxRecords: max_batch_records ?? BATCH_RECORDS,
    maxBytes: max_batch_bytes,
    maxDelayMs: max_batch_delay,
  }
  return isFolding ? { ...whole, maxRecords: PIECE_RECORDS, maxBytes: PIECE_BYTES } : whole
}

/**
 * Whether a run to the end of its source may commit as much at once as memory allows: where only
 * the newest writers of a key count, most of a backlog is then never written.
 *
 * A flow that stops at a bad record commits in small steps, so that it stops near it.
 */
export function mayFold(flow: FlowSpec, facts: TargetFacts): boolean {
  const { kind, layout } = facts
  const { source, on_error, on_sequence_tie, expectations } = flow
  if (kind !== 1 || layout === 'timeline' || source.max_batch_records !== null) return false
  if (messageFormatOf(source) !== null || meaningOf(facts) === 'named') return false
  const stops = on_error === 'fail' || on_sequence_tie === 'fail'
  return !stops && expectations.every(({ on_violation }) => on_violation !== 'fail')
}
