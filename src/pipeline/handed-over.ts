import type { SnapshotsSourceSpec } from './flow-spec-type.ts'

/** Whether a program hands the snapshots of a source over: `snapshots: true`. */
export function isHandedOver({ snapshots }: SnapshotsSourceSpec): boolean {
  return !('query' in snapshots) && snapshots.length === 0
}
