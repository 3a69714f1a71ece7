import type { StreamName } from '../../ports/source.ts'

/** Our share of the partitions that the members of a group read. */
export interface Membership {
  /** By name; null while it is not settled. */
  readonly assigned: ReadonlySet<string> | null

  /** Why there will be no share any more. */
  readonly failure: Error | null

  /** Tells what there is to share. Joins the group with it, and again when it changed. */
  offer(partitions: readonly StreamName[]): void

  /** Hears of every change. */
  onChange(listener: () => void): void
}
