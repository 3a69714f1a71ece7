import { expect, test } from 'vitest'
import { ConnectJsonCodec } from '../../../src/formats/connect/connect-json-codec.ts'
import { canonicalText, isJsonObject, jsonValue } from '../../../src/core/json.ts'
import { isRefusal } from '../../../src/core/refusal.ts'
import { drawValue } from '../drawing.ts'
import { messageOf, rows } from '../feed-drawing.ts'

/** What one value of a schema becomes. */
function typed(schema: object, value: unknown): string {
  const codec = new ConnectJsonCodec()
  const fields = [{ field: 'v', optional: true, ...schema }]
  const message = messageOf({
    value: { schema: { type: 'struct', fields }, payload: { v: value } },
  })
  const read = codec.decode('value', message.value ?? Buffer.alloc(0), message)
  if (isRefusal(read)) return `${read.code} ${read.message}`
  return isJsonObject(read.node) ? drawValue(jsonValue(read.node.get('v') ?? null)) : 'no object'
}

function logical(name: string, type = 'int64'): object {
  return { type, name, version: 1 }
}

test('values have the types of their schema', () => {
  const int64 = { type: 'int64' }
  const decimal = { ...logical('org.apache.kafka.connect.data.Decimal', 'bytes') }
  const scale = (text: string) => ({ ...decimal, parameters: { scale: text } })
  expect([
    typed({ type: 'bytes' }, '3q2+7w=='),
    typed({ type: 'double' }, 'NaN'),
    typed({ type: 'float' }, -0.5),
    typed(int64, null),
    typed(scale('2'), 'MDk='),
    typed(scale('2'), '/w=='),
    typed(scale('2'), 'BWvHXi1jD///'),
    typed(scale('-3'), 'AQ=='),
    typed(scale('0'), 'AJ///w=='),
    typed(scale('2'), 1.5),
    typed(
      { ...logical('io.debezium.data.VariableScaleDecimal', 'struct') },
      {
        scale: 3,
        value: 'AP8=',
      },
    ),
    typed(logical('io.debezium.data.Bits', 'bytes'), 'AQI='),
  ]).toEqual([
    'bytes(deadbeef)',
    'double(NaN)',
    '-0.5',
    'null',
    '123.45',
    '-0.01',
    'decimal(999999999999999999.99)',
    '1000',
    '10485759',
    '1.5',
    '0.255',
    'bytes(0102)',
  ])
})

test('numbers are dates and times by the name of their schema only', () => {
  const time = 'io.debezium.time'
  const connect = 'org.apache.kafka.connect.data'
  expect([
    typed(logical(`${time}.Date`), 17702),
    typed(logical(`${connect}.Date`), -1),
    typed(logical(`${time}.Time`), 54796945),
    typed(logical(`${time}.MicroTime`), 54796945104),
    typed(logical(`${time}.MicroTime`), -3600000000),
    typed(logical(`${time}.NanoTime`), 54796945104007),
    typed(logical(`${connect}.Time`), 0),
    typed(logical(`${time}.Timestamp`), 1529507596945),
    typed(logical(`${time}.MicroTimestamp`), 1529507596945104),
    typed(logical(`${connect}.Timestamp`), 1529507596945),
    typed(logical(`${time}.MicroDuration`), 93784000000),
    typed(logical(`${time}.Year`), 2018),
    typed({ type: 'int64' }, 1529507596945104),
  ]).toEqual([
    'date(2018-06-20)',
    'date(1969-12-31)',
    'time(15:13:16.945)',
    'time(15:13:16.945104)',
    'time(-01:00:00)',
    'time(15:13:16.945104007)',
    'time(00:00:00)',
    'local_timestamp(2018-06-20T15:13:16.945)',
    'local_timestamp(2018-06-20T15:13:16.945104)',
    'local_timestamp(2018-06-20T15:13:16.945)',
    '93784000000',
    '2018',
    '1529507596945104',
  ])
})

test('texts are dates and times by the name of their schema', () => {
  const iso = (name: string, text: string) =>
    typed(logical(`io.debezium.time.${name}`, 'string'), text)
  expect([
    iso('ZonedTimestamp', '2018-06-20T15:13:16.945104+02:00'),
    iso('ZonedTimestamp', 'infinity'),
    iso('ZonedTimestamp', '-290308-12-21T19:59:27.6Z'),
    iso('ZonedTime', '15:13:16Z'),
    iso('IsoDate', '2018-06-20Z'),
    iso('IsoTime', '15:13:16.5Z'),
    iso('IsoTimestamp', '2018-06-20T15:13:16Z'),
    iso('IsoTimestamp', '+294247-01-10T04:00:25.2Z'),
    iso('Interval', 'P1Y2M'),
  ]).toEqual([
    'timestamp(2018-06-20T13:13:16.945104Z)',
    'timestamp(infinity)',
    'timestamp(-infinity)',
    "'15:13:16Z'",
    'date(2018-06-20)',
    'time(15:13:16.5)',
    'local_timestamp(2018-06-20T15:13:16)',
    'local_timestamp(infinity)',
    "'P1Y2M'",
  ])
})

test('JSON in text is an object or array; a scalar, or what is no strict JSON, stays text', () => {
  const json = logical('io.debezium.data.Json', 'string')
  expect([
    typed(json, '{"k": "v", "n": null}'),
    typed(json, ' [1.0]'),
    typed(json, 'null'),
    typed(json, '"a"'),
    typed(json, '{"k": 1, "k": 2}'),
    typed({ type: 'string' }, '{"k": 1}'),
  ]).toEqual([
    'json({"k":"v","n":null})',
    'json([1])',
    "'null'",
    `'"a"'`,
    `'{"k": 1, "k": 2}'`,
    `'{"k": 1}'`,
  ])
})

test('arrays, maps and objects have the types of their parts', () => {
  const day = logical('io.debezium.time.Date', 'int32')
  const fields = [
    { field: 'wkb', type: 'bytes' },
    { field: 'srid', type: 'int32' },
  ]
  expect([
    typed({ type: 'array', items: day }, [0, null, 1]),
    typed({ type: 'map', keys: { type: 'string' }, values: day }, { a: 0, b: null }),
    typed({ type: 'map', keys: { type: 'int32' }, values: day }, [[5, 0]]),
    typed({ type: 'struct', fields }, { wkb: 'AQE=', srid: 4326, more: 1 }),
  ]).toEqual([
    'json(["1970-01-01",null,"1970-01-02"])',
    'json({"a":"1970-01-01","b":null})',
    'json([[5,"1970-01-01"]])',
    'json({"more":1,"srid":4326,"wkb":"AQE="})',
  ])
})

test('a value that is not of its schema is refused, with its place', () => {
  const at = 'UNDECODABLE the value is not what its schema says:'
  const decimal = {
    ...logical('org.apache.kafka.connect.data.Decimal', 'bytes'),
    parameters: { scale: '2' },
  }
  expect([
    typed({ type: 'int64' }, 1.5),
    typed({ type: 'boolean' }, 'true'),
    typed({ type: 'string' }, 1),
    typed({ type: 'bytes' }, 'not base64'),
    typed({ type: 'double' }, 'one'),
    typed(decimal, ''),
    typed(logical('io.debezium.time.Date'), 2932897),
    typed({ type: 'array', items: { type: 'int32' } }, [1, 'x']),
    typed({ type: 'map', values: { type: 'int32' } }, [[1]]),
    typed({ type: 'struct', fields: [] }, 1),
  ]).toEqual([
    `${at} "v" is no integer: 1.5`,
    `${at} "v" is no boolean: "true"`,
    `${at} "v" is no text: 1`,
    `${at} "v" is no base64: "not base64"`,
    `${at} "v" is no double: "one"`,
    `${at} "v" is no Decimal: ""`,
    `${at} "v" is no date: 2932897`,
    `${at} "v"."1" is no integer: "x"`,
    `${at} "v"."0" is no entry of a map: [1]`,
    `${at} "v" is no object: 1`,
  ])
})

test('what a schema does not know stays as it is written', () => {
  expect([typed({ type: 'int128' }, 'x'), typed({}, 1)]).toEqual(["'x'", '1'])
})

test('only a wrapper is unwrapped: a table may have columns of these names', () => {
  const row = (value: unknown) => rows('connect-json', { value })
  const schema = { type: 'struct', fields: [{ field: 'd', type: 'int32' }] }
  expect([
    row({ schema, payload: { d: 1 } }),
    row({ payload: { d: 1 }, schema }),
    row({ schema: null, payload: { d: 1 } }),
    row({ schema: 'a', payload: 'p' }),
    row({ schema: { a: 1 }, payload: 'p' }),
    row({ id: 1, schema, payload: 'p' }),
    row({ payload: 'p' }),
  ]).toEqual([
    ['d=1'],
    ['d=1'],
    ['d=1'],
    ["schema='a' payload='p'"],
    [`schema=json({"a":1}) payload='p'`],
    [`id=1 schema=json(${canonical(schema)}) payload='p'`],
    ["payload='p'"],
  ])
})

test('a row without payload is a tombstone of its key, which may be wrapped or not', () => {
  const schema = { type: 'struct', fields: [{ field: 'd', type: 'bytes' }] }
  const none = { schema: null, payload: null }
  expect([
    rows('connect-json', { key: { id: 1 }, value: none }),
    rows('connect-json', { key: { schema, payload: { d: 'AQE=' } }, value: null }),
  ]).toEqual([['tombstone key id: id=1'], ['tombstone key d: d=bytes(0101)']])
})

test('a schema that was seen before is known again, and its changes are seen', () => {
  const codec = new ConnectJsonCodec()
  const read = (text: string) => {
    const message = messageOf({ value: text })
    const tree = codec.decode('value', Buffer.from(text), message)
    return isRefusal(tree) ? tree.message : canonicalText(tree.node)
  }
  const day =
    '{"schema":{"type":"struct","fields":[{"type":"int32","name":"io.debezium.time.Date","doc":"a\\"}","field":"d"}]}'
  const number = '{"schema":{"type":"struct","fields":[{"type":"int32","field":"d"}]}'
  expect([
    read(`${day},"payload":{"d":0}}`),
    read(`${number},"payload":{"d":0}}`),
    read(`${day},"payload":{"d":1}}`),
    read(`${day},"payload":null}`),
    read(`${day},"payload":{"d":2}} `),
    read(`${day},"payload":{"d":2},"x":1}`),
    read(`${day},"payload":{"d":}}`),
    read(`${day},"payload":{"d":"x"}}`),
    read(`${number},"payload":{"d":1}}`),
  ]).toEqual([
    '{"d":"1970-01-01"}',
    '{"d":0}',
    '{"d":"1970-01-02"}',
    'null',
    '{"d":"1970-01-03"}',
    canonical(JSON.parse(`${day},"payload":{"d":2},"x":1}`)),
    'the value is broken JSON: expected a value, at character 128',
    'the value is not what its schema says: "d" is no date: "x"',
    '{"d":1}',
  ])
})

function canonical(object: unknown): string {
  return JSON.stringify(sorted(object))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const)
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
