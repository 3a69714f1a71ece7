import { parseExactJson, plainText } from '../../index.ts'
import type { Value } from '../../index.ts'
import { visible } from './text.ts'

/** How a null looks wherever a person reads. */
const NULL_SIGN = '∅'

/** A value for a person: null as ∅, control characters spelled out. */
export function cellText(value: Value): string {
  return value === null ? NULL_SIGN : visible(plainText(value))
}

/** A value in running text: as {@link cellText}, but text that could be taken for another value is quoted. */
export function inlineText(value: Value): string {
  if (typeof value !== 'string') return cellText(value)
  const shown = visible(value)
  return isMistakable(value) ? JSON.stringify(value) : shown
}

/** Whether a value reads best with its digits under each other. */
export function isNumber(value: Value): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return true
  return typeof value === 'object' && (value?.type === 'decimal' || value?.type === 'double')
}

function isMistakable(text: string): boolean {
  return text.trim() !== text || text === '' || text === NULL_SIGN || 'node' in parseExactJson(text)
}
