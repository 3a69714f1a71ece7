import { canonicalText, parseExactJson } from './json.ts'
import { numberFrom, numberFromDouble } from './number.ts'
import { parseDate, parseLocalTimestamp, parseTime, parseTimestamp } from './temporal.ts'
import { sameValue, type Tagged, type Value } from './value.ts'

/**
 * Whether a value has the one representation that its type gives it (value.ts). What the engine
 * made always has; a cell that somebody wrote past the engine need not.
 */
export function isCanonical(value: Value): boolean {
  if (value === null || typeof value === 'boolean') return true
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Object.is(numberFromDouble(value), value)
  if (typeof value === 'bigint') return !Number.isSafeInteger(Number(value))
  return isCanonicalTagged(value)
}

function isCanonicalTagged(value: Tagged): boolean {
  const { type, text } = value
  switch (type) {
    case 'timestamp':
      return parseTimestamp(text)?.text === text
    case 'local_timestamp':
      return parseLocalTimestamp(text)?.text === text
    case 'date':
      return parseDate(text)?.text === text
    case 'time':
      return parseTime(text)?.text === text
    case 'decimal':
      return sameValue(numberFrom(text), value)
    case 'double':
      return ['NaN', 'Infinity', '-Infinity'].includes(text)
    case 'bytes':
      return /^(?:[0-9a-f]{2})*$/.test(text)
    case 'json':
      return isCanonicalJson(text)
  }
}

/** Objects and arrays only: anything else in a column is no nested value. */
function isCanonicalJson(text: string): boolean {
  if (!/^[[{]/.test(text)) return false
  const result = parseExactJson(text)
  return !('error' in result) && canonicalText(result.node) === text
}
