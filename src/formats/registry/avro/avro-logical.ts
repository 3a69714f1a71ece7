import { isJsonObject } from '../../../core/json.ts'
import type { JsonNode } from '../../../core/json.ts'
import {
  dateValue,
  decimalValue,
  localTimestampValue,
  timestampValue,
  timeValue,
} from '../scalars.ts'
import type { AvroBytes } from './avro-bytes.ts'

/** Reads a value of one type. */
export type Read = (bytes: AvroBytes) => JsonNode

/** The members of a schema that is an object. */
export type Attributes = ReadonlyMap<string, JsonNode>

/**
 * How to read what a logical type makes of its type; null where it makes nothing of it.
 *
 * As Avro demands, a logical type that is unknown, or does not go with its type, is as if it were not there.
 */
export function readerOfLogical(type: string, attributes: Attributes): Read | null {
  const logical = attributes.get('logicalType')
  if (typeof logical !== 'string') return null
  if (type === 'fixed') return readerOfFixed(logical, attributes)
  if (type === 'bytes' && logical === 'decimal') {
    const scale = countOf(attributes.get('scale') ?? 0)
    return scale === null ? null : (bytes) => decimalValue(bytes.bytes(), scale)
  }
  return SCALARS.get(`${type} ${logical}`) ?? null
}

/** A whole number from 0, as sizes and scales are; null where it is none. */
export function countOf(node: JsonNode | undefined): number | null {
  return typeof node === 'number' && Number.isSafeInteger(node) && node >= 0 ? node : null
}

/** The parameters that Kafka Connect gave a type; the scale of a decimal may stand beside them. */
export function connectParameters(attributes: Attributes): ReadonlyMap<string, JsonNode> {
  const given = attributes.get('connect.parameters') ?? null
  const parameters = isJsonObject(given) ? given : new Map<string, JsonNode>()
  const scale = countOf(attributes.get('scale'))
  if (parameters.has('scale') || scale === null) return parameters
  return new Map([...parameters, ['scale', String(scale)]])
}

function readerOfFixed(logical: string, attributes: Attributes): Read | null {
  const size = countOf(attributes.get('size'))
  const scale = countOf(attributes.get('scale') ?? 0)
  if (size === null) return null
  if (logical === 'decimal' && scale !== null && size > 0) {
    return (bytes) => decimalValue(bytes.fixed(size), scale)
  }
  if (logical === 'uuid' && size === 16) return (bytes) => uuidText(bytes.fixed(size))
  if (logical === 'duration' && size === 12) return (bytes) => durationText(bytes.fixed(size))
  return null
}

const SCALARS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['int date', (bytes) => dateValue(bytes.int())],
  ['int time-millis', (bytes) => timeValue(bytes.int(), 'ms')],
  ['long time-micros', (bytes) => timeValue(bytes.long(), 'us')],
  ['long timestamp-millis', (bytes) => timestampValue(bytes.long(), 'ms')],
  ['long timestamp-micros', (bytes) => timestampValue(bytes.long(), 'us')],
  ['long timestamp-nanos', (bytes) => timestampValue(bytes.long(), 'ns')],
  ['long local-timestamp-millis', (bytes) => localTimestampValue(bytes.long(), 'ms')],
  ['long local-timestamp-micros', (bytes) => localTimestampValue(bytes.long(), 'us')],
  ['long local-timestamp-nanos', (bytes) => localTimestampValue(bytes.long(), 'ns')],
])

function uuidText(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return [...groups, hex.slice(20)].join('-')
}

/** Months, days and milliseconds as ISO 8601 has them: `P14M3DT4.5S`. They do not add up to anything simpler. */
function durationText(bytes: Buffer): string {
  const [months, days, ms] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
  const seconds = String(ms / 1000)
  return `P${months}M${days}DT${seconds}S`
}
