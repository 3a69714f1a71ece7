import { dateText, dayNumber, twoDigits } from './calendar.ts'
import { BugError } from './errors.ts'
import { partsOf, stripTrailingZeros } from './number.ts'
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
 */
export function parseTimestamp(text: string): Tagged | null {
  const read = readTimestamp(text)
  return read === null ? null : stamp(read, 'timestamp')
}

/** The timestamp without zone that an ISO text denotes; null too if it has an offset. */
export function parseLocalTimestamp(text: string): Tagged | null {
  const read = readTimestamp(text)
  return read === null || read.hasOffset ? null : stamp(read, 'local_timestamp')
}

/** The date that `2026-01-02` denotes, or null. */
export function parseDate(text: string): Tagged | null {
  const match = DATE.exec(text)
  if (match === null || dayOf(match[1], match[2], match[3]) === null) return null
  return { type: 'date', text }
}

/** The time of day that `HH:MM[:SS[.fraction]]` denotes, or null. */
export function parseTime(text: string): Tagged | null {
  const match = TIME.exec(text)
  if (match === null) return null
  const seconds = secondsOf(match[1], match[2], match[3])
  if (seconds === null || seconds >= DAY) return null
  return { type: 'time', text: timeText(seconds) + fractionText(match[4] ?? '') }
}

/** The instant at this many units since 1970, exactly; null where that is no year from 0 to 9999. */
export function timestampFromEpoch(value: Numeric, unit: EpochUnit): Tagged | null {
  const { negative, digits, exponent } = partsOf(value)
  const point = exponent - UNIT_DIGITS[unit]
  if (point > MAX_SECOND_DIGITS || point < -MAX_FRACTION_ZEROS) return null

  const whole = point > 0 ? Number(digits.slice(0, point).padEnd(point, '0')) : 0
  const rest = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits
  if (!negative) return stamp({ seconds: EPOCH + whole, fraction: rest }, 'timestamp')
  if (rest === '') return stamp({ seconds: EPOCH - whole, fraction: '' }, 'timestamp')
  return stamp({ seconds: EPOCH - whole - 1, fraction: complementOf(rest) }, 'timestamp')
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
  if (value.type === 'date') return { type: 'timestamp', text: `${value.text}T00:00:00Z` }
  if (value.type === 'local_timestamp') return { type: 'timestamp', text: `${value.text}Z` }
  return value
}

const DAY = 86_400
/** Seconds from the start of year 0 to 1970. */
const EPOCH = 719_528 * DAY
/** Seconds from the start of year 0 to that of year 10000. */
const END = 3_652_425 * DAY

const UNIT_DIGITS = { s: 0, ms: 3, us: 6, ns: 9 } as const satisfies Record<EpochUnit, number>
const MAX_SECOND_DIGITS = 13
/** Numbers closer to zero than any clock are not written out. */
const MAX_FRACTION_ZEROS = 400

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
const TIME = /^([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?$/
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

/** Spells an instant; null where its year has not four digits. */
function stamp(
  { seconds, fraction }: Pick<Read, 'seconds' | 'fraction'>,
  type: 'timestamp' | 'local_timestamp',
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
