import { dateText, dayNumber, twoDigits } from './calendar.ts'
import { BugError } from './errors.ts'
import { numberText, partsOf, stripTrailingZeros } from './number.ts'
import type { Numeric } from './number.ts'
import type { Tagged } from './value.ts'

/** The unit of a number that counts from 1970-01-01T00:00:00Z. */
export type EpochUnit = 's' | 'ms' | 'us' | 'ns'

/**
 * The instant that an ISO text denotes, or null: a date and a time of day, with an offset or
 * else in UTC, or a bare date, which is its midnight.
 *
 * Takes `T`, `t` or a space between date and time, seconds and their fraction (`.` or `,`, any number of
 * digits, all kept) or none, and offsets `Z`, `±HH`, `±HH:MM`, `±HHMM`. Second 60 is the next second.
 * PostgreSQL's `infinity` and `-infinity` are after and before every other.
 */
export function parseTimestamp(text: string): Tagged | null {
  const read = readTimestamp(text)
  return read === null ? infinite(text, 'timestamp') : stamp(read, 'timestamp')
}

/** The timestamp without zone that an ISO text, or `infinity`, denotes; null too if it has an offset. */
export function parseLocalTimestamp(text: string): Tagged | null {
  const read = readTimestamp(text)
  if (read === null) return infinite(text, 'local_timestamp')
  return read.hasOffset ? null : stamp(read, 'local_timestamp')
}

/** The date that `2026-01-02`, or `infinity`, denotes, or null. */
export function parseDate(text: string): Tagged | null {
  const match = DATE.exec(text)
  if (match === null) return infinite(text, 'date')
  return dayOf(match[1], match[2], match[3]) === null ? null : { type: 'date', text }
}

/** The time of day, or MySQL's span of time, that `[-]HH[H]:MM[:SS[.fraction]]` denotes, or null. */
export function parseTime(text: string): Tagged | null {
  const match = TIME.exec(text)
  if (match === null) return null
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4] ?? '0')]
  if (minutes > 59 || seconds > 60) return null
  const whole = hours * 3600 + minutes * 60 + seconds
  return timeOf({ negative: match[1] !== '', seconds: whole, fraction: match[5] ?? '' })
}

/**
 * The instant at this many units since 1970, exactly; null where that is no year from 0 to 9999.
 * The numbers that Debezium gives for PostgreSQL's infinity are that.
 */
export function timestampFromEpoch(value: Numeric, unit: EpochUnit): Tagged | null {
  return stampFromEpoch(value, unit, 'timestamp')
}

/** The timestamp without zone that a clock without zone shows; see {@link timestampFromEpoch}. */
export function localTimestampFromEpoch(value: Numeric, unit: EpochUnit): Tagged | null {
  return stampFromEpoch(value, unit, 'local_timestamp')
}

/** The date this many days after 1970-01-01; null where that is no whole number, or no year from 0 to 9999. */
export function dateFromEpochDays(days: Numeric): Tagged | null {
  if (typeof days !== 'number' || !Number.isInteger(days)) return null
  const infinity = INFINITE_DAYS.get(days)
  if (infinity !== undefined) return { type: 'date', text: infinity }
  const day = days + EPOCH_DAY
  return day < 0 || day >= END_DAY ? null : { type: 'date', text: dateText(day) }
}

/** The time this many units after midnight, or before; null beyond 999 hours. */
export function timeFromMidnight(value: Numeric, unit: EpochUnit): Tagged | null {
  const read = secondsFrom(value, unit)
  return read === null ? null : timeOf(read)
}

/** Whether a date or timestamp is PostgreSQL's `infinity` or `-infinity`: it has no place on a time axis. */
export function isInfinite({ text }: Tagged): boolean {
  return text === 'infinity' || text === '-infinity'
}

/** The instant at this many microseconds since 1970, which lies in the years 0 to 9999. */
export function timestampFromMicros(micros: bigint): Tagged {
  const timestamp = timestampFromEpoch(micros, 'us')
  if (timestamp === null) throw new BugError(`no year has the microsecond ${micros}`)
  return timestamp
}

/** Microseconds since 1970 of a timestamp or date, UTC where it has no zone; finer digits are cut off, towards the past. */
export function microsOf(timestamp: Tagged): bigint {
  const read = readTimestamp(timestamp.text)
  if (read === null) throw new BugError(`no timestamp: ${timestamp.text}`)
  const fraction = read.fraction.slice(0, 6).padEnd(6, '0')
  return BigInt(read.seconds - EPOCH) * 1_000_000n + BigInt(fraction)
}

/** A timestamp without zone, or the midnight of a date, taken as UTC; an instant is itself. */
export function asInstant(value: Tagged): Tagged {
  if (isInfinite(value)) return { type: 'timestamp', text: value.text }
  if (value.type === 'date') return { type: 'timestamp', text: `${value.text}T00:00:00Z` }
  if (value.type === 'local_timestamp') return { type: 'timestamp', text: `${value.text}Z` }
  return value
}

const DAY = 86_400
/** Days, and seconds, from the start of year 0 to 1970. */
const EPOCH_DAY = 719_528
const EPOCH = EPOCH_DAY * DAY
/** Days, and seconds, from the start of year 0 to that of year 10000. */
const END_DAY = 3_652_425
const END = END_DAY * DAY
/** Spans of time have at most three digits of hours. */
const END_OF_TIME = 1000 * 3600

/** The numbers that Debezium gives for PostgreSQL's infinity, by unit: some are cut off, some grew too large. */
const INFINITE: Readonly<Record<EpochUnit, ReadonlyMap<string, string>>> = {
  s: infinitiesOf(['9223372036825', '9223372036825.2'], ['-9223372036832', '-9223372036832.4']),
  ms: infinitiesOf(
    ['9223372036825200', '9223372036825200000'],
    ['-9223372036832400', '-9223372036832400000'],
  ),
  us: infinitiesOf(['9223372036825200000'], ['-9223372036832400000']),
  // As nanoseconds these would lie in 1677 and 2262.
  ns: infinitiesOf(
    ['9223372036825200000', '9223372036854775807'],
    ['-9223372036832400000', '-9223372036854775808'],
  ),
}
/** Smaller than all of them. */
const SURELY_FINITE = 9e12

/**
 * The days that Debezium gives for PostgreSQL's infinity: the ends of a calendar, or what was left of
 * larger numbers when they were cut to 32 bits. 3.6 has the second pair in snapshots and arrays, and the
 * third in streamed rows, where even the signs are lost.
 */
const INFINITE_DAYS: ReadonlyMap<number, string> = new Map([
  [2_146_033_979, 'infinity'],
  [-2_146_033_979, '-infinity'],
  [-622_191_234, 'infinity'],
  [-625_821_272, '-infinity'],
  [-2_147_472_692, 'infinity'],
  [-2_147_472_691, '-infinity'],
])

const UNIT_DIGITS = { s: 0, ms: 3, us: 6, ns: 9 } as const satisfies Record<EpochUnit, number>
const MAX_SECOND_DIGITS = 13
/** Numbers closer to zero than any clock are not written out. */
const MAX_FRACTION_ZEROS = 400

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
const TIME = /^(-?)([0-9]{2,3}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?$/
const TIMESTAMP =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?( ?(?:[Zz]|([+-])([0-9]{2})(?::?([0-9]{2}))?))?)?$/

/** A timestamp as written: UTC seconds since the start of year 0, and the digits after the point. */
type Read = { readonly seconds: number; readonly fraction: string; readonly hasOffset: boolean }

function readTimestamp(text: string): Read | null {
  const match = TIMESTAMP.exec(text)
  if (match === null) return null
  const [, year, month, dayOfMonth, hour, minute, second, fraction, zone, sign] = match
  const day = dayOf(year, month, dayOfMonth)
  const time = hour === undefined ? 0 : secondsOf(hour, minute, second)
  const offset = secondsOf(match[10] ?? '0', match[11] ?? '0', '0')
  if (day === null || time === null || offset === null) return null

  return {
    seconds: day * DAY + time - (sign === '-' ? -offset : offset),
    fraction: fraction ?? '',
    hasOffset: zone !== undefined,
  }
}

type Digits = string | undefined

function dayOf(year: Digits, month: Digits, day: Digits): number | null {
  return dayNumber(Number(year), Number(month), Number(day))
}

/** Seconds since midnight; second 60 is the next second, even if that is on the next day. */
function secondsOf(hour: Digits, minute: Digits, second: Digits = '0'): number | null {
  const [h, m, s] = [Number(hour), Number(minute), Number(second)]
  return h > 23 || m > 59 || s > 60 ? null : h * 3600 + m * 60 + s
}

/** A number of units as seconds and the digits after the point; null where nothing is so long. */
function secondsFrom(value: Numeric, unit: EpochUnit): Span | null {
  const { negative, digits, exponent } = partsOf(value)
  const point = exponent - UNIT_DIGITS[unit]
  if (point > MAX_SECOND_DIGITS || point < -MAX_FRACTION_ZEROS) return null
  return {
    negative,
    seconds: point > 0 ? Number(digits.slice(0, point).padEnd(point, '0')) : 0,
    fraction: point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits,
  }
}

type Span = {
  readonly negative: boolean
  readonly seconds: number
  readonly fraction: string
}

type Stamp = 'timestamp' | 'local_timestamp'

function stampFromEpoch(value: Numeric, unit: EpochUnit, type: Stamp): Tagged | null {
  if (typeof value !== 'number' || Math.abs(value) > SURELY_FINITE) {
    const infinity = INFINITE[unit].get(numberText(value))
    if (infinity !== undefined) return { type, text: infinity }
  }
  const read = secondsFrom(value, unit)
  if (read === null) return null

  const { negative, seconds, fraction } = read
  if (!negative) return stamp({ seconds: EPOCH + seconds, fraction }, type)
  if (fraction === '') return stamp({ seconds: EPOCH - seconds, fraction }, type)
  return stamp({ seconds: EPOCH - seconds - 1, fraction: complementOf(fraction) }, type)
}

function infinite(text: string, type: Stamp | 'date'): Tagged | null {
  if (text.length > 9) return null
  const lower = text.toLowerCase()
  return lower === 'infinity' || lower === '-infinity' ? { type, text: lower } : null
}

function infinitiesOf(late: readonly string[], early: readonly string[]): Map<string, string> {
  return new Map([
    ...late.map((number): [string, string] => [number, 'infinity']),
    ...early.map((number): [string, string] => [number, '-infinity']),
  ])
}

/** Spells a span of time. */
function timeOf({ negative, seconds, fraction }: Span): Tagged | null {
  if (seconds >= END_OF_TIME) return null
  const text = timeText(seconds) + fractionText(fraction)
  return { type: 'time', text: negative && /[1-9]/.test(text) ? `-${text}` : text }
}

/** Spells an instant; null where its year has not four digits. */
function stamp(
  { seconds, fraction }: Pick<Read, 'seconds' | 'fraction'>,
  type: Stamp,
): Tagged | null {
  if (seconds < 0 || seconds >= END) return null
  const day = Math.floor(seconds / DAY)
  const text = `${dateText(day)}T${timeText(seconds - day * DAY)}${fractionText(fraction)}`
  return { type, text: type === 'timestamp' ? `${text}Z` : text }
}

function timeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return `${twoDigits(hours)}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`
}

function fractionText(digits: string): string {
  const significant = stripTrailingZeros(digits)
  return significant === '' ? '' : `.${significant}`
}

/** What is missing to the next whole: `25` → `75`. The last digit is not zero. */
function complementOf(digits: string): string {
  let out = ''
  for (let i = 0; i < digits.length - 1; i += 1) out += String(9 - Number(digits[i]))
  return out + String(10 - Number(digits.at(-1)))
}
