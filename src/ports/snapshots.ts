import type { Snapshot } from '../core/snapshot.ts'

/** A snapshot that was applied, and what is needed to judge the next ones. */
export type AppliedSnapshot = {
  readonly snapshot: Snapshot
  /** Of its rows as a set, see Stage (stage.ts). */
  readonly digest: string
  /** The target's columns that it had. */
  readonly columns: readonly string[]
}

/** How a guard judged a snapshot; `lifted` by the configuration or by force. */
export type Verdict = 'passed' | 'lifted' | 'refused' | 'not judged'

/** The record of one snapshot that was looked at, whatever became of it. */
export type SnapshotRecord = {
  readonly flow: string
  readonly target: string
  /** What messages call it. */
  readonly name: string
  /** As JSON; null where none was found. */
  readonly version: string | null
  readonly outcome: 'applied' | 'replayed' | 'skipped' | 'refused'
  /** Why it was refused or skipped, null if it was not. */
  readonly code: string | null
  readonly message: string | null
  /** Whether a newer one was applied before. */
  readonly late: boolean
  /** Rows as read. */
  readonly rows: number
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
  readonly unchanged: number
  readonly guards: Readonly<Record<string, Verdict>>
  readonly seconds: number
  /** When it was looked at. */
  readonly at: string
}
