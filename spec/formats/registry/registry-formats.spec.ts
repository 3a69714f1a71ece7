import avsc from 'avsc'
import { expect, test } from 'vitest'
import { messageFormat } from '../../../src/formats/message-formats.ts'
import type { MessageFormatName } from '../../../src/formats/message-formats.ts'
import type { Message } from '../../../src/formats/message.ts'
import type { SchemaText } from '../../../src/ports/schema-source.ts'
import { drawDecoded } from '../drawing.ts'
import { avro, FixedSchemas, valued } from './fixed-schemas.ts'

const FRAME = Buffer.from('0000000007', 'hex')

test('the value is the row, a tombstone the key that it names', async () => {
  const row = avro({ type: 'record', name: 'R', fields: [{ name: 'id', type: 'long' }] })
  expect(await read('confluent-avro', row, valued('00000000070a'))).toBe('id=5')
  const tombstone = valued(null, { key: Buffer.from('00000000070a', 'hex') })
  expect(await read('confluent-avro', row, tombstone)).toBe('id=5')
})

test('a format that needs schemas says so where it is given none', () => {
  expect(() => messageFormat('confluent-avro', { unavailableValue: 'x' })).toThrow(
    'SPEC_INVALID: the format needs a "registry" that has its schemas',
  )
})

const VARIABLE_SCALE: avsc.schema.RecordType = Object.assign(
  {
    type: 'record' as const,
    name: 'VariableScaleDecimal',
    namespace: 'io.debezium.data',
    fields: [
      { name: 'scale', type: 'int' },
      { name: 'value', type: 'bytes' },
    ],
  },
  { 'connect.name': 'io.debezium.data.VariableScaleDecimal' },
)

/** As Connect's Avro converter writes what Debezium's connector for PostgreSQL captures. */
const ROW: avsc.schema.RecordType = {
  type: 'record',
  name: 'Value',
  fields: [
    { name: 'id', type: 'int' },
    {
      name: 'price',
      type: ['null', connect('bytes', 'org.apache.kafka.connect.data.Decimal', { scale: '2' })],
    },
    { name: 'at', type: ['null', connect('long', 'io.debezium.time.MicroTimestamp')] },
    { name: 'zoned', type: ['null', connect('string', 'io.debezium.time.ZonedTimestamp')] },
    { name: 'day', type: ['null', connect('int', 'io.debezium.time.Date')] },
    { name: 'time', type: ['null', connect('long', 'io.debezium.time.MicroTime')] },
    { name: 'doc', type: ['null', connect('string', 'io.debezium.data.Json')] },
    {
      name: 'free',
      type: ['null', VARIABLE_SCALE],
    },
    { name: 'big', type: ['null', 'string'] },
  ],
}

const ENVELOPE: avsc.Schema = {
  type: 'record',
  name: 'Envelope',
  namespace: 'srv.public.t',
  fields: [
    { name: 'before', type: ['null', ROW] },
    { name: 'after', type: ['null', 'Value'] },
    {
      name: 'source',
      type: {
        type: 'record',
        name: 'Source',
        fields: [
          { name: 'connector', type: 'string' },
          { name: 'name', type: 'string' },
          { name: 'snapshot', type: 'string' },
          { name: 'schema', type: 'string' },
          { name: 'table', type: 'string' },
          { name: 'lsn', type: 'long' },
          { name: 'ts_ms', type: 'long' },
        ],
      },
    },
    { name: 'op', type: 'string' },
    { name: 'ts_ms', type: ['null', 'long'] },
  ],
}

test("Debezium's record by Avro has the values that Connect's JSON has", async () => {
  const payload = avsc.Type.forSchema(ENVELOPE, { wrapUnions: true }).toBuffer({
    before: null,
    after: {
      'srv.public.t.Value': {
        id: 1,
        price: { bytes: Buffer.from('fb2e', 'hex') },
        at: { long: 1529507596945104 },
        zoned: { string: '2018-06-20T13:37:03.123456Z' },
        day: { int: 17702 },
        time: { long: 54796945104 },
        doc: { string: '{"b": 1.10, "a": null}' },
        free: { 'io.debezium.data.VariableScaleDecimal': { scale: 1, value: Buffer.of(55) } },
        big: { string: '__debezium_unavailable_value' },
      },
    },
    source: {
      connector: 'postgresql',
      name: 'srv',
      snapshot: 'false',
      schema: 'public',
      table: 't',
      lsn: 100,
      ts_ms: 1,
    },
    op: 'c',
    ts_ms: null,
  })
  const message = valued(Buffer.concat([FRAME, payload]))
  expect(await read('debezium-avro', avro(ENVELOPE), message)).toBe(
    [
      'id=1',
      'price=-12.34',
      'at=local_timestamp(2018-06-20T15:13:16.945104)',
      'zoned=timestamp(2018-06-20T13:37:03.123456Z)',
      'day=date(2018-06-20)',
      'time=time(15:13:16.945104)',
      'doc=json({"a":null,"b":1.1})',
      'free=5.5',
      'big=null',
    ].join(' '),
  )
})

test("a value that is not what Connect's name says is refused with what it is", async () => {
  const schema = avro(connect('string', 'io.debezium.time.ZonedTimestamp'))
  expect(await read('confluent-avro', schema, valued('0000000007 0278'))).toBe(
    'UNDECODABLE the value does not fit schema 7: the whole is no timestamp: "x"',
  )
})

test("Debezium's record by Protobuf and by JSON Schema", async () => {
  const text = `syntax = "proto3"; package srv;
    message Envelope { Value before = 1; Value after = 2; Source source = 3; string op = 4;
      message Value { int64 id = 1; optional string name = 2; }
      message Source { string connector = 1; string name = 2; int64 lsn = 3; } }`
  const proto: SchemaText = { kind: 'PROTOBUF', text, references: [] }
  const payload = '00 1204 08021200 1a13 0a0a706f737467726573716c 1203737276 1864 220175'
  expect(await read('debezium-protobuf', proto, valued(`0000000007 ${payload}`))).toBe(
    "id=2 name=''",
  )

  const json: SchemaText = {
    kind: 'JSON',
    references: [],
    text: JSON.stringify({
      type: 'object',
      properties: {
        after: {
          oneOf: [
            { type: 'null' },
            {
              type: 'object',
              properties: {
                at: {
                  oneOf: [
                    { type: 'null' },
                    {
                      type: 'integer',
                      title: 'io.debezium.time.MicroTimestamp',
                      'connect.type': 'int64',
                    },
                  ],
                },
              },
            },
          ],
        },
      },
    }),
  }
  const change = {
    before: null,
    after: { id: 1, at: 1529507596945104 },
    source: { connector: 'postgresql', name: 'srv', lsn: 100 },
    op: 'c',
  }
  const value = Buffer.concat([FRAME, Buffer.from(JSON.stringify(change))])
  expect(await read('debezium-json-schema', json, valued(value))).toBe(
    'id=1 at=local_timestamp(2018-06-20T15:13:16.945104)',
  )
})

async function read(
  name: MessageFormatName,
  schema: SchemaText,
  message: Message,
): Promise<string> {
  const schemas = new FixedSchemas({ 7: schema })
  const format = messageFormat(name, { unavailableValue: '__debezium_unavailable_value', schemas })
  await format.prepare?.([message])
  return drawDecoded(format.decode(message))
}

type Primitive = avsc.schema.PrimitiveType

function connect(type: Primitive, name: string, parameters: object = {}): { type: Primitive } {
  const noted = { 'connect.version': 1, 'connect.name': name, 'connect.parameters': parameters }
  return { type, ...noted }
}
