import type { Counts } from '../core/counts.ts'
import type { BatchCommitted, Tally } from '../ports/telemetry.ts'
import type { SetAside } from './batch-reading.ts'

/** What a batch came to, and why records of it became nothing. */
export type BatchFigures = {
  readonly counts: Counts
  readonly ignoredBy: ReadonlyMap<string, number>
  readonly aside: readonly SetAside[]
  /** Values that nothing supplies, if they were looked for. */
  readonly unknown: number
  readonly bytes: number
  /** System time of the commit. */
  readonly at: string | null
}

/** The event of a commit. */
export function batchCommitted(
  flow: string,
  { counts, ignoredBy, aside, unknown, bytes, at }: BatchFigures,
  seconds: number,
): BatchCommitted {
  const { batches: _, ...figures } = counts
  return {
    event: 'batch_committed',
    flow,
    ...figures,
    ignored_by: Object.fromEntries(ignoredBy),
    quarantined_by: codesOf(aside),
    unknown_values: unknown,
    bytes,
    seconds,
    system_time: at,
  }
}

/** Dropped records are set aside as well, and are not quarantined ones. */
function codesOf(aside: readonly SetAside[]): Tally {
  const codes = new Map<string, number>()
  for (const { code } of aside) {
    if (code !== 'EXPECTATION') codes.set(code, (codes.get(code) ?? 0) + 1)
  }
  return Object.fromEntries(codes)
}
