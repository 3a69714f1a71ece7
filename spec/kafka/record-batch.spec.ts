import { createRequire } from 'node:module'
import { decompress as unpackZstd } from 'fzstd'
import { describe, expect, test } from 'vitest'
import { crc32c } from './crc32c.ts'
import { encodeBatch } from './record-batch.ts'
import { FIRST_STAMP, abort, batch, commit, data, emptied, record } from './scripted-log.ts'
import { storedLz4, storedSnappy, storedZstd } from './stored-codecs.ts'

type Decoded = {
  readonly firstOffset: string
  readonly lastOffsetDelta: number
  readonly inTransaction: boolean
  readonly isControlBatch: boolean
  readonly producerId: string
  readonly records: readonly {
    readonly offset: string
    readonly timestamp: string
    readonly key: Buffer | null
    readonly value: Buffer | null
    readonly headers: Readonly<Record<string, Buffer>>
  }[]
}

const require = createRequire(import.meta.url)
const Decoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => object
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder') as (
  decoder: object,
) => Promise<Decoded>
const { RecordBatch: kafkajsBatch } = require('kafkajs/src/protocol/recordBatch/v0') as {
  RecordBatch: (options: object) => Promise<{ readonly buffer: Buffer }>
}
const kafkajsRecord = require('kafkajs/src/protocol/recordBatch/record/v0') as (
  options: object,
) => object
const lz4 = require('lz4js') as { decompress(bytes: Buffer): Uint8Array }
const snappy = require('kafkajs-snappy') as () => { decompress(bytes: Buffer): Promise<Buffer> }

function decoded(bytes: Buffer): Promise<Decoded> {
  return decodeBatch(new Decoder(bytes))
}

describe('a batch', () => {
  test('is, byte for byte, what the producer of kafkajs writes', async () => {
    const theirs = await kafkajsBatch({
      firstOffset: '5000000000',
      firstTimestamp: FIRST_STAMP.toString(),
      maxTimestamp: (FIRST_STAMP + 300n).toString(),
      lastOffsetDelta: 70,
      transactional: true,
      producerId: '9007199254740993',
      producerEpoch: 0,
      firstSequence: -1,
      records: [
        kafkajsRecord({ key: 'k', value: 'v', headers: { name: 'é' } }),
        kafkajsRecord({ offsetDelta: 70, timestampDelta: 300, key: null, value: null }),
      ],
    })
    const ours = batch(
      [
        record(5_000_000_000n, {
          key: 'k',
          value: 'v',
          headers: { name: 'é' },
          timestamp: FIRST_STAMP,
        }),
        record(5_000_000_070n, { timestamp: FIRST_STAMP + 300n }),
      ],
      { transaction: 9007199254740993n },
    )
    expect(encodeBatch(ours).toString('hex')).toBe(theirs.buffer.toString('hex'))
  })

  test('is read by kafkajs with its offsets, times, bytes and headers', async () => {
    const bytes = encodeBatch(
      batch([
        record(7, { key: Buffer.from('00ff', 'hex'), value: '', timestamp: 20n }),
        record(9, { value: 'x'.repeat(300), timestamp: 10n, headers: { a: Buffer.from([0]) } }),
      ]),
    )
    expect((await decoded(bytes)).records).toMatchObject([
      { offset: '7', timestamp: '20', key: Buffer.from('00ff', 'hex'), value: Buffer.alloc(0) },
      {
        offset: '9',
        timestamp: '10',
        key: null,
        value: Buffer.from('x'.repeat(300)),
        headers: { a: Buffer.from([0]) },
      },
    ])
  })

  test('may be left without records and still covers its offsets', async () => {
    expect(await decoded(encodeBatch(emptied(13, 19)))).toMatchObject({
      firstOffset: '13',
      lastOffsetDelta: 6,
      records: [],
    })
  })

  test('may be a marker that ends a transaction', async () => {
    const control = { inTransaction: true, isControlBatch: true, producerId: '7' }
    expect(await decoded(encodeBatch(commit(2, 7)))).toMatchObject({
      ...control,
      records: [{ offset: '2', key: Buffer.from([0, 0, 0, 1]) }],
    })
    expect(await decoded(encodeBatch(abort(3, 7)))).toMatchObject({
      ...control,
      records: [{ offset: '3', key: Buffer.from([0, 0, 0, 0]) }],
    })
  })

  test('packed with gzip is read by kafkajs', async () => {
    const bytes = encodeBatch(data(4, { value: 'packed' }, { compression: 'gzip' }))
    expect((await decoded(bytes)).records).toMatchObject([
      { offset: '4', value: Buffer.from('packed') },
    ])
  })

  test('may carry a checksum that its bytes do not have', () => {
    const whole = encodeBatch(data(0, { value: 'abc' }))
    const broken = encodeBatch(data(0, { value: 'abc' }, { damage: 'bits' }))
    expect(whole.readUInt32BE(17)).toBe(crc32c(whole.subarray(21)))
    expect(broken.readUInt32BE(17)).toBe(whole.readUInt32BE(17))
    expect(broken.readUInt32BE(17)).not.toBe(crc32c(broken.subarray(21)))
  })

  test('may be cut in the middle', () => {
    const whole = encodeBatch(data(0, { value: 'abc' }))
    const cut = encodeBatch(data(0, { value: 'abc' }, { damage: 'cut' }))
    expect(cut.equals(whole.subarray(0, cut.length))).toBe(true)
    expect(cut.length).toBe(Math.floor(whole.length / 2))
  })
})

describe('the checksum', () => {
  test('of the digits is the one of the standard', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283)
  })
})

describe.each([0, 1, 60, 61, 65_536, 200_000])('%i bytes, stored', (size) => {
  const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 251))

  test('are unpacked as zstd', () => {
    expect(Buffer.from(unpackZstd(storedZstd(bytes))).equals(bytes)).toBe(true)
  })

  test('are unpacked as LZ4', () => {
    expect(Buffer.from(lz4.decompress(storedLz4(bytes))).equals(bytes)).toBe(true)
  })

  test('are unpacked as Snappy', async () => {
    expect((await snappy().decompress(storedSnappy(bytes))).equals(bytes)).toBe(true)
  })
})
