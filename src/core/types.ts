import { hexOfBase64 } from './bytes.ts'
import { plainText } from './display.ts'
import { jsonValue, parseExactJson } from './json.ts'
import { isNumeric, numberFrom, numberFromDouble, numberText, partsOf } from './number.ts'
import type { Numeric } from './number.ts'
import type { ScalarType } from './sequence.ts'
import {
  asInstant,
  dateFromEpochDays,
  localTimestampFromEpoch,
  parseDate,
  parseLocalTimestamp,
  parseTime,
  parseTimestamp,
  timestampFromEpoch,
} from './temporal.ts'
import type { EpochUnit } from './temporal.ts'
import { isTagged } from './value.ts'
import type { Tagged, TaggedType, Value } from './value.ts'

/**
 * A type that a flow declares for a column or a sequence.
 *
 * `integer` has 64 bits, `number` is exact and of any size, `double` rounds; `bytes` is base64 text, `hex`
 * the same from hex digits; `timestamp` is an instant, `local_timestamp` has no zone; `epoch_*` are numbers
 * that count from 1970 and become timestamps, `local_epoch_*` such without zone, `epoch_days` dates;
 * `json` is text that holds JSON.
 */
export type DeclaredType =
  | 'boolean'
  | 'integer'
  | 'number'
  | 'double'
  | 'text'
  | 'bytes'
  | 'hex'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'local_timestamp'
  | 'epoch_s'
  | 'epoch_ms'
  | 'epoch_us'
  | 'epoch_ns'
  | 'local_epoch_s'
  | 'local_epoch_ms'
  | 'local_epoch_us'
  | 'local_epoch_ns'
  | 'epoch_days'
  | 'json'

/** The other names that types go by. */
export const TYPE_ALIASES: Readonly<Record<string, DeclaredType>> = {
  bool: 'boolean',
  int: 'integer',
  bigint: 'integer',
  smallint: 'integer',
  long: 'integer',
  decimal: 'number',
  numeric: 'number',
  float: 'double',
  real: 'double',
  'double precision': 'double',
  string: 'text',
  varchar: 'text',
  char: 'text',
  binary: 'bytes',
  blob: 'bytes',
  base64: 'bytes',
  datetime: 'local_timestamp',
  timestamp_ntz: 'local_timestamp',
  timestamptz: 'timestamp',
  timestamp_ltz: 'timestamp',
  object: 'json',
  array: 'json',
  jsonb: 'json',
}

/** What {@link convert} gives for a value that is not of the type; null would be a value. */
export const NOT_CONVERTIBLE: unique symbol = Symbol('not convertible')

/** The type of this name or alias, in any case; null if there is none. */
export function parseDeclaredType(text: string): DeclaredType | null {
  const name = text.toLowerCase()
  if (isDeclaredType(name)) return name
  return Object.hasOwn(TYPE_ALIASES, name) ? (TYPE_ALIASES[name] ?? null) : null
}

/**
 * A value as one of a declared type, or {@link NOT_CONVERTIBLE}. Null stays null.
 *
 * Text is read as the type spells it, without trimming. Nothing is lost but by `double`, which rounds.
 */
export function convert(value: Value, type: DeclaredType): Value | typeof NOT_CONVERTIBLE {
  if (value === null) return null
  if (type === 'json') return toJson(value)
  return CONVERSIONS[type](value) ?? NOT_CONVERTIBLE
}

/** What a declared type is as a sequence; null where its values have no order. */
export function scalarTypeOfDeclared(type: DeclaredType): ScalarType | null {
  switch (type) {
    case 'integer':
    case 'number':
    case 'double':
      return 'number'
    case 'text':
    case 'bytes':
      return type
    case 'hex':
      return 'bytes'
    case 'date':
    case 'timestamp':
    case 'local_timestamp':
    case 'epoch_s':
    case 'epoch_ms':
    case 'epoch_us':
    case 'epoch_ns':
    case 'local_epoch_s':
    case 'local_epoch_ms':
    case 'local_epoch_us':
    case 'local_epoch_ns':
    case 'epoch_days':
      return 'timestamp'
    case 'boolean':
    case 'time':
    case 'json':
      return null
  }
}

type Present = Exclude<Value, null>

/** Conversions of what is not null; null stands for not convertible. */
const CONVERSIONS = {
  boolean: toBoolean,
  integer: toInteger,
  number: toNumber,
  double: toDouble,
  text: plainText,
  bytes: (value) => toBytes(value, hexOfBase64),
  hex: (value) => toBytes(value, hexOfHex),
  date: (value) => (isTagged(value) && value.type === 'date' ? value : fromText(value, parseDate)),
  time: (value) => (isTagged(value) && value.type === 'time' ? value : fromText(value, parseTime)),
  timestamp: toTimestamp,
  local_timestamp: toLocalTimestamp,
  epoch_s: (value) => fromEpoch(value, 's'),
  epoch_ms: (value) => fromEpoch(value, 'ms'),
  epoch_us: (value) => fromEpoch(value, 'us'),
  epoch_ns: (value) => fromEpoch(value, 'ns'),
  local_epoch_s: (value) => fromLocalEpoch(value, 's'),
  local_epoch_ms: (value) => fromLocalEpoch(value, 'ms'),
  local_epoch_us: (value) => fromLocalEpoch(value, 'us'),
  local_epoch_ns: (value) => fromLocalEpoch(value, 'ns'),
  epoch_days: fromEpochDays,
} as const satisfies Record<Exclude<DeclaredType, 'json'>, (value: Present) => Value>

function isDeclaredType(name: string): name is DeclaredType {
  return name === 'json' || Object.hasOwn(CONVERSIONS, name)
}

const BOOLEANS: ReadonlyMap<Value, boolean> = new Map<Value, boolean>([
  [1, true],
  ['1', true],
  ['t', true],
  ['true', true],
  [0, false],
  ['0', false],
  ['f', false],
  ['false', false],
])

function toBoolean(value: Present): Value {
  if (typeof value === 'boolean') return value
  return BOOLEANS.get(typeof value === 'string' ? value.toLowerCase() : value) ?? null
}

function toInteger(value: Present): Value {
  const number = finiteOf(value)
  if (typeof number === 'bigint') return number >= INT64_MIN && number <= INT64_MAX ? number : null
  return typeof number === 'number' && Number.isInteger(number) ? number : null
}

const INT64_MAX = 0x7fffffffffffffffn
const INT64_MIN = -0x8000000000000000n

/** Whether a value that is no `integer` is only too large for one. */
export function isBeyondInteger(value: Value): boolean {
  const number = value === null ? null : finiteOf(value)
  if (number === null || typeof number === 'number') return false
  const { digits, exponent } = partsOf(number)
  return exponent >= digits.length
}

/** `NaN` and the infinities that a feed has as numbers are numbers; as text they are only doubles. */
function toNumber(value: Present): Value {
  return isDouble(value) ? value : finiteOf(value)
}

function toDouble(value: Present): Value {
  if (isDouble(value)) return value
  const special = typeof value === 'string' ? DOUBLES.get(value.toLowerCase()) : undefined
  if (special !== undefined) return numberFromDouble(special)

  const number = finiteOf(value)
  if (number === null) return null
  const rounded = Number(numberText(number))
  return Number.isFinite(rounded) ? numberFromDouble(rounded) : null
}

const DOUBLES: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ['infinity', Infinity],
  ['+infinity', Infinity],
  ['-infinity', -Infinity],
  ['inf', Infinity],
  ['+inf', Infinity],
  ['-inf', -Infinity],
])

function toBytes(value: Present, hexOf: (text: string) => string | null): Value {
  if (isTagged(value)) return value.type === 'bytes' ? value : null
  const hex = typeof value === 'string' ? hexOf(value) : null
  return hex === null ? null : { type: 'bytes', text: hex }
}

/** Hex digits in lower case; PostgreSQL's `\x` may stand before them. */
function hexOfHex(text: string): string | null {
  const digits = text.startsWith('\\x') ? text.slice(2) : text
  return /^(?:[0-9a-fA-F]{2})*$/.test(digits) ? digits.toLowerCase() : null
}

function toTimestamp(value: Present): Value {
  return isMoment(value) ? asInstant(value) : fromText(value, parseTimestamp)
}

function toLocalTimestamp(value: Present): Value {
  if (!isMoment(value)) return fromText(value, parseLocalTimestamp)
  return value.type === 'timestamp' ? null : parseLocalTimestamp(value.text)
}

function fromEpoch(value: Present, unit: EpochUnit): Value {
  if (isTagged(value) && value.type === 'timestamp') return value
  const number = finiteOf(value)
  return number === null ? null : timestampFromEpoch(number, unit)
}

function fromLocalEpoch(value: Present, unit: EpochUnit): Value {
  if (isTagged(value) && value.type === 'local_timestamp') return value
  const number = finiteOf(value)
  return number === null ? null : localTimestampFromEpoch(number, unit)
}

function fromEpochDays(value: Present): Value {
  if (isTagged(value) && value.type === 'date') return value
  const number = finiteOf(value)
  return number === null ? null : dateFromEpochDays(number)
}

function toJson(value: Present): Value | typeof NOT_CONVERTIBLE {
  if (typeof value === 'string') {
    const result = parseExactJson(value)
    return 'error' in result ? NOT_CONVERTIBLE : jsonValue(result.node)
  }
  const isJson = !isTagged(value) || value.type === 'json' || value.type === 'decimal'
  return isJson ? value : NOT_CONVERTIBLE
}

/** A finite number, given as such or as the text of its digits. */
function finiteOf(value: Present): Numeric | null {
  const number = typeof value === 'string' ? numberFrom(value) : value
  return isNumeric(number) ? number : null
}

function fromText(value: Present, parse: (text: string) => Tagged | null): Tagged | null {
  return typeof value === 'string' ? parse(value) : null
}

function isDouble(value: Present): boolean {
  return isTagged(value) && value.type === 'double'
}

function isMoment(value: Present): value is Tagged {
  return isTagged(value) && MOMENTS.has(value.type)
}

const MOMENTS: ReadonlySet<TaggedType> = new Set(['timestamp', 'local_timestamp', 'date'])
