import type { Counts, FlowRecord } from '../ports/store.ts'

/** Nothing counted yet. */
export const NO_COUNTS: Counts = {
  read: 0,
  accepted: 0,
  ignored: 0,
  dropped: 0,
  quarantined: 0,
  changes: 0,
  late: 0,
  ties: 0,
  warned: 0,
  batches: 0,
}

/** What two parts of a run counted together. */
export function addCounts(a: Counts, b: Counts): Counts {
  return {
    read: a.read + b.read,
    accepted: a.accepted + b.accepted,
    ignored: a.ignored + b.ignored,
    dropped: a.dropped + b.dropped,
    quarantined: a.quarantined + b.quarantined,
    changes: a.changes + b.changes,
    late: a.late + b.late,
    ties: a.ties + b.ties,
    warned: a.warned + b.warned,
    batches: a.batches + b.batches,
  }
}

/** Adds up violations per expectation. */
export function addViolations(
  a: Readonly<Record<string, number>>,
  b: ReadonlyMap<string, number>,
): Record<string, number> {
  const sum = { ...a }
  for (const [name, count] of b) sum[name] = (sum[name] ?? 0) + count
  return sum
}

/** The record of a flow that never ran. */
export function freshRecord(name: string, target: string, spec: string): FlowRecord {
  return {
    name,
    target,
    spec,
    counts: NO_COUNTS,
    violations: {},
    done: false,
    lastRunAt: null,
    lastSystemTime: null,
    lastFault: null,
  }
}
