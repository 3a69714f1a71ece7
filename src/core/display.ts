import { base64OfHex } from './bytes.ts'
import { numberText } from './number.ts'
import { isTagged } from './value.ts'
import type { Tagged, Value } from './value.ts'

/**
 * One value as JSON text: numbers with all their digits, bytes as base64, dates and timestamps
 * as ISO text, nested values as themselves, `NaN` and the infinities as text.
 */
export function jsonText(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null) return 'null'
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'number' || typeof value === 'bigint') return numberText(value)
  if (value.type === 'json' || value.type === 'decimal') return value.text
  return `"${taggedText(value)}"`
}

/** One value as bare text, for tables and CSV; null is empty text, and how it is told from that is up to the caller. */
export function plainText(value: Value): string {
  if (typeof value === 'string') return value
  if (value === null) return ''
  return isTagged(value) ? taggedText(value) : jsonText(value)
}

function taggedText({ type, text }: Tagged): string {
  return type === 'bytes' ? base64OfHex(text) : text
}
