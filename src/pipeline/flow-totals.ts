import type { FlowRecord } from '../ports/store.ts'
import { NO_COUNTS } from '../core/counts.ts'

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
    tails: [],
  }
}
