import { keyOf, storedKey, type Key } from '../../core/key.ts'
import { integerOf } from './cells.ts'
import type { SqlValue } from './connection.ts'

const INT64_MAX = 0x7fffffffffffffffn
const INT64_MIN = -0x8000000000000000n

/**
 * A key as the one cell `k` that tables are looked up by: an integer as INTEGER, a text as TEXT,
 * several parts as TEXT (a target never has both), anything else as BLOB, so that none can
 * be taken for another.
 */
export function keyCell(key: Key): SqlValue {
  switch (key.charCodeAt(0)) {
    case 0x6e: // n
      return integerCell(key)
    case 0x74: // t
      return key.slice(1)
    case 0x5b: // [
      return key
    default:
      return Buffer.from(key)
  }
}

/** The key that a cell `k` stands for; `parts` is how many key columns the target has. */
export function keyOfCell(cell: SqlValue, parts: number): Key {
  if (typeof cell === 'bigint') return keyOf([integerOf(cell)])
  if (typeof cell === 'string') return parts === 1 ? keyOf([cell]) : storedKey(cell)
  return storedKey(String(cell))
}

function integerCell(key: Key): SqlValue {
  const digits = key.slice(1)
  // Most are such, and found quicker.
  const number = Number(digits)
  if (Number.isSafeInteger(number) && String(number) === digits) return BigInt(number)
  if (!/^-?[0-9]{1,19}$/.test(digits)) return Buffer.from(key)
  const n = BigInt(digits)
  return n >= INT64_MIN && n <= INT64_MAX ? n : Buffer.from(key)
}
