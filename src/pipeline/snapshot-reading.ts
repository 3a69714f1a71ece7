import { KEPT_BYTES } from '../formats/framing.ts'
import { keyParts } from '../core/key.ts'
import type { Key } from '../core/key.ts'
import { NO_COUNTS, type Counts } from '../core/counts.ts'
import { jsonText } from '../core/display.ts'
import { TidemarkError } from '../core/errors.ts'
import { placeText } from '../core/place.ts'
import { isInScope, type Scope } from '../core/snapshot.ts'
import type { Stream } from '../core/change.ts'
import type { Image, SourceRecord, SourceSnapshot } from '../ports/source.ts'
import type { Stage } from '../ports/stage.ts'
import type { Quarantined } from '../ports/store.ts'
import type { FlowSpec, SnapshotsSourceSpec } from './flow-spec-type.ts'
import type { SetAside } from './batch-reading.ts'
import type { Value } from '../core/value.ts'
import type { Reading, RecordReader } from './record-reader.ts'
import type { SieveOptions, SnapshotSieve } from './snapshot-sieve.ts'
import { withVersion } from './snapshot-task.ts'

/** What reads a snapshot's rows and keeps them. */
export type SnapshotReadingTools = {
  readonly flow: FlowSpec
  readonly spec: SnapshotsSourceSpec
  readonly reader: RecordReader
  readonly stage: Stage
  readonly stream: Stream
  readonly scope: Scope | null
  /** What the rows are ordered by. */
  readonly version: Value
  /** Keeps back what need not be read; null where nothing can be known. */
  readonly sieve: SnapshotSieve | null
}

/** Reads a snapshot into a stage and notes what its guards have to know. */
export class SnapshotReading {
  nullKeys = 0
  /** The first fault that keeps part of the snapshot from being read. */
  broken: string | null = null
  conflicting: string | null = null
  repeated: string | null = null
  outOfScope: string | null = null
  readonly aside: SetAside[] = []
  readonly violations = new Map<string, number>()
  /** How many rows were ignored for which reason. */
  readonly ignoredBy = new Map<string, number>()
  /** Bytes of the rows as read. */
  bytes = 0
  private readonly tally: { -readonly [K in keyof Counts]: number } = { ...NO_COUNTS }
  private readonly tools: SnapshotReadingTools
  private readonly options: SieveOptions = {
    read: (record) => this.add(record),
    pass: (record) => {
      this.pass(record)
    },
  }

  constructor(tools: SnapshotReadingTools) {
    this.tools = tools
  }

  /** What became of the rows as read. */
  get counts(): Counts {
    return this.tally
  }

  /** @throws TidemarkError a refusal where the flow says `on_error: fail`, `EXPECTATION_FAILED` */
  async read(source: SourceSnapshot, signal: AbortSignal): Promise<void> {
    const { sieve } = this.tools
    try {
      for await (const records of source.read(signal)) {
        if (signal.aborted || sieve?.mustStartOver === true) return
        for (const record of records) {
          if (sieve === null) this.add(record)
          else sieve.add(record, this.options)
        }
      }
      sieve?.finish(this.options)
    } catch (error) {
      if (!(error instanceof TidemarkError) || error.code !== 'FILE_BROKEN') throw error
      this.broken ??= error.message
    }
  }

  /** Reads a record; gives the key of the one row that it is, null where it is anything else. */
  private add(record: SourceRecord): Key | null {
    this.count('read')
    this.bytes += record.size ?? record.bytes.length
    const { decoded } = record
    switch (decoded.kind) {
      case 'refusal':
        return this.refused(record, decoded)
      case 'ignored':
        return this.ignore(decoded.reason)
      case 'image':
        return this.addImage(decoded, withVersion(record, this.tools.version))
      case 'images':
        for (const image of decoded.images) {
          this.addImage(image, withVersion(record, this.tools.version))
        }
        return null
    }
  }

  /** Counts a record that is a row which the table has. */
  private pass(record: SourceRecord): void {
    this.count('read')
    this.count('accepted')
    this.bytes += record.size ?? record.bytes.length
  }

  private addImage(image: Image, record: SourceRecord): Key | null {
    const reading = this.tools.reader.read(image, {
      record,
      stream: this.tools.stream,
      part: 0,
      past: null,
    })
    switch (reading.kind) {
      case 'change':
        return this.accept(reading)
      case 'ignored':
        return this.ignore(reading.reason)
      case 'dropped':
        this.count('dropped')
        this.violated(reading.expectation)
        this.setAside(record, 'EXPECTATION', `violates the expectation "${reading.expectation}"`)
        return null
      case 'failed':
        return this.fail('EXPECTATION_FAILED', `violates "${reading.expectation}"`, record)
      case 'refusal':
        return this.refused(record, reading)
    }
  }

  private accept({ change, warnings }: Extract<Reading, { kind: 'change' }>): Key | null {
    this.count('accepted')
    if (warnings.length > 0) this.count('warned')
    for (const name of warnings) this.violated(name)
    if (change.op !== 'upsert') return null

    const { spec, stage, scope } = this.tools
    const { key, row, writes, time } = change
    const keep = spec.guards.duplicate_key === 'last' ? 'last' : 'first'
    const staged = stage.put({ key, row, writes, time }, keep)
    if (staged === 'other') this.conflicting ??= keyText(key)
    if (staged === 'same') this.repeated ??= keyText(key)
    if (scope !== null && !isInScope(scope, row)) this.outOfScope ??= keyText(key)
    return staged === 'new' ? key : null
  }

  private refused(
    record: SourceRecord,
    { code, message }: Extract<Reading, { kind: 'refusal' }>,
  ): null {
    this.count('quarantined')
    const isNullKey = code === 'NULL_KEY'
    if (isNullKey) this.nullKeys += 1
    else if (this.tools.flow.on_error === 'fail') this.fail(code, message, record)
    // A row that cannot be read is not one that the table lacks.
    else
      this.broken ??= `row ${record.number} of ${record.stream.name} is refused, ${code}: ${message}`
    this.setAside(record, code, message)
    return null
  }

  private setAside(record: SourceRecord, code: Quarantined['code'], reason: string): void {
    const { stream, number, bytes } = record
    const { name, partition } = stream
    const kept = Uint8Array.from(bytes.subarray(0, KEPT_BYTES))
    this.aside.push({ stream: name, partition, number, code, reason, bytes: kept })
  }

  private fail(
    code: ConstructorParameters<typeof TidemarkError>[0],
    reason: string,
    { stream, number }: SourceRecord,
  ): never {
    const place = placeText(stream, number)
    const { name } = this.tools.flow
    throw new TidemarkError(code, `${reason} (flow "${name}", ${place})`, { flow: name, place })
  }

  private violated(expectation: string): void {
    this.violations.set(expectation, (this.violations.get(expectation) ?? 0) + 1)
  }

  private ignore(reason: string): null {
    this.count('ignored')
    this.ignoredBy.set(reason, (this.ignoredBy.get(reason) ?? 0) + 1)
    return null
  }

  private count(what: keyof Counts): void {
    this.tally[what] += 1
  }
}

function keyText(key: Key): string {
  return keyParts(key).map(jsonText).join(', ')
}
