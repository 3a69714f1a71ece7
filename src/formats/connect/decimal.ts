import { numberFrom } from '../../core/number.ts'
import type { Value } from '../../core/value.ts'

/** More bytes than any database's numbers have: PostgreSQL's longest have some 61,000. */
const MAX_BYTES = 65_536
const MAX_SCALE = 1_000_000

/**
 * A decimal as Connect has it: big-endian two's complement of the unscaled value, and a scale,
 * which may be negative. Null where that is none.
 *
 *     30 39, scale 2   123.45
 *     ff, scale 2      -0.01
 */
export function decimalOf(unscaled: Buffer, scale: number): Value {
  const { length } = unscaled
  if (length === 0 || length > MAX_BYTES || !isScale(scale)) return null
  return numberFrom(`${length <= 6 ? unscaled.readIntBE(0, length) : bigOf(unscaled)}e${-scale}`)
}

/** Whether a number can be the scale of a decimal. */
export function isScale(scale: number): boolean {
  return Number.isInteger(scale) && Math.abs(scale) <= MAX_SCALE
}

function bigOf(bytes: Buffer): bigint {
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`))
}
