import { crc32c } from './crc32c.ts'
import { int64At } from './wire-reader.ts'

/** A batch of records as it lies in the log: what its header says, and its records, maybe packed. */
export type RecordBatch = {
  readonly baseOffset: number
  /** The last offset that belongs to the batch, also if its record was compacted away. */
  readonly lastOffset: number
  /** Number of its codec, see `CODEC_NAMES`. */
  readonly codec: number
  readonly isTransactional: boolean
  /** Holds a mark of a transaction's end and no data. */
  readonly isControl: boolean
  /** Time of the first record in milliseconds, from which the others count. */
  readonly baseTimestamp: number
  /** The broker's time for all of the records; null where each has its own. */
  readonly appendTimestamp: number | null
  readonly producerId: number
  readonly count: number
  readonly records: Buffer
}

/** Why a batch cannot be read. It may be whole when it is fetched again. */
export class BrokenBatch extends Error {
  override readonly name = 'BrokenBatch'
}

const LENGTH_AT = 8
const MAGIC_AT = 16
const HEADER = 61
const CODEC = 0x7
const IS_APPEND_TIME = 0x8
const IS_TRANSACTIONAL = 0x10
const IS_CONTROL = 0x20

/**
 * Cuts what was fetched into batches. One that is cut short at the end is left out: it comes
 * whole with the next fetch.
 *
 * @throws BrokenBatch for a wrong checksum or length, or the message format before Kafka 0.11
 */
export function* recordBatches(bytes: Buffer): Generator<RecordBatch> {
  for (let at = 0; at + MAGIC_AT < bytes.length;) {
    const end = at + LENGTH_AT + 4 + bytes.readInt32BE(at + LENGTH_AT)
    if (end > bytes.length) return
    yield batchOf(bytes.subarray(at, end))
    at = end
  }
}

function batchOf(bytes: Buffer): RecordBatch {
  const baseOffset = int64At(bytes, 0)
  const magic = bytes.length > MAGIC_AT ? bytes.readInt8(MAGIC_AT) : -1
  if (magic !== 2) {
    throw new BrokenBatch(`the batch at offset ${baseOffset} is in format ${magic}, not 2`)
  }
  if (bytes.length < HEADER || bytes.readUInt32BE(17) !== crc32c(bytes.subarray(21))) {
    throw new BrokenBatch(`the batch at offset ${baseOffset} has a wrong checksum`)
  }

  const attributes = bytes.readInt16BE(21)
  return {
    baseOffset,
    lastOffset: baseOffset + bytes.readInt32BE(23),
    codec: attributes & CODEC,
    isTransactional: (attributes & IS_TRANSACTIONAL) !== 0,
    isControl: (attributes & IS_CONTROL) !== 0,
    baseTimestamp: int64At(bytes, 27),
    appendTimestamp: attributes & IS_APPEND_TIME ? int64At(bytes, 35) : null,
    producerId: int64At(bytes, 43),
    count: bytes.readInt32BE(57),
    records: bytes.subarray(HEADER),
  }
}
