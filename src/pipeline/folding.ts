import type { TargetFacts } from '../core/target.ts'
import type { BatchLimits } from '../ports/source.ts'
import { messageFormatOf } from './flow-spec-messages.ts'
import type { FlowSpec } from './flow-spec-type.ts'

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
 * the newest change of a key counts, most of a backlog is then never written.
 *
 * A flow that stops at a bad record commits in small steps, so that it stops near it.
 */
export function mayFold(flow: FlowSpec, { kind, layout }: TargetFacts): boolean {
  const { source, on_error, on_sequence_tie, expectations } = flow
  if (kind !== 1 || layout !== 'latest' || source.max_batch_records !== null) return false
  if (messageFormatOf(source) !== null) return false
  const stops = on_error === 'fail' || on_sequence_tie === 'fail'
  return !stops && expectations.every(({ on_violation }) => on_violation !== 'fail')
}
