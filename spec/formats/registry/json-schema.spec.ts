import { expect, test } from 'vitest'
import { canonicalText } from '../../../src/core/json.ts'
import type { SchemaText } from '../../../src/ports/schema-source.ts'
import type { ConnectTypes } from '../../../src/formats/registry/connect-types.ts'
import { decoded } from './fixed-schemas.ts'

test('a payload is JSON, every digit of its numbers kept', async () => {
  expect(await decoded(schema({}), json('{"id":9007199254740993,"price":1.10,"no":null}'))).toEqual(
    {
      id: 9007199254740993n,
      price: 1.1,
      no: null,
    },
  )
})

test('what Connect noted as bytes is bytes, and doubles that JSON lacks are doubles', async () => {
  const bytes = { type: 'string', 'connect.type': 'bytes' }
  const double = { type: 'number', 'connect.type': 'float64' }
  const row = schema({
    type: 'object',
    properties: { raw: bytes, maybe: nullable(bytes), d: double, text: { type: 'string' } },
  })
  expect(await decoded(row, json('{"raw":"AP8=","maybe":null,"d":"NaN","text":"AP8="}'))).toEqual({
    raw: { type: 'bytes', text: '00ff' },
    maybe: null,
    d: { type: 'double', text: 'NaN' },
    text: 'AP8=',
  })
})

test("Connect's name for a type, with its parameters, says what a value is", async () => {
  const at = { type: 'integer', title: 'MicroTimestamp', 'connect.type': 'int64' }
  const price = {
    type: 'number',
    title: 'Decimal',
    'connect.type': 'bytes',
    'connect.parameters': { scale: '2' },
  }
  const row = schema({
    type: 'object',
    properties: {
      at: nullable(at),
      price: nullable(price),
      list: { type: 'array', items: at },
      map: { type: 'object', 'connect.type': 'map', additionalProperties: at },
      untitled: { type: 'object', title: 'MicroTimestamp' },
    },
  })
  const payload = '{"at":5,"price":"AP8=","list":[1],"map":{"a":2},"untitled":{}}'
  expect(await decoded(row, json(payload), { connectTypes })).toEqual({
    at: 'MicroTimestamp(5)',
    price: 'Decimal("AP8=", scale "2")',
    list: ['MicroTimestamp(1)'],
    map: { a: 'MicroTimestamp(2)' },
    untitled: {},
  })
  expect(await decoded(row, json('{"at":null,"price":2.55}'), { connectTypes })).toEqual({
    at: null,
    price: 'Decimal(2.55, scale "2")',
  })
})

test('references lead within the schema, to other schemas, and back to where they came from', async () => {
  const times: SchemaText = schema({
    $defs: { at: { type: 'integer', title: 'MicroTimestamp', 'connect.type': 'int64' } },
  })
  const tree = {
    ...schema({
      type: 'object',
      properties: {
        at: { $ref: 'times.json#/$defs/at' },
        next: { $ref: '#' },
        also: { $ref: '#/definitions/a~1b' },
      },
      definitions: { 'a/b': { allOf: [{ $ref: 'times.json#/$defs/at' }] } },
    }),
    references: [{ name: 'times.json', schema: times }],
  }
  const payload = json('{"at":1,"next":{"at":2,"next":null},"also":3}')
  expect(await decoded(tree, payload, { connectTypes })).toEqual({
    at: 'MicroTimestamp(1)',
    next: { at: 'MicroTimestamp(2)', next: null },
    also: 'MicroTimestamp(3)',
  })
})

test('a reference that leads nowhere but back says nothing', async () => {
  expect(await decoded(schema({ $ref: '#' }), json('1'))).toBe(1)
})

test('a wider choice says nothing of the value', async () => {
  const bytes = { type: 'string', 'connect.type': 'bytes' }
  const either = schema({ oneOf: [{ type: 'null' }, bytes, { type: 'integer' }] })
  expect(await decoded(either, json('"AP8="'))).toBe('AP8=')
})

test.each([
  ['', 'broken JSON: unexpected end, at character 1'],
  ['{"a":1}x', 'broken JSON: text after the end of the value, at character 8'],
  ['{"a":1,"a":2}', 'broken JSON: member "a" appears twice, at character 8'],
])('bytes that are no JSON are refused: %s', async (text, fault) => {
  expect(await decoded(schema({}), json(text))).toBe(
    `UNDECODABLE the value does not fit schema 7: ${fault}`,
  )
})

test.each([
  ['{', 'the schema is broken JSON: expected a member name'],
  ['{"$ref":"#/x"}', 'the schema refers to "#/x", which it does not have'],
  ['{"$ref":"x.json"}', 'the schema has no reference "x.json"'],
])('a schema that is none is said so for each record: %s', async (text, fault) => {
  expect(await decoded({ kind: 'JSON', text, references: [] }, json('1'))).toBe(
    `UNDECODABLE schema 7 cannot be used: ${fault}`,
  )
})

const connectTypes: ConnectTypes = (name, parameters) => {
  if (name === 'MicroTimestamp') return (plain) => `${name}(${canonicalText(plain)})`
  if (name !== 'Decimal') return null
  const scale = parameters.get('scale') ?? null
  return (plain) => `${name}(${canonicalText(plain)}, scale ${canonicalText(scale)})`
}

test.each([
  { allOf: [{ $ref: '#' }] },
  { properties: { a: { allOf: [{ $ref: '#' }] } }, anyOf: [{ $ref: '#/properties/a' }] },
])('a schema that refers to itself without end cannot be used: %j', async (itself) => {
  expect(await decoded(schema(itself), json('{"a":{}}'))).toEqual(
    'UNDECODABLE the value does not fit schema 7: the schema refers to itself without end',
  )
})

function nullable(type: object): object {
  return { oneOf: [{ type: 'null' }, type] }
}

function schema(given: object): SchemaText {
  return { kind: 'JSON', text: JSON.stringify(given), references: [] }
}

function json(text: string): Buffer {
  return Buffer.from(text, 'utf8')
}
