import avsc from 'avsc'
import { expect, test } from 'vitest'
import { avro, decoded } from './fixed-schemas.ts'

/** Encodes with a library of its own, which shares no code with what is tested. */
function encode(schema: avsc.Schema, value: unknown): Buffer {
  return avsc.Type.forSchema(schema, { wrapUnions: true }).toBuffer(value)
}

test('a record becomes an object, its fields in the order of the schema', async () => {
  const schema = avro({
    type: 'record',
    name: 'R',
    fields: [
      { name: 'id', type: 'long' },
      { name: 'name', type: 'string' },
    ],
  })
  expect(await decoded(schema, '82808080808080200261')).toEqual({
    id: 9007199254740993n,
    name: 'a',
  })
})

test.each([
  ['00', 0],
  ['01', -1],
  ['feffffff0f', 2147483647],
  ['feffffffffffff1f', 9007199254740991],
  ['80808080808080 20', 9007199254740992n],
  ['ffffffffffffff1f', -9007199254740992n],
  ['feffffffffffffffff01', 9223372036854775807n],
  ['ffffffffffffffffff01', -9223372036854775808n],
])('a long keeps every digit: %s', async (hex, value) => {
  expect(await decoded(avro('long'), hex)).toEqual(value)
})

test('every kind of type is read', async () => {
  const schema: avsc.Schema = {
    type: 'record',
    name: 'a.b.All',
    fields: [
      { name: 'none', type: 'null' },
      { name: 'yes', type: 'boolean' },
      { name: 'int', type: 'int' },
      { name: 'float', type: 'float' },
      { name: 'double', type: 'double' },
      { name: 'bytes', type: 'bytes' },
      { name: 'text', type: 'string' },
      { name: 'suit', type: { type: 'enum', name: 'Suit', symbols: ['SPADES', 'HEARTS'] } },
      { name: 'hash', type: { type: 'fixed', name: 'Hash', size: 2 } },
      { name: 'list', type: { type: 'array', items: 'int' } },
      { name: 'map', type: { type: 'map', values: 'string' } },
      { name: 'suits', type: { type: 'array', items: 'Suit' } },
      { name: 'other', type: ['null', 'a.b.Hash'] },
      { name: 'absent', type: ['null', 'string'] },
      { name: 'either', type: ['string', 'int', 'a.b.Suit'] },
    ],
  }
  const payload = encode(schema, {
    none: null,
    yes: true,
    int: -5,
    float: Math.fround(0.1),
    double: 0.1,
    bytes: Buffer.from('00ff', 'hex'),
    text: 'ä€😀',
    suit: 'HEARTS',
    hash: Buffer.from('cafe', 'hex'),
    list: [1, 2, 3],
    map: { x: 'y' },
    suits: ['SPADES'],
    other: { 'a.b.Hash': Buffer.from('beef', 'hex') },
    absent: null,
    either: { int: 8 },
  })
  expect(await decoded(avro(schema), payload)).toEqual({
    none: null,
    yes: true,
    int: -5,
    float: 0.1,
    double: 0.1,
    bytes: { type: 'bytes', text: '00ff' },
    text: 'ä€😀',
    suit: 'HEARTS',
    hash: { type: 'bytes', text: 'cafe' },
    list: [1, 2, 3],
    map: { x: 'y' },
    suits: ['SPADES'],
    other: { type: 'bytes', text: 'beef' },
    absent: null,
    either: 8,
  })
})

test('logical types give typed values', async () => {
  const schema = avro({
    type: 'record',
    name: 'L',
    fields: [
      { name: 'price', type: { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 } },
      {
        name: 'fixed',
        type: { type: 'fixed', name: 'F', size: 3, logicalType: 'decimal', precision: 6 },
      },
      { name: 'again', type: 'F' },
      { name: 'day', type: { type: 'int', logicalType: 'date' } },
      { name: 'ms', type: { type: 'int', logicalType: 'time-millis' } },
      { name: 'us', type: { type: 'long', logicalType: 'time-micros' } },
      { name: 'at_ms', type: { type: 'long', logicalType: 'timestamp-millis' } },
      { name: 'at_us', type: { type: 'long', logicalType: 'timestamp-micros' } },
      { name: 'at_ns', type: { type: 'long', logicalType: 'timestamp-nanos' } },
      { name: 'local', type: { type: 'long', logicalType: 'local-timestamp-millis' } },
      { name: 'uuid', type: { type: 'string', logicalType: 'uuid' } },
      { name: 'bare_uuid', type: { type: 'fixed', name: 'U', size: 16, logicalType: 'uuid' } },
      { name: 'span', type: { type: 'fixed', name: 'D', size: 12, logicalType: 'duration' } },
    ],
  })
  const payload = [
    '04fb2e', // two bytes, -1234
    '00007b', // 123
    'ffff85', // -123
    '01', // a day before 1970
    'feefb252', // a millisecond before midnight
    '02',
    '01',
    '02',
    '02',
    '00',
    '0261',
    '00112233445566778899aabbccddeeff',
    '0e00000003000000 94110000',
  ]
  expect(await decoded(schema, payload.join(''))).toEqual({
    price: -12.34,
    fixed: 123,
    again: -123,
    day: { type: 'date', text: '1969-12-31' },
    ms: { type: 'time', text: '23:59:59.999' },
    us: { type: 'time', text: '00:00:00.000001' },
    at_ms: { type: 'timestamp', text: '1969-12-31T23:59:59.999Z' },
    at_us: { type: 'timestamp', text: '1970-01-01T00:00:00.000001Z' },
    at_ns: { type: 'timestamp', text: '1970-01-01T00:00:00.000000001Z' },
    local: { type: 'local_timestamp', text: '1970-01-01T00:00:00' },
    uuid: 'a',
    bare_uuid: '00112233-4455-6677-8899-aabbccddeeff',
    span: 'P14M3DT4.5S',
  })
})

test('a decimal keeps every digit', async () => {
  const schema = avro({ type: 'bytes', logicalType: 'decimal', precision: 38, scale: 10 })
  expect(await decoded(schema, '20 7fffffffffffffffffffffffffffffff')).toEqual({
    type: 'decimal',
    text: '17014118346046923173168730371.5884105727',
  })
})

test.each([
  ['date', 'int', 'ffffffff0f', '-2147483648 days since 1970 are no date'],
  [
    'time-micros',
    'long',
    'feffffffffffffffff01',
    '9223372036854775807 us since midnight are no time',
  ],
  [
    'timestamp-millis',
    'long',
    'feffffffffffffffff01',
    '9223372036854775807 ms since 1970 are no timestamp',
  ],
  [
    'local-timestamp-micros',
    'long',
    'feffffffffffffffff01',
    '9223372036854775807 us since 1970 are no timestamp',
  ],
])('a number that is no %s is refused', async (logicalType, type, hex, fault) => {
  expect(await decoded(avro({ type, logicalType }), hex)).toBe(
    `UNDECODABLE the value does not fit schema 7: ${fault}`,
  )
})

test('a logical type that does not go with its type is as if it were not there', async () => {
  expect(await decoded(avro({ type: 'int', logicalType: 'timestamp-millis' }), '02')).toBe(1)
  expect(await decoded(avro({ type: 'string', logicalType: 'made-up' }), '0261')).toBe('a')
})

test("Connect's name for a type goes before the logical type, its parameters with it", async () => {
  const type = {
    type: 'long',
    'connect.name': 'io.debezium.time.MicroTimestamp',
    'connect.parameters': { length: '6' },
    logicalType: 'timestamp-millis',
  }
  const schema = avro({ type: 'record', name: 'R', fields: [{ name: 'at', type: ['null', type] }] })
  const connectTypes = (name: string, parameters: ReadonlyMap<string, unknown>) =>
    name === 'io.debezium.time.MicroTimestamp'
      ? (plain: unknown) => `${String(plain)} µs, length ${String(parameters.get('length'))}`
      : null
  expect(await decoded(schema, '0204', { connectTypes })).toEqual({ at: '2 µs, length 6' })
  expect(await decoded(schema, '0204')).toEqual({
    at: { type: 'timestamp', text: '1970-01-01T00:00:00.002Z' },
  })
})

test('names are resolved in the namespace around them', async () => {
  const schema = avro({
    type: 'record',
    name: 'Node',
    namespace: 'a',
    fields: [
      {
        name: 'leaf',
        type: { type: 'record', name: 'b.Leaf', fields: [{ name: 'n', type: 'int' }] },
      },
      { name: 'next', type: ['null', 'Node'] },
      { name: 'leaves', type: { type: 'array', items: 'b.Leaf' } },
    ],
  })
  expect(await decoded(schema, '02020400 00')).toEqual(
    'UNDECODABLE the value does not fit schema 7: the payload ends after byte 5',
  )
  expect(await decoded(schema, '0202040000020800')).toEqual({
    leaf: { n: 1 },
    next: { leaf: { n: 2 }, next: null, leaves: [] },
    leaves: [{ n: 4 }],
  })
})

test('schemas that are referred to define the names that are used', async () => {
  const money = avro({
    type: 'record',
    name: 'shop.Money',
    fields: [{ name: 'cents', type: 'long' }],
  })
  const price = avro(
    { type: 'record', name: 'shop.Price', fields: [{ name: 'net', type: 'Money' }] },
    [{ name: 'shop.Money', schema: money }],
  )
  const order = avro(
    { type: 'record', name: 'shop.Order', fields: [{ name: 'price', type: 'shop.Price' }] },
    [{ name: 'shop.Price', schema: price }],
  )
  expect(await decoded(order, '0a')).toEqual({ price: { net: { cents: 5 } } })
  expect(await decoded({ ...order, references: [] }, '0a')).toBe(
    'UNDECODABLE schema 7 cannot be used: the schema has no type "shop.Price"',
  )
})

test.each([
  ['"long"', '', 'the payload ends after byte 0'],
  ['"long"', '80', 'the payload ends after byte 1'],
  ['"long"', '0000', '1 bytes are left over'],
  ['"long"', 'ffffffffffffffffffff01', 'a long has more than ten bytes'],
  ['"long"', 'ffffffffffffffffff7f', 'a long has more than 64 bits'],
  ['"int"', 'feffffffffffffffff01', 'an int is 9223372036854775807'],
  ['"boolean"', '02', 'a boolean is 0x02'],
  ['"string"', '0461', '2 bytes are announced, and 1 are left'],
  ['"string"', '01', 'a length is -1'],
  ['"string"', '02ff', 'a string has invalid UTF-8'],
  ['["null","int"]', '04', 'branch 2 of a union of 2'],
  ['["null","int"]', '01', 'branch -1 of a union of 2'],
  ['{"type":"enum","name":"E","symbols":["A"]}', '02', 'symbol 1 of an enum of 1'],
  ['{"type":"array","items":"null"}', 'feffffff0f', '2147483647 items are announced in 0 bytes'],
  ['{"type":"map","values":"null"}', '04000000', 'a map has two entries ""'],
  ['{"type":"bytes","logicalType":"decimal"}', '00', 'a decimal has no bytes'],
  [
    '{"type":"record","name":"R","fields":[{"name":"r","type":"R"}]}',
    '00',
    'nested deeper than 128',
  ],
])('bytes that do not fit the schema are refused: %s %s', async (text, hex, fault) => {
  expect(await decoded({ kind: 'AVRO', text, references: [] }, hex)).toBe(
    `UNDECODABLE the value does not fit schema 7: ${fault}`,
  )
})

test.each([
  ['{', 'the schema is broken JSON: expected a member name'],
  ['{"type":"made.up"}', 'the schema has no type "made.up"'],
  ['{"type":"record","name":"R"}', '"R" has no fields'],
  ['{"type":"record","fields":[]}', 'a type of the schema has no name'],
  ['{"type":"fixed","name":"F","size":-1}', 'a fixed has no size'],
  ['7', 'a type of the schema is neither name nor object'],
])('a schema that is none is said so for each record: %s', async (text, fault) => {
  expect(await decoded({ kind: 'AVRO', text, references: [] }, '00')).toBe(
    `UNDECODABLE schema 7 cannot be used: ${fault}`,
  )
})

test('records without any bytes are no way to take all time and memory', async () => {
  const records = Array.from({ length: 100 }, (_, i) => ({
    type: 'record',
    name: `R${i}`,
    fields: ['a', 'b'].map((name) => ({ name, type: i === 0 ? 'null' : `R${i - 1}` })),
  }))
  const union = avro(['null', ...records])
  expect(await decoded(union, (2 * 100).toString(16).padStart(2, '0') + '01')).toEqual(
    'UNDECODABLE the value does not fit schema 7: the records have far more fields than bytes',
  )
})
