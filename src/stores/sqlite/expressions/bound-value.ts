import { numberFrom, numberFromDouble } from '../../../core/number.ts'
import type { Tagged, Value } from '../../../core/value.ts'

/** What the driver binds: integers only as `bigint`, since it binds every `number` as REAL. */
export type BoundValue = null | number | bigint | string | Buffer

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

/**
 * A value as an expression sees it: booleans as 1 and 0; a number as INTEGER or REAL if that is
 * exactly the same number, else its digits as text; bytes as BLOB; dates, timestamps and JSON
 * as their text.
 */
export function boundValue(value: Value): BoundValue {
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
      return value ? 1n : 0n
    case 'number':
      return Number.isSafeInteger(value) ? BigInt(value) : value
    case 'bigint':
      return boundInteger(value)
    default:
      return value === null ? null : boundTagged(value)
  }
}

/**
 * The value of an expression's result, integers having been read as `bigint` ("safe integers").
 * There are no booleans, dates or nested values among them: SQLite does not tell them apart.
 */
export function valueOfResult(result: unknown): Value {
  if (result === null || typeof result === 'string') return result
  if (typeof result === 'number') return numberFromDouble(result)
  if (typeof result === 'bigint') {
    const short = Number(result)
    return Number.isSafeInteger(short) ? short : result
  }
  if (Buffer.isBuffer(result)) return { type: 'bytes', text: result.toString('hex') }
  throw new TypeError(`no SQLite value: ${typeof result}`)
}

function boundInteger(value: bigint): BoundValue {
  if (value >= MIN_INT64 && value <= MAX_INT64) return value
  const double = Number(value)
  return numberFrom(String(double)) === value ? double : value.toString()
}

function boundTagged({ type, text }: Tagged): BoundValue {
  return type === 'bytes' ? Buffer.from(text, 'hex') : text
}
