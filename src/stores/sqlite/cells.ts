import { BugError } from '../../core/errors.ts'
import { numberFrom, numberFromDouble, numberText } from '../../core/number.ts'
import { isTagged, type Tagged, type TaggedType, type Value } from '../../core/value.ts'
import type { SqlValue } from './connection.ts'

/**
 * What a column holds, learnt from its first value that is not null. A cell of another kind
 * carries a tag (tags.ts), so that values which SQLite alone could not tell apart stay apart.
 */
export type CellKind = 'number' | 'text' | 'boolean' | Exclude<TaggedType, 'decimal'>

/** The kind of a value that is not null. */
export function kindOf(value: Exclude<Value, null>): CellKind {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number' || typeof value === 'bigint') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return value.type === 'decimal' ? 'number' : value.type
}

const INT64_MAX = 0x7fffffffffffffffn
const INT64_MIN = -0x8000000000000000n

/**
 * The natural SQLite value (semantics 1, "Values"): booleans as 0 and 1, a number as INTEGER or
 * REAL if that is exactly the number, else its digits, bytes as BLOB, the rest as text.
 */
export function sqlOf(value: Value): SqlValue {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'number') return sqlNumber(value)
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'bigint') return sqlInteger(value)
  return value.type === 'bytes' ? Buffer.from(value.text, 'hex') : value.text
}

/** Takes a natural value back, given its kind. */
export function valueOf(sql: SqlValue, kind: CellKind): Value {
  if (sql === null) return null
  if (typeof sql === 'bigint') return kind === 'boolean' ? sql !== 0n : integerOf(sql)
  if (typeof sql === 'number') return numberFromDouble(sql)
  if (typeof sql !== 'string') return { type: 'bytes', text: sql.toString('hex') }
  if (kind === 'text') return sql
  if (kind === 'number') return numberFrom(sql)
  if (kind === 'boolean') throw new BugError(`a boolean cell holds text: ${sql}`)
  return { type: kind, text: sql }
}

/** An INTEGER of SQLite as the one representation of its number. */
export function integerOf(n: bigint): number | bigint {
  const number = Number(n)
  return Number.isSafeInteger(number) ? number : n
}

/** How many digits the fraction of a timestamp or time has. */
export function fractionDigits({ text }: Tagged): number {
  const dot = text.indexOf('.')
  if (dot < 0) return 0
  return text.length - dot - (text.endsWith('Z') ? 2 : 1)
}

/** Spells a timestamp with so many digits of fraction, so that text order is time order; the infinities have none. */
export function padFraction(text: string, digits: number): string {
  if (digits === 0 || text.endsWith('infinity')) return text
  const zone = text.endsWith('Z') ? 'Z' : ''
  const bare = zone === '' ? text : text.slice(0, -1)
  const dot = bare.indexOf('.')
  if (dot < 0) return `${bare}.${'0'.repeat(digits)}${zone}`
  return `${bare}${'0'.repeat(digits - (bare.length - dot - 1))}${zone}`
}

/** Takes the padding off again. */
export function trimFraction(text: string): string {
  if (!text.includes('.')) return text
  return text.replace(/\.?0+(Z?)$/, '$1')
}

/** The kinds whose text is padded to one number of fraction digits per column. */
export function isPadded(kind: CellKind): boolean {
  return kind === 'timestamp' || kind === 'local_timestamp' || kind === 'time'
}

/** Whether a value is of a padded kind. */
export function isTimed(value: Value): value is Tagged {
  return isTagged(value) && isPadded(kindOf(value))
}

function sqlNumber(n: number): SqlValue {
  // The driver binds every number as REAL; only a bigint becomes an INTEGER.
  return Number.isInteger(n) ? BigInt(n) : n
}

function sqlInteger(n: bigint): SqlValue {
  if (n >= INT64_MIN && n <= INT64_MAX) return n
  const digits = numberText(n)
  const double = Number(digits)
  return numberText(numberFromDouble(double)) === digits ? double : digits
}
