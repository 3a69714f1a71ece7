import { gzipSync } from 'node:zlib'
import { crc32c } from './crc32c.ts'
import { storedLz4, storedSnappy, storedZstd } from './stored-codecs.ts'
import { WireWriter } from './wire-bytes.ts'

/** One record of a scripted log, at its own offset; `timestamp` in milliseconds since 1970. */
export type ScriptedRecord = {
  readonly offset: bigint
  readonly timestamp: bigint
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [name: string, value: Buffer | null])[]
}

export type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd'

/**
 * What is wrong with a batch: `bits` flips a bit of the records under an unchanged checksum, `length`
 * makes the first record claim more bytes than there are (the checksum is right), `cut` leaves out
 * the second half of the batch, as a broker does that stops at its byte limit.
 */
export type Damage = 'bits' | 'length' | 'cut'

/**
 * A record batch as a broker keeps it: it covers the offsets `first` to `last`, both inclusive, of
 * which compaction may have left only some records, or none.
 */
export type ScriptedBatch = {
  readonly first: bigint
  readonly last: bigint
  readonly records: readonly ScriptedRecord[]
  readonly compression: Compression
  /** The producer of a transaction; null outside of transactions. */
  readonly transaction: bigint | null
  /** A batch whose single record ends a transaction; null for data. */
  readonly marker: 'commit' | 'abort' | null
  readonly damage: Damage | null
}

const CODES = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const
const TRANSACTIONAL = 16
const CONTROL = 32
const LEADER_EPOCH = 0
const MAGIC = 2

/** A batch in format 2 (magic byte 2, since Kafka 0.11), from its base offset to its last record. */
export function encodeBatch(batch: ScriptedBatch): Buffer {
  const stamps = batch.records.map(({ timestamp }) => timestamp)
  const firstStamp = stamps[0] ?? -1n
  const lastStamp = stamps.reduce((most, stamp) => (stamp > most ? stamp : most), -1n)
  const records = recordsOf(batch, firstStamp)

  const checked = new WireWriter()
    .int16(attributesOf(batch))
    .int32(Number(batch.last - batch.first))
    .int64(firstStamp)
    .int64(lastStamp)
    .int64(batch.transaction ?? -1n)
    .int16(batch.transaction === null ? -1 : 0)
    .int32(-1)
    .int32(batch.records.length)
    .raw(records)
    .bytes()
  const checksum = crc32c(checked)
  if (batch.damage === 'bits') checked[checked.length - 1] = (checked.at(-1) ?? 0) ^ 1

  const whole = new WireWriter()
    .int64(batch.first)
    .int32(9 + checked.length)
    .int32(LEADER_EPOCH)
    .int8(MAGIC)
    .uint32(checksum)
    .raw(checked)
    .bytes()
  return batch.damage === 'cut' ? whole.subarray(0, Math.floor(whole.length / 2)) : whole
}

function attributesOf({ compression, transaction, marker }: ScriptedBatch): number {
  return (
    CODES[compression] |
    (transaction === null ? 0 : TRANSACTIONAL) |
    (marker === null ? 0 : CONTROL)
  )
}

function recordsOf({ records, first, compression, damage }: ScriptedBatch, stamp: bigint): Buffer {
  const writer = new WireWriter()
  for (const [index, record] of records.entries()) {
    const body = encodeRecord(record, first, stamp)
    const lie = damage === 'length' && index === 0 ? 1_000_000n : 0n
    writer.signed(BigInt(body.length) + lie).raw(body)
  }
  return records.length === 0 ? writer.bytes() : compressed(writer.bytes(), compression)
}

function encodeRecord(record: ScriptedRecord, first: bigint, firstStamp: bigint): Buffer {
  const writer = new WireWriter()
    .int8(0)
    .signed(record.timestamp - firstStamp)
    .signed(record.offset - first)
    .varBlob(record.key)
    .varBlob(record.value)
    .signed(BigInt(record.headers.length))
  for (const [name, value] of record.headers) writer.varBlob(Buffer.from(name)).varBlob(value)
  return writer.bytes()
}

function compressed(bytes: Buffer, compression: Compression): Buffer {
  switch (compression) {
    case 'none':
      return bytes
    case 'gzip':
      return gzipSync(bytes)
    case 'snappy':
      return storedSnappy(bytes)
    case 'lz4':
      return storedLz4(bytes)
    case 'zstd':
      return storedZstd(bytes)
  }
}
