import { timestampFromMicros } from '../core/temporal.ts'
import { convert, NOT_CONVERTIBLE } from '../core/types.ts'
import type { Value } from '../core/value.ts'
import type { SourceRecord, SourceSnapshot } from '../ports/source.ts'
import type { FlowSpec, SnapshotsSourceSpec } from './flow-spec-type.ts'
import type { FlowTools } from './flow-tools.ts'
import type { TargetDraft } from './target-draft.ts'

/** One snapshot on its way: read, judged, and applied in one transaction, or only looked at. */
export type SnapshotTask = {
  readonly flow: FlowSpec
  readonly source: SnapshotsSourceSpec
  readonly offer: SourceSnapshot
  /** The version, see {@link versionOf}. */
  readonly version: Value
  readonly draft: TargetDraft
  readonly tools: FlowTools
  readonly force: ReadonlySet<string>
  /** Whether some flow into the target limits its deletions to keys of its own. */
  readonly ownersMatter: boolean
}

/** The version of a snapshot as a value of the declared type; null where there is none. */
export function versionOf(
  { version, isOfTheRun }: SourceSnapshot,
  { version: { type } }: SnapshotsSourceSpec,
  micros: bigint,
): Value {
  if (isOfTheRun) return timestampFromMicros(micros)
  if (version === null || type === null) return version
  const converted = convert(version, type)
  return converted === NOT_CONVERTIBLE ? null : converted
}

/** A row as one of a snapshot of this version. Its bytes may be made only when they are asked for. */
export function withVersion(record: SourceRecord, version: Value): SourceRecord {
  return new VersionedRecord(record, version)
}

/** Made for every row that is read, so it copies nothing. */
class VersionedRecord implements SourceRecord {
  readonly version: Value
  private readonly record: SourceRecord

  constructor(record: SourceRecord, version: Value) {
    this.record = record
    this.version = version
  }

  get stream() {
    return this.record.stream
  }

  get number() {
    return this.record.number
  }

  get bytes() {
    return this.record.bytes
  }

  get decoded() {
    return this.record.decoded
  }

  get timestamp() {
    return this.record.timestamp
  }
}
