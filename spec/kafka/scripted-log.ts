import { WireWriter } from './wire-bytes.ts'
import type { Compression, Damage, ScriptedBatch, ScriptedRecord } from './record-batch.ts'

/** What a record holds; text is written as UTF-8. Without a timestamp it is {@link FIRST_STAMP} plus the offset. */
export type RecordContent = {
  readonly key?: string | Buffer | null
  readonly value?: string | Buffer | null
  readonly headers?: Readonly<Record<string, string | Buffer>>
  readonly timestamp?: bigint
}

/** What a batch may have besides its records. */
export type BatchOptions = {
  /** The producer whose transaction the records belong to. */
  readonly transaction?: bigint
  readonly compression?: Compression
  readonly damage?: Damage
}

/** 2027-01-15T08:00:00Z, in milliseconds. */
export const FIRST_STAMP = 1_800_000_000_000n

/** A record at an offset, for {@link batch}. */
export function record(offset: bigint | number, content: RecordContent = {}): ScriptedRecord {
  const at = BigInt(offset)
  return {
    offset: at,
    timestamp: content.timestamp ?? FIRST_STAMP + at,
    key: bytesOf(content.key),
    value: bytesOf(content.value),
    headers: Object.entries(content.headers ?? {}).map(([name, value]) => [
      name,
      Buffer.from(value),
    ]),
  }
}

/** A batch of one data record. */
export function data(
  offset: bigint | number,
  content: RecordContent = {},
  options: BatchOptions = {},
): ScriptedBatch {
  return batch([record(offset, content)], options)
}

/** A batch of records in the order of their offsets; it covers the offsets from the first to the last one. */
export function batch(
  records: readonly ScriptedRecord[],
  options: BatchOptions & { readonly first?: bigint; readonly last?: bigint } = {},
): ScriptedBatch {
  const first = options.first ?? records.at(0)?.offset ?? 0n
  return {
    first,
    last: options.last ?? records.at(-1)?.offset ?? first,
    records,
    compression: options.compression ?? 'none',
    transaction: options.transaction ?? null,
    marker: null,
    damage: options.damage ?? null,
  }
}

/** The batch that compaction leaves where no record is left of the offsets `first` to `last`. */
export function emptied(first: bigint | number, last: bigint | number): ScriptedBatch {
  return batch([], { first: BigInt(first), last: BigInt(last) })
}

/** The marker that commits the open transaction of a producer. */
export function commit(offset: bigint | number, producer: bigint | number): ScriptedBatch {
  return marker('commit', BigInt(offset), BigInt(producer))
}

/** The marker that aborts the open transaction of a producer. */
export function abort(offset: bigint | number, producer: bigint | number): ScriptedBatch {
  return marker('abort', BigInt(offset), BigInt(producer))
}

/**
 * Records for every offset from `low` to below `high`, a hundred a batch: key `{"id":o}` and value
 * `{"id":o,"v":o}` of offset o.
 */
export function filled(low: bigint, high: bigint, options: BatchOptions = {}): ScriptedBatch[] {
  const batches: ScriptedBatch[] = []
  for (let first = low; first < high; first += 100n) {
    const size = Number(high - first < 100n ? high - first : 100n)
    const records = Array.from({ length: size }, (_, index) => numbered(first + BigInt(index)))
    batches.push(batch(records, options))
  }
  return batches
}

/** The record that {@link filled} puts at an offset. */
export function numbered(offset: bigint): ScriptedRecord {
  return record(offset, { key: `{"id":${offset}}`, value: `{"id":${offset},"v":${offset}}` })
}

function marker(kind: 'commit' | 'abort', offset: bigint, producer: bigint): ScriptedBatch {
  const key = new WireWriter().int16(0).int16(kind === 'commit' ? 1 : 0)
  const value = new WireWriter().int16(0).int32(0)
  return {
    ...batch([record(offset, { key: key.bytes(), value: value.bytes() })], {
      transaction: producer,
    }),
    marker: kind,
  }
}

function bytesOf(content: string | Buffer | null | undefined): Buffer | null {
  return content === null || content === undefined ? null : Buffer.from(content)
}
