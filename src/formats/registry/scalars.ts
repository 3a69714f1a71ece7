import { isUtf8 } from 'node:buffer'
import { numberFrom, numberFromDouble } from '../../core/number.ts'
import {
  dateFromEpochDays,
  localTimestampFromEpoch,
  timeFromMidnight,
  timestampFromEpoch,
} from '../../core/temporal.ts'
import type { EpochUnit } from '../../core/temporal.ts'
import type { Tagged, Value } from '../../core/value.ts'
import { malformed } from './malformed.ts'

/** A whole number as decoders read it. */
export type Whole = number | bigint

/** A whole number in its one representation. */
export function whole(n: bigint): Whole {
  return n >= MIN_SAFE && n <= MAX_SAFE ? Number(n) : n
}

/** Text that has to be UTF-8. What is not shows by U+FFFD, so that only text with that is looked at twice. */
export function utf8Text(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (text.includes('\ufffd') && !isUtf8(bytes)) malformed('a string has invalid UTF-8')
  return text
}

/** Bytes as a value. */
export function bytesValue(bytes: Buffer): Tagged {
  return { type: 'bytes', text: bytes.toString('hex') }
}

/** The value of a float of 32 bits: the shortest number that rounds to it, as Java prints it (`0.1`, not 0.10000000149…). */
export function valueOfFloat(n: number): Value {
  if (!Number.isFinite(n)) return numberFromDouble(n)
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(n.toPrecision(digits))
    if (Math.fround(short) === n) return numberFromDouble(short)
  }
  return numberFromDouble(Number(n.toPrecision(9)))
}

/** The decimal whose digits are a big-endian two's complement, `scale` of them after the point. */
export function decimalValue(bytes: Buffer, scale: number): Value {
  if (bytes.length === 0) malformed('a decimal has no bytes')
  if (bytes.length > MAX_DECIMAL_BYTES) malformed(`a decimal has ${bytes.length} bytes`)
  const unsigned = BigInt(`0x${bytes.toString('hex')}`)
  const isNegative = bytes.readInt8(0) < 0
  const unscaled = isNegative ? unsigned - (1n << BigInt(8 * bytes.length)) : unsigned
  return numberFrom(`${unscaled}e${-scale}`) ?? malformed(`a decimal has scale ${scale}`)
}

/** The date this many days after 1970-01-01. */
export function dateValue(days: number): Value {
  return dateFromEpochDays(days) ?? malformed(`${days} days since 1970 are no date`)
}

/** The time this many units after midnight. */
export function timeValue(n: Whole, unit: EpochUnit): Value {
  return timeFromMidnight(n, unit) ?? malformed(`${n} ${unit} since midnight are no time`)
}

/** The instant this many units after 1970. */
export function timestampValue(n: Whole, unit: EpochUnit): Value {
  return timestampFromEpoch(n, unit) ?? malformed(`${n} ${unit} since 1970 are no timestamp`)
}

/** The same without a zone. */
export function localTimestampValue(n: Whole, unit: EpochUnit): Value {
  return localTimestampFromEpoch(n, unit) ?? malformed(`${n} ${unit} since 1970 are no timestamp`)
}

const MIN_SAFE = BigInt(Number.MIN_SAFE_INTEGER)
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)

/** Far beyond what any database keeps; the time to spell digits grows faster than their number. */
const MAX_DECIMAL_BYTES = 16_384
