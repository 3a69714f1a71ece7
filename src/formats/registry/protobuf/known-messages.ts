import { isJsonArray, isJsonObject } from '../../../core/json.ts'
import type { JsonNode } from '../../../core/json.ts'
import { numberFrom, numberText } from '../../../core/number.ts'
import { parseDate, parseTime } from '../../../core/temporal.ts'
import { isTagged } from '../../../core/value.ts'
import type { Value } from '../../../core/value.ts'
import { decimalValue, timestampValue } from '../scalars.ts'

type Message = ReadonlyMap<string, JsonNode>

/** What a message stands for, given its fields; the message itself where they make no such value. */
export type KnownMessage = (fields: Message) => JsonNode

/** Messages with a meaning of their own, by full name. */
export const KNOWN_MESSAGES: ReadonlyMap<string, KnownMessage> = new Map<string, KnownMessage>([
  ['google.protobuf.Timestamp', timestampOf],
  ['google.protobuf.Duration', durationOf],
  ['google.protobuf.Struct', (fields) => fields.get('fields') ?? null],
  ['google.protobuf.ListValue', (fields) => fields.get('values') ?? null],
  ['google.protobuf.Value', valueOf],
  ['google.type.Date', (fields) => dateOf(fields) ?? fields],
  ['google.type.TimeOfDay', (fields) => timeOf(fields) ?? fields],
  ['google.type.Decimal', googleDecimalOf],
  ['confluent.type.Decimal', confluentDecimalOf],
  ...['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map(
    (type): [string, KnownMessage] => [
      `google.protobuf.${type}Value`,
      (fields) => fields.get('value') ?? null,
    ],
  ),
])

function timestampOf(fields: Message): JsonNode {
  const nanos = nanosIn(fields)
  return nanos === null ? fields : timestampValue(nanos, 'ns')
}

/** As Protobuf's JSON has it: seconds with a fraction, then `s`. */
function durationOf(fields: Message): JsonNode {
  const nanos = nanosIn(fields)
  const seconds = nanos === null ? null : numberFrom(`${nanos}e-9`)
  return seconds === null ? fields : `${numberText(seconds)}s`
}

/** Of the members of a `Value` at most one is there; a null that is there is null too. */
function valueOf(fields: Message): JsonNode {
  for (const [name, value] of fields) {
    if (value !== null && !NULLS.has(name)) return value
  }
  return null
}

/** As Google's file and as protobufjs's own have it. */
const NULLS: ReadonlySet<string> = new Set(['null_value', 'nullValue'])

function dateOf(fields: Message): JsonNode {
  const [year, month, day] = ['year', 'month', 'day'].map((name) => digitsIn(fields, name))
  if (year === undefined || month === undefined || day === undefined) return null
  return parseDate(`${year.padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
}

function timeOf(fields: Message): JsonNode {
  const parts = ['hours', 'minutes', 'seconds'].map((name) => digitsIn(fields, name))
  const nanos = digitsIn(fields, 'nanos')
  return parseTime(
    `${parts.map((part) => part?.padStart(2, '0')).join(':')}.${nanos?.padStart(9, '0')}`,
  )
}

/** An empty text is zero, as its documentation says. */
function googleDecimalOf(fields: Message): JsonNode {
  const text = fields.get('value')
  if (typeof text !== 'string') return fields
  return text === '' ? 0 : (numberFrom(text) ?? fields)
}

function confluentDecimalOf(fields: Message): JsonNode {
  const [value, scale] = [fields.get('value') ?? null, fields.get('scale') ?? 0]
  if (typeof scale !== 'number' || !isLeaf(value) || !isTagged(value)) return fields
  return value.text === '' ? 0 : decimalValue(Buffer.from(value.text, 'hex'), scale)
}

function isLeaf(node: JsonNode): node is Value {
  return !isJsonObject(node) && !isJsonArray(node)
}

function nanosIn(fields: Message): bigint | null {
  const [seconds, nanos] = [wholeIn(fields, 'seconds'), wholeIn(fields, 'nanos')]
  return seconds === null || nanos === null ? null : seconds * 1_000_000_000n + nanos
}

function wholeIn(fields: Message, name: string): bigint | null {
  const value = fields.get(name) ?? 0
  return typeof value === 'number' || typeof value === 'bigint' ? BigInt(value) : null
}

function digitsIn(fields: Message, name: string): string | undefined {
  const value = fields.get(name) ?? 0
  return typeof value === 'number' && value >= 0 ? String(value) : undefined
}
