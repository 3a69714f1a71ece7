import protobuf from 'protobufjs'
import { expect, test } from 'vitest'
import { NO_CONNECT_TYPES } from '../../../src/formats/registry/connect-types.ts'
import { RegistryCodec } from '../../../src/formats/registry/registry-codec.ts'
import type { SchemaText } from '../../../src/ports/schema-source.ts'
import { decoded, decodedBy, FixedSchemas, valued } from './fixed-schemas.ts'

const ROW = proto(`package a;
  message Other { int32 n = 1; }
  message Row {
    message Inner { string text = 1; message Core { bool on = 1; } }
    int64 id = 1; string name = 2;
  }`)

test('message indexes say which message of the schema a payload is', async () => {
  expect(await decoded(ROW, '00 0805')).toEqual({ n: 5 })
  expect(await decoded(ROW, '0202 0805120161')).toEqual({ id: 5, name: 'a' })
  expect(await decoded(ROW, '0200 0805')).toEqual({ n: 5 })
  expect(await decoded(ROW, '040200 0a0161')).toEqual({ text: 'a' })
  expect(await decoded(ROW, '06020000 0801')).toEqual({ on: true })
})

test('they follow the id where that is in a header, and are the first message where there are none', async () => {
  const source = new FixedSchemas({ 7: ROW })
  const codec = new RegistryCodec({ source, kind: 'PROTOBUF', connectTypes: NO_CONNECT_TYPES })
  const message = (header: string, value: string) =>
    valued(value, { headers: [['__value_schema_id', Buffer.from(header, 'hex')]] })
  expect(await decodedBy(codec, message('00000000070202', '0805'))).toEqual({ id: 5, name: '' })
  expect(await decodedBy(codec, message('0000000007', '0805'))).toEqual({ n: 5 })
})

test('every kind of type is read', async () => {
  const schema = proto(`
    message All {
      int32 i32 = 1; int64 i64 = 2; uint32 u32 = 3; uint64 u64 = 4; sint32 s32 = 5; sint64 s64 = 6;
      fixed32 f32 = 7; fixed64 f64 = 8; sfixed32 sf32 = 9; sfixed64 sf64 = 10;
      float single = 11; double twice = 12; bool yes = 13; string text = 14; bytes raw = 15;
      Suit suit = 16; Inner inner = 17; repeated int32 packed = 18; repeated string texts = 19;
      repeated Inner inners = 20; map<string, int64> longs = 21; map<int32, Inner> named = 22;
      map<bool, Suit> suits = 23; repeated Suit many = 24;
      message Inner { int32 n = 1; }
      enum Suit { NONE = 0; SPADES = 1; HEARTS = 5; }
    }`)
  const payload = encode(schema, 'All', {
    i32: -1,
    i64: '-9223372036854775808',
    u32: 4294967295,
    u64: '18446744073709551615',
    s32: -2147483648,
    s64: '-9007199254740993',
    f32: 4294967295,
    f64: '18446744073709551615',
    sf32: -5,
    sf64: '-5',
    single: 0.1,
    twice: 0.1,
    yes: true,
    text: 'ä€😀',
    raw: Buffer.from('00ff', 'hex'),
    suit: 5,
    inner: { n: -1 },
    packed: [1, -1],
    texts: ['', 'b'],
    inners: [{ n: 1 }, {}],
    longs: { x: '9007199254740993' },
    named: { 3: { n: 4 } },
    suits: { true: 1 },
    many: [1, 5],
  })
  expect(await decoded(schema, payload)).toEqual({
    i32: -1,
    i64: -9223372036854775808n,
    u32: 4294967295,
    u64: 18446744073709551615n,
    s32: -2147483648,
    s64: -9007199254740993n,
    f32: 4294967295,
    f64: 18446744073709551615n,
    sf32: -5,
    sf64: -5,
    single: 0.1,
    twice: 0.1,
    yes: true,
    text: 'ä€😀',
    raw: { type: 'bytes', text: '00ff' },
    suit: 'HEARTS',
    inner: { n: -1 },
    packed: [1, -1],
    texts: ['', 'b'],
    inners: [{ n: 1 }, { n: 0 }],
    longs: { x: 9007199254740993n },
    named: { 3: { n: 4 } },
    suits: { true: 'SPADES' },
    many: ['SPADES', 'HEARTS'],
  })
})

test('what is not there is null where presence is told, and else the zero that it stands for', async () => {
  const schema = proto(`
    message M {
      int32 plain = 1; optional int32 maybe = 2; M inner = 3; string text = 4; E e = 5;
      bytes raw = 6; repeated int32 list = 7; map<string, int32> map = 8;
      oneof either { int32 a = 9; string b = 10; }
      enum E { ZERO = 0; }
    }`)
  expect(await decoded(schema, '00')).toEqual({
    plain: 0,
    maybe: null,
    inner: null,
    text: '',
    e: 'ZERO',
    raw: { type: 'bytes', text: '' },
    list: [],
    map: {},
    a: null,
    b: null,
  })
  expect(await decoded(schema, '00 1000 4800')).toMatchObject({ maybe: 0, a: 0, b: null })
})

test('of two members of a oneof the later counts', async () => {
  const schema = proto('message M { oneof either { int32 a = 1; string b = 2; M c = 3; } }')
  expect(await decoded(schema, '00 0805 120161')).toEqual({ a: null, b: 'a', c: null })
  expect(await decoded(schema, '00 1a00 120161 0805')).toEqual({ a: 5, b: null, c: null })
})

test('the last scalar counts, parts of a message merge, lists may be packed or not', async () => {
  const schema = proto(
    'message M { int32 a = 1; int32 b = 2; M inner = 3; repeated int32 list = 4; }',
  )
  expect(await decoded(schema, '00 0801 0802 1a020801 1a021002 2001 22020203')).toEqual({
    a: 2,
    b: 0,
    inner: { a: 1, b: 2, inner: null, list: [] },
    list: [1, 2, 3],
  })
})

test('an enum value without a name is its number', async () => {
  expect(await decoded(proto('message M { E e = 1; enum E { A = 0; } }'), '00 0809')).toEqual({
    e: 9,
  })
})

test('fields that the schema lacks, and those laid out otherwise, are passed over', async () => {
  const schema = proto('message M { int32 a = 1; }')
  const unknown = '10ac02 19 0102030405060708 220161 2d 01020304 33 3801 34'
  expect(await decoded(schema, `00 ${unknown} 0805`)).toEqual({ a: 5 })
  expect(await decoded(schema, '00 0a0161')).toEqual({ a: 0 })
})

test('proto2 tells presence, has groups, and wants what is required', async () => {
  const schema: SchemaText = {
    kind: 'PROTOBUF',
    references: [],
    text: `message M {
      required int32 a = 1; optional string b = 2 [default = "x"];
      repeated group Item = 3 { optional int32 n = 1; }
    }`,
  }
  expect(await decoded(schema, '00 0805 1b 0801 1c 1b 1c')).toEqual({
    a: 5,
    b: null,
    item: [{ n: 1 }, { n: null }],
  })
  expect(await decoded(schema, '00')).toBe(
    'UNDECODABLE the value does not fit schema 7: the required field "a" is missing',
  )
})

test('well-known messages are what they mean', async () => {
  const schema = proto(`
    import "google/protobuf/timestamp.proto";
    import "google/protobuf/wrappers.proto";
    import "google/protobuf/struct.proto";
    import "google/protobuf/duration.proto";
    import "google/type/date.proto";
    import "google/type/timeofday.proto";
    import "google/type/decimal.proto";
    import "confluent/type/decimal.proto";
    message M {
      google.protobuf.Timestamp at = 1; google.protobuf.Int64Value some = 2;
      google.protobuf.StringValue none = 3; google.protobuf.Struct any = 4;
      google.protobuf.Duration took = 5; google.type.Date day = 6;
      google.type.TimeOfDay time = 7; google.type.Decimal price = 8;
      confluent.type.Decimal exact = 9; google.protobuf.Value nothing = 10;
    }`)
  const payload = [
    '00',
    '0a0b 08ffffffffffffffffff01', // -1 s
    '1202 0805',
    '2204 0a02 0a00',
    '2a04 0803 1005',
    '3207 08d00f 1002 181d',
    '3a06 0817 103b 1801',
    '42060a04312e3130',
    '4a080a02fb2e 1004 1802',
    '52020800',
  ].join('')
  expect(await decoded(schema, payload)).toEqual({
    at: { type: 'timestamp', text: '1969-12-31T23:59:59Z' },
    some: 5,
    none: null,
    any: { '': null },
    took: '3.000000005s',
    day: { type: 'date', text: '2000-02-29' },
    time: { type: 'time', text: '23:59:01' },
    price: 1.1,
    exact: -12.34,
    nothing: null,
  })
})

test('a date without a day stays as it is; a timestamp that no calendar has is refused', async () => {
  const schema = proto(`
    import "google/type/date.proto";
    import "google/protobuf/timestamp.proto";
    message M { google.type.Date year = 1; google.protobuf.Timestamp at = 2; }`)
  expect(await decoded(schema, '00 0a03 08d00f')).toEqual({
    year: { year: 2000, month: 0, day: 0 },
    at: null,
  })
  expect(await decoded(schema, '00 1209 08ffffffffffffff7f')).toBe(
    'UNDECODABLE the value does not fit schema 7: 72057594037927935000000000 ns since 1970 are no timestamp',
  )
})

test('imports are references, and theirs; a file that two import is read once', async () => {
  const money: SchemaText = proto('package shop; message Money { int64 cents = 1; }')
  const reference = { name: 'money.proto', schema: money }
  const price: SchemaText = {
    ...proto('package shop; import "money.proto"; message Price { Money net = 1; }'),
    references: [reference],
  }
  const order: SchemaText = {
    ...proto(`package shop; import "price.proto"; import "money.proto";
      message Order { Price price = 1; shop.Money paid = 2; }`),
    references: [reference, { name: 'price.proto', schema: price }],
  }
  expect(await decoded(order, '00 0a040a020805 12020807')).toEqual({
    price: { net: { cents: 5 } },
    paid: { cents: 7 },
  })
})

test('options are no matter, in whatever spelling', async () => {
  const schema = proto(`package a;
    import "confluent/meta.proto";
    option java_package = "x;y";
    option (confluent.file_meta) = { doc: "a } b", params: [{ key: "k", value: "v" }] };
    message M {
      option (confluent.message_meta).params = [{ key: "[", value: "]" }];
      int64 a = 1 [(confluent.field_meta).params = [{ key: "a", value: "b" }], deprecated = true]; // [
      string option = 2 [json_name = "]"]; /* option x = 1; */
    }`)
  expect(await decoded(schema, '00 0805 120161')).toEqual({ a: 5, option: 'a' })
})

test.each([
  ['', 'the message ends after byte 0'],
  ['0204', 'the schema has no message [2]'],
  ['01', 'the message has -1 message indexes'],
  ['00 08', 'the message ends after byte 1'],
  ['00 0805 12', 'the message ends after byte 3'],
  ['0202 120461', '4 bytes are announced, and 1 are left'],
  ['0202 1201ff', 'a string has invalid UTF-8'],
  ['00 08ffffffffffffffffffff01', 'an integer has more than ten bytes'],
  ['00 00', 'a field has number 0'],
  ['00 0e', 'field 1 has wire type 6'],
  ['00 0c', 'field 1 has wire type 4'],
  ['00 13 1c', 'group 2 ends as group 3'],
])('bytes that do not fit the schema are refused: %s', async (hex, fault) => {
  expect(await decoded(ROW, hex)).toBe(`UNDECODABLE the value does not fit schema 7: ${fault}`)
})

test('nesting has an end, in groups that are passed over too', async () => {
  const schema = proto('message M { M m = 1; }')
  const fault = 'UNDECODABLE the value does not fit schema 7: nested deeper than 128'
  let nested = Buffer.alloc(0)
  for (let i = 0; i < 200; i += 1) {
    nested = Buffer.concat([encodeLength(nested.length), nested])
  }
  expect(await decoded(schema, Buffer.concat([Buffer.of(0), nested]))).toBe(fault)
  expect(await decoded(schema, `00${'13'.repeat(100_000)}`)).toBe(fault)
})

test('a few bytes do not make millions of fields', async () => {
  const fields = Array.from({ length: 200 }, (_, i) => `int32 f${i} = ${i + 10};`)
  const schema = proto(`message M { repeated N n = 1; } message N { ${fields.join(' ')} }`)
  expect(await decoded(schema, `00${'0a00'.repeat(10_000)}`)).toBe(
    'UNDECODABLE the value does not fit schema 7: the messages have far more fields than bytes',
  )
})

test.each([
  ['message {', "the schema is broken: illegal type name '{' (line 1)"],
  ['message M { N n = 1; }', "the schema is broken: no such Type or Enum 'N' in Type .M"],
  ['', 'the schema has no message [0]'],
])('a schema that is none is said so for each record: %s', async (text, fault) => {
  expect(await decoded(proto(text), '00')).toMatch(
    new RegExp(`^UNDECODABLE .* 7.*: ${fault.replaceAll(/[[\](){}.]/g, String.raw`\$&`)}$`),
  )
})

/** A schema of proto3. */
function proto(text: string): SchemaText {
  return { kind: 'PROTOBUF', text: `syntax = "proto3"; ${text}`, references: [] }
}

/** Encodes with protobufjs's own encoder, which shares no code with what is tested. */
function encode({ text }: SchemaText, name: string, value: object): Buffer {
  const type = protobuf.parse(text, { keepCase: true }).root.lookupType(name)
  return Buffer.concat([Buffer.of(0), type.encode(type.fromObject(value)).finish()])
}

function encodeLength(length: number): Buffer {
  const writer = protobuf.Writer.create().uint32(10).uint32(length)
  return Buffer.from(writer.finish())
}
