import type { FlowRecord } from '../ports/store.ts'
import { NO_COUNTS } from '../core/counts.ts'

/** Adds up violations per expectation. */
export function addViolations(
  a: Readonly<Record<string, number>>,
  b: ReadonlyMap<string, number>,
): Record<string, number> {
  // Expectations may be called `__proto__` or `constructor`: a map knows no name by itself.
  const sum = new Map(Object.entries(a))
  for (const [name, count] of b) sum.set(name, (sum.get(name) ?? 0) + count)
  return Object.fromEntries(sum)
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
