import avsc from 'avsc'
import fc from 'fast-check'
import protobuf from 'protobufjs'
import { expect, test } from 'vitest'
import { canonicalText } from '../src/core/json.ts'
import { isRefusal } from '../src/core/refusal.ts'
import { NO_CONNECT_TYPES } from '../src/formats/registry/connect-types.ts'
import { RegistryCodec } from '../src/formats/registry/registry-codec.ts'
import type { SchemaText } from '../src/ports/schema-source.ts'
import { FixedSchemas, plain, valued } from '../spec/formats/registry/fixed-schemas.ts'

/** Every type, nested in every way that matters, so that wrong bytes go wrong in every reader. */
const AVRO_ROW = {
  type: 'record',
  name: 'Row',
  fields: [
    { name: 'id', type: 'long' },
    { name: 'text', type: ['null', 'string'] },
    { name: 'day', type: { type: 'int', logicalType: 'date' } },
    { name: 'price', type: { type: 'bytes', logicalType: 'decimal', precision: 30, scale: 2 } },
    { name: 'nulls', type: { type: 'array', items: 'null' } },
    { name: 'map', type: { type: 'map', values: ['double', 'boolean'] } },
    { name: 'suit', type: { type: 'enum', name: 'Suit', symbols: ['A', 'B'] } },
    { name: 'hash', type: { type: 'fixed', name: 'Hash', size: 3 } },
    { name: 'next', type: ['null', 'Row'] },
  ],
}

const PROTO_ROW = `syntax = "proto3";
  import "google/protobuf/struct.proto";
  import "google/protobuf/timestamp.proto";
  message Row {
    int64 id = 1; optional string text = 2; repeated sint64 list = 3; map<string, Row> rows = 4;
    oneof either { double d = 5; bytes raw = 6; } Row next = 7; Suit suit = 8;
    google.protobuf.Struct any = 9; google.protobuf.Timestamp at = 10;
    enum Suit { A = 0; B = 1; }
  }`

const JSON_ROW = {
  type: 'object',
  properties: {
    raw: { type: 'string', 'connect.type': 'bytes' },
    d: { type: 'number', 'connect.type': 'float64' },
    next: { oneOf: [{ type: 'null' }, { $ref: '#' }] },
  },
}

const SCHEMAS: Readonly<Record<SchemaText['kind'], SchemaText>> = {
  AVRO: { kind: 'AVRO', text: JSON.stringify(AVRO_ROW), references: [] },
  PROTOBUF: { kind: 'PROTOBUF', text: PROTO_ROW, references: [] },
  JSON: { kind: 'JSON', text: JSON.stringify(JSON_ROW), references: [] },
}

test.each(['AVRO', 'PROTOBUF', 'JSON'] as const)(
  'R1 any bytes are a tree or a refusal, soon: %s',
  async (kind) => {
    const read = await reader(kind)
    // Small bytes are likely: they are tags, indexes and lengths that lead on.
    const bytes = fc.array(fc.oneof(fc.integer({ min: 0, max: 12 }), fc.nat(255)), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(bytes, (values) => {
        const result = read(Buffer.from(values))
        if (isRefusal(result)) expect(result.code).toBe('UNDECODABLE')
        else expect(canonicalText(result.node)).toBeTypeOf('string')
      }),
    )
  },
)

test('R2 what an Avro encoder wrote is read back', async () => {
  const fields = {
    id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    text: fc.option(fc.string({ unit: 'binary' })),
    d: fc.double(),
    raw: fc.uint8Array({ maxLength: 5 }),
    list: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: 5 }),
  }
  const schema: avsc.Schema = {
    type: 'record',
    name: 'R',
    fields: [
      { name: 'id', type: 'long' },
      { name: 'text', type: ['null', 'string'] },
      { name: 'd', type: 'double' },
      { name: 'raw', type: 'bytes' },
      { name: 'list', type: { type: 'array', items: 'int' } },
    ],
  }
  const type = avsc.Type.forSchema(schema, { registry: { long: exactLong() } })
  const read = await readerBy({ kind: 'AVRO', text: JSON.stringify(schema), references: [] })
  fc.assert(
    fc.property(fc.record(fields), (row) => {
      const payload = type.toBuffer({ ...row, raw: Buffer.from(row.raw) })
      expect(treeOf(read(payload))).toEqual(expected(row))
    }),
  )
})

test('R3 what a Protobuf encoder wrote is read back', async () => {
  const text = `syntax = "proto3"; message R {
    sint64 id = 1; optional string text = 2; double d = 3; bytes raw = 4; repeated int32 list = 5; }`
  const fields = {
    id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    // Protobuf has no half of a surrogate pair, and neither has this.
    text: fc.option(fc.string({ unit: 'binary' })),
    d: fc.double(),
    raw: fc.uint8Array({ maxLength: 5 }),
    list: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: 5 }),
  }
  const type = protobuf.parse(text).root.lookupType('R')
  const read = await readerBy({ kind: 'PROTOBUF', text, references: [] })
  fc.assert(
    fc.property(fc.record(fields), (row) => {
      const given = {
        ...row,
        id: row.id.toString(),
        ...(row.text === null ? { text: undefined } : {}),
      }
      const payload = type.encode(type.fromObject(given)).finish()
      expect(treeOf(read(Buffer.concat([Buffer.of(0), payload])))).toEqual(expected(row))
    }),
  )
})

type Row = {
  readonly id: bigint
  readonly text: string | null
  readonly d: number
  readonly raw: Uint8Array
  readonly list: readonly number[]
}

/** The row as the tree that it stands for; written without what is tested. */
function expected({ id, text, d, raw, list }: Row): unknown {
  const n = Number(id)
  return {
    id: Number.isSafeInteger(n) ? n : id,
    text,
    d: doubleOf(d),
    raw: { type: 'bytes', text: Buffer.from(raw).toString('hex') },
    list,
  }
}

/** Integers beyond 2^53 are those that the shortest spelling denotes. */
function doubleOf(d: number): unknown {
  if (!Number.isFinite(d)) return { type: 'double', text: String(d) }
  if (d === 0) return 0
  if (!Number.isInteger(d) || Number.isSafeInteger(d)) return d
  const [digits = '', exponent = '0'] = d.toExponential().split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  return BigInt(whole + fraction.padEnd(Number(exponent), '0'))
}

async function reader(kind: SchemaText['kind']): Promise<Read> {
  return readerBy(SCHEMAS[kind])
}

type Read = (payload: Buffer) => ReturnType<RegistryCodec['decode']>

async function readerBy(schema: SchemaText): Promise<Read> {
  const codec = new RegistryCodec({
    source: new FixedSchemas({ 7: schema }),
    kind: schema.kind,
    connectTypes: NO_CONNECT_TYPES,
  })
  const framed = (payload: Buffer) => Buffer.concat([Buffer.from('0000000007', 'hex'), payload])
  await codec.prepare([valued(framed(Buffer.alloc(0)))])
  return (payload) => {
    const message = valued(framed(payload))
    return codec.decode('value', message.value ?? payload, message)
  }
}

function treeOf(result: ReturnType<RegistryCodec['decode']>): unknown {
  return isRefusal(result) ? result : plain(result.node)
}

function exactLong(): avsc.Type {
  // oxlint-disable-next-line no-underscore-dangle -- the name that avsc gives it
  return avsc.types.LongType.__with({
    fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
    toBuffer: (n: bigint) => {
      const buffer = Buffer.alloc(8)
      buffer.writeBigInt64LE(n)
      return buffer
    },
    fromJSON: BigInt,
    toJSON: Number,
    isValid: (n: unknown) => typeof n === 'bigint',
    compare: (a: bigint, b: bigint) => Number(a > b) - Number(a < b),
  })
}
