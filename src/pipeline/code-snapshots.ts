import { jsonText } from '../core/display.ts'
import { TidemarkError } from '../core/errors.ts'
import type { Value } from '../core/value.ts'
import type { SnapshotSource, SourceRecord, SourceSnapshot } from '../ports/source.ts'
import { eventRecord, eventValue } from './event-batch.ts'

/** A full extract that a program hands over. Values are as for events. */
export type CodeSnapshot = {
  /** Without one, the time of the run. */
  readonly version?: unknown
  /** Read once, at the pace of the engine; a row at a time is held. */
  readonly rows: CodeRows
  /** What messages call it. */
  readonly name?: string
  /** How many rows it is to have; another number is refused. */
  readonly rowCount?: number
  /** Values of the flow's scope column that it is limited to. */
  readonly scope?: readonly unknown[]
  /** Guards that it lifts by itself. */
  readonly force?: readonly string[]
}

/** How to apply snapshots from code. */
export type ApplySnapshotsOptions = {
  /** Guards that are lifted: `empty`, `deletes`, `changes`, `column_missing`. */
  readonly force?: readonly string[]
  readonly signal?: AbortSignal
}

/** Rows of a snapshot from code. */
export type CodeRows =
  Iterable<Readonly<Record<string, unknown>>> | AsyncIterable<Readonly<Record<string, unknown>>>

/** Asks a program for the next snapshot after the newest version that was applied, null for none yet; nothing ends it. */
export type NextSnapshot = (
  lastVersion: Value,
) => CodeSnapshot | null | undefined | Promise<CodeSnapshot | null | undefined>

/** The stream that rows from code stand in. */
const STREAM = { name: 'snapshot', partition: 0 }

/** Rows that are handed on at a time. */
const CHUNK = 1000

/**
 * A source that offers one snapshot from code.
 *
 * @throws TidemarkError `USAGE` where its version or scope is no value
 */
export function codeSnapshots(given: CodeSnapshot): SnapshotSource {
  const offers = [offerOf(given)]
  return {
    offers: () => Promise.resolve(offers),
    wait: () => Promise.resolve(),
    lag: () => Promise.resolve([]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function offerOf(given: CodeSnapshot): SourceSnapshot {
  const { version, rows, scope, rowCount = null, force = [] } = given
  const known = version === undefined ? null : valueOf(version, 'version')
  const { name = version === undefined ? 'snapshot' : `snapshot ${jsonText(known)}` } = given
  return {
    name,
    version: known,
    isOfTheRun: version === undefined,
    scope: scope?.map((value) => valueOf(value, 'scope')) ?? null,
    declaredRows: rowCount,
    force,
    checkpoints: [],
    isWhole: true,
    read: (signal) => read(rows, signal),
  }
}

async function* read(rows: CodeRows, signal: AbortSignal): AsyncGenerator<SourceRecord[]> {
  let records: SourceRecord[] = []
  let number = 0
  for await (const row of rows) {
    if (signal.aborted) return
    number += 1
    records.push(eventRecord(row, STREAM, number))
    if (records.length < CHUNK) continue
    yield records
    records = []
  }
  yield records
}

function valueOf(given: unknown, what: string): Value {
  const value = eventValue(given)
  if (value !== undefined) return value
  throw new TidemarkError('USAGE', `the ${what} of a snapshot is no value that a column can hold`)
}
