import type { SchemaElement } from 'hyparquet'
import { isUtf8 } from 'node:buffer'
import { dateText } from '../core/calendar.ts'
import { jsonValue, parseExactJson } from '../core/json.ts'
import { numberFrom, numberFromDouble } from '../core/number.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import {
  parseDate,
  parseLocalTimestamp,
  parseTime,
  timestampFromEpoch,
  type EpochUnit,
} from '../core/temporal.ts'
import type { Value } from '../core/value.ts'

/** Reads what a leaf column physically holds: a boolean, number, bigint or bytes, never null. */
export type ReadLeaf = (raw: unknown) => Value | Refusal

/**
 * How the values of a leaf column are read, exactly: integers and decimals with all digits,
 * timestamps as instants where the file says that they are adjusted to UTC, else without zone;
 * INT96 are instants. Bytes without a meaning are bytes.
 */
export function leafReader(element: SchemaElement): ReadLeaf {
  switch (element.type) {
    case 'BOOLEAN':
      return (raw) => (typeof raw === 'boolean' ? raw : mismatch(element))
    case 'INT32':
    case 'INT64':
      return integers(element)
    case 'INT96':
      return (raw) => timestamp(bigintOf(raw), 'ns', true)
    case 'FLOAT':
    case 'DOUBLE':
      return (raw) => (typeof raw === 'number' ? numberFromDouble(raw) : mismatch(element))
    case 'BYTE_ARRAY':
    case 'FIXED_LEN_BYTE_ARRAY':
    default: {
      const read = bytesReader(element)
      return (raw) => (raw instanceof Uint8Array ? read(raw) : mismatch(element))
    }
  }
}

function integers(element: SchemaElement): ReadLeaf {
  const { logical_type: logical, converted_type: converted, scale = 0 } = element
  const digits = logical?.type === 'DECIMAL' ? logical.scale : scale
  const isUnsigned = logical?.type === 'INTEGER' && !logical.isSigned
  const bits = element.type === 'INT32' ? 32 : 64

  if (logical?.type === 'DECIMAL' || converted === 'DECIMAL') {
    return (raw) => decimal(bigintOf(raw), digits)
  }
  if (logical?.type === 'DATE' || converted === 'DATE') return (raw) => date(bigintOf(raw))
  if (logical?.type === 'TIME') {
    const unit = UNITS[logical.unit]
    return (raw) => time(bigintOf(raw), unit)
  }
  if (logical?.type === 'TIMESTAMP') {
    const unit = UNITS[logical.unit]
    const { isAdjustedToUTC } = logical
    return (raw) => timestamp(bigintOf(raw), unit, isAdjustedToUTC)
  }
  const old = converted === undefined ? undefined : OLD_TIMES.get(converted)
  if (old !== undefined) return (raw) => old(bigintOf(raw))
  if (isUnsigned || converted?.startsWith('UINT_') === true) {
    return (raw) => integer(BigInt.asUintN(bits, bigintOf(raw)))
  }
  return (raw) => (typeof raw === 'number' ? raw : integer(bigintOf(raw)))
}

const UNITS = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const

/** Annotations of older files, which are always adjusted to UTC. */
const OLD_TIMES: ReadonlyMap<string, (n: bigint) => Value | Refusal> = new Map([
  ['TIME_MILLIS', (n: bigint) => time(n, 'ms')],
  ['TIME_MICROS', (n: bigint) => time(n, 'us')],
  ['TIMESTAMP_MILLIS', (n: bigint) => timestamp(n, 'ms', true)],
  ['TIMESTAMP_MICROS', (n: bigint) => timestamp(n, 'us', true)],
])

function bytesReader(element: SchemaElement): (bytes: Uint8Array) => Value | Refusal {
  const { logical_type: logical, converted_type: converted, scale = 0, type_length } = element
  const kind = logical?.type ?? converted
  switch (kind) {
    case 'STRING':
    case 'ENUM':
    case 'UTF8':
      return text
    case 'JSON':
      return json
    case 'DECIMAL': {
      const digits = logical?.type === 'DECIMAL' ? logical.scale : scale
      return (bytes) => decimal(signed(bytes), digits)
    }
    case 'UUID':
      return uuid
    case 'FLOAT16':
      return (bytes) => numberFromDouble(halfFloat(bytes))
    case 'INTERVAL':
      return type_length === 12 ? interval : hex
    default:
      return hex
  }
}

function mismatch({ name, type }: SchemaElement): Refusal {
  return refuse('UNDECODABLE', `column ${JSON.stringify(name)} holds what is no ${type ?? ''}`)
}

/** What a page of integers holds; anything else there would be a fault of the library. */
function bigintOf(raw: unknown): bigint {
  return typeof raw === 'bigint' ? raw : BigInt(Number(raw))
}

function integer(n: bigint): Value {
  const number = Number(n)
  return Number.isSafeInteger(number) ? number : n
}

function decimal(unscaled: bigint, scale: number): Value | Refusal {
  return numberFrom(`${unscaled}e${-scale}`) ?? refuse('UNDECODABLE', 'a decimal has no digits')
}

/** Two's complement, the highest byte first. */
function signed(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}

/** Days from the start of year 0 to 1970, and to year 10000. */
const EPOCH_DAY = 719_528n
const END_DAY = 3_652_425n

function date(days: bigint): Value | Refusal {
  const day = days + EPOCH_DAY
  const isYear = day >= 0n && day < END_DAY
  return (isYear ? parseDate(dateText(Number(day))) : null) ?? outside('date', days)
}

function time(count: bigint, unit: EpochUnit): Value | Refusal {
  const instant = timestampFromEpoch(count, unit)
  const isOfOneDay = instant?.text.startsWith('1970-01-01T') === true
  const clock = isOfOneDay ? instant.text.slice('1970-01-01T'.length, -1) : ''
  return parseTime(clock) ?? outside('time', count)
}

function timestamp(count: bigint, unit: EpochUnit, isInstant: boolean): Value | Refusal {
  const instant = timestampFromEpoch(count, unit)
  if (instant === null || isInstant) return instant ?? outside('timestamp', count)
  return parseLocalTimestamp(instant.text.slice(0, -1)) ?? outside('timestamp', count)
}

function outside(what: string, count: bigint): Refusal {
  return refuse('UNDECODABLE', `a ${what} of ${count} is outside of what ${what}s can say`)
}

function text(bytes: Uint8Array): Value | Refusal {
  if (!isUtf8(bytes)) return refuse('UNDECODABLE', 'a text is invalid UTF-8')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function json(bytes: Uint8Array): Value | Refusal {
  const read = text(bytes)
  if (typeof read !== 'string') return read
  const parsed = parseExactJson(read)
  if ('node' in parsed) return jsonValue(parsed.node)
  return refuse('UNDECODABLE', `broken JSON at ${parsed.at}: ${parsed.error}`)
}

function hex(bytes: Uint8Array): Value {
  return { type: 'bytes', text: Buffer.from(bytes).toString('hex') }
}

function uuid(bytes: Uint8Array): Value {
  const digits = Buffer.from(bytes).toString('hex')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function halfFloat(bytes: Uint8Array): number {
  const bits = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8)
  const sign = bits >> 15 === 0 ? 1 : -1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024)
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024)
}

function interval(bytes: Uint8Array): Value {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const names = ['months', 'days', 'milliseconds']
  return jsonValue(new Map(names.map((name, i) => [name, view.getUint32(i * 4, true)])))
}
