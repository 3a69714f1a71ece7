import type { Telemetry } from '../ports/telemetry.ts'
import type { RunSummary } from './run-summary.ts'

/** How far a run has come. */
export type Progress = { readonly flow: string; readonly read: number; readonly seconds: number }

/** What to run, and until when. */
export type RunOptions = {
  /** Names; all flows of the file unless given. */
  readonly flows?: readonly string[]
  /** To the end of what is there now, or until the signal aborts. */
  readonly mode: 'bounded' | 'continuous'
  readonly signal?: AbortSignal
  /** Accepts that columns which were left out before begin now. */
  readonly fromNow?: boolean
  /** Guards of snapshots that are lifted: `empty`, `deletes`, `changes`, `column_missing`. */
  readonly force?: readonly string[]
  readonly onProgress?: (progress: Progress) => void
  /** Told of each flow that ended well, also where the run as a whole does not. */
  readonly onEnded?: (summary: RunSummary) => void
  /** Hears of everything that happens in the run, see `openTelemetry`. */
  readonly telemetry?: Telemetry
}
