import { gunzipSync } from 'node:zlib'
import { decompress as unpackZstd } from 'fzstd'
import snappy from 'kafkajs-snappy'
import lz4 from 'lz4js'

/** How Kafka's batches may be packed. */
export type CodecName = 'gzip' | 'snappy' | 'lz4' | 'zstd'

/** Unpacks the records of a batch. Throws whatever it likes for broken bytes. */
export type Unpack = (packed: Buffer) => Buffer | Promise<Buffer>

/** What can be unpacked; all of it without native code. */
export type Codecs = Partial<Readonly<Record<CodecName, Unpack>>>

/** The first one is number 1 in the header of a batch. */
export const CODEC_NAMES: readonly CodecName[] = ['gzip', 'snappy', 'lz4', 'zstd']

const SNAPPY = snappy()

/** Every codec there is. */
export const CODECS: Codecs = {
  gzip: (packed) => gunzipSync(packed),
  snappy: (packed) => SNAPPY.decompress(packed),
  lz4: (packed) => asBuffer(lz4.decompress(packed)),
  zstd: (packed) => asBuffer(unpackZstd(packed)),
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
