import { jsonText, jsonValue, parseExactJson } from '../../index.ts'
import type { Value } from '../../index.ts'

/**
 * The order of two sequences or system times of one target, as an axis needs it: numbers by
 * value, instants by time, text by code point, lists part by part.
 */
export function compareSequences(a: Value, b: Value): number {
  const left = partsOf(a)
  const right = partsOf(b)
  for (const [i, part] of left.entries()) {
    const difference = comparePart(part, right[i] ?? null)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

/** Values in order, each once. */
export function distinctInOrder(values: readonly Value[]): readonly Value[] {
  const distinct = new Map(values.map((value) => [jsonText(value), value]))
  return [...distinct.values()].toSorted(compareSequences)
}

function partsOf(value: Value): readonly Value[] {
  if (typeof value !== 'object' || value?.type !== 'json') return [value]
  const parsed = parseExactJson(value.text)
  return 'node' in parsed && Array.isArray(parsed.node) ? parsed.node.map(jsonValue) : [value]
}

function comparePart(a: Value, b: Value): number {
  const left = decimalOf(jsonText(a))
  const right = decimalOf(jsonText(b))
  if (left !== null && right !== null) return compareDecimals(left, right)
  return Buffer.compare(Buffer.from(sortable(a)), Buffer.from(sortable(b)))
}

/** Text in whose order the values are: without the `Z`, a shorter fraction of a second is the earlier one. */
function sortable(value: Value): string {
  const text = typeof value === 'object' && value !== null ? value.text : String(value)
  return text.replace(/^(\d{4}-\d\d-\d\dT[\d:.]+)Z$/, '$1')
}

/** A number as 0.digits × 10^exponent, for numbers too long for a double. */
type Decimal = { readonly sign: number; readonly digits: string; readonly exponent: number }

function decimalOf(json: string): Decimal | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(json)
  if (match === null) return null
  const [, minus = '', whole = '', fraction = '', power = '0'] = match
  const all = whole + fraction
  const digits = all.replace(/^0+/, '').replace(/0+$/, '')
  if (digits === '') return { sign: 0, digits, exponent: 0 }
  const leading = all.length - all.replace(/^0+/, '').length
  return { sign: minus === '' ? 1 : -1, digits, exponent: whole.length - leading + Number(power) }
}

function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.sign !== b.sign) return a.sign - b.sign
  if (a.exponent !== b.exponent) return a.sign * (a.exponent - b.exponent)
  if (a.digits === b.digits) return 0
  return a.digits < b.digits ? -a.sign : a.sign
}
