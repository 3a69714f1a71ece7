/**
 * Tidemark as a library: load or build a flow, run it or feed it events, read its tables.
 *
 * The command line uses nothing else.
 *
 * @packageDocumentation
 */
export { TidemarkError, BugError, FAULTS, exitCodeOf } from './core/errors.ts'
export type { FaultCode } from './core/errors.ts'
export { REFUSALS } from './core/refusal.ts'
export type { RefusalCode } from './core/refusal.ts'
export type { Value, Tagged, TaggedType } from './core/value.ts'
export type { StorageKind } from './core/target.ts'
export { jsonText, plainText } from './core/display.ts'
export { placeText } from './core/place.ts'
export { parseExactJson, jsonValue } from './core/json.ts'
export type { JsonFault, JsonNode } from './core/json.ts'

export { loadFlowFile as loadFlows } from './flow-files/load-flow-file.ts'
export { parseFlowFile as parseFlows } from './pipeline/flow-spec.ts'
export type { FlowFile, FlowSpec } from './pipeline/flow-spec-type.ts'

export { FORCIBLE } from './pipeline/snapshot-guards.ts'
export { openTidemark, Tidemark } from './tidemark.ts'
export type { OpenOptions } from './tidemark.ts'
export type { Progress, RunOptions } from './pipeline/run-options.ts'
export type {
  ApplySnapshotsOptions,
  CodeRows,
  CodeSnapshot,
  NextSnapshot,
} from './pipeline/code-snapshots.ts'
export { diffFiles } from './diff-files.ts'
export type { DiffFilesOptions, FilesDiff } from './diff-files.ts'
export type { FileChange, FileDiffColumn, FileDiffSummary } from './pipeline/file-diff.ts'
export type { RunSummary } from './pipeline/run-summary.ts'
export type { PlanReport } from './pipeline/plan-report.ts'
export type { OutputRow, RowQuery, TargetInfo } from './inspect/rows.ts'
export type { KeyLife, LifeEvent, LifeVersion } from './inspect/history.ts'
export type { FlowStatus } from './inspect/status.ts'
export type { Finding } from './inspect/doctor.ts'
export type {
  PlannedColumn,
  PlannedRow,
  PlannedValue,
  SnapshotPlan,
} from './pipeline/snapshot-plan.ts'
export type { SnapshotRecord, Verdict } from './ports/snapshots.ts'
export type { Counts, Quarantined } from './ports/store.ts'
export type { Clock } from './ports/clock.ts'
export { openTelemetry } from './telemetry/run-telemetry.ts'
export type { RunTelemetry, TelemetryOptions } from './telemetry/run-telemetry.ts'
export type { Telemetry, TelemetryEvent } from './ports/telemetry.ts'
