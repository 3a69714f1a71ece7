import type { StreamName } from '../../ports/source.ts'

/** Our share of the partitions that the members of a group read. */
export interface Membership extends AsyncDisposable {
  /** By name; null while it is not settled. */
  readonly assigned: ReadonlySet<string> | null

  /** Tells what there is to share. Joins the group with it, or again when it changed. */
  offer(partitions: readonly StreamName[]): void

  /** Hears of every change of `assigned`. */
  onChange(listener: () => void): void
}
