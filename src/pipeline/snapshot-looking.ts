import type { Snapshot } from '../core/snapshot.ts'
import type { SnapshotRecord, Verdict } from '../ports/snapshots.ts'
import type { Stage } from '../ports/stage.ts'
import type { DiffCounts, DiffRow, SnapshotDiff } from './snapshot-diff.ts'
import type { SnapshotReading } from './snapshot-reading.ts'
import type { SnapshotSieve } from './snapshot-sieve.ts'

/** A snapshot that its guards let pass. */
export type Seen = {
  readonly snapshot: Snapshot
  readonly reading: SnapshotReading
  /** Null where nothing can be known of records by their bytes. */
  readonly sieve: SnapshotSieve | null
  readonly diff: SnapshotDiff
  readonly counts: () => DiffCounts
  readonly verdicts: Readonly<Record<string, Verdict>>
  readonly late: boolean
  readonly columns: readonly string[]
}

/** What to do with a snapshot that was looked at, and with each row of it that differs. */
export type Looking<T> = {
  readonly onAccepted: (seen: Seen) => T
  /** Where a guard refuses it, `counts` tell what it would do otherwise. */
  readonly onOther: (record: SnapshotRecord, counts?: () => DiffCounts) => T
  readonly onRow?: (row: DiffRow) => void
}

/** A snapshot that was read and is to be judged. */
export type Judging<T> = Looking<T> & {
  readonly snapshot: Snapshot
  readonly stage: Stage
  readonly reading: SnapshotReading
  readonly sieve: SnapshotSieve | null
  readonly diff: SnapshotDiff
}

/** A snapshot that is to be read. */
export type LookingWith<T> = Looking<T> & {
  readonly snapshot: Snapshot
  /** Whether its rows may be known by the bytes of records of the snapshot before. */
  readonly knows: boolean
}
