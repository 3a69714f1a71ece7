import type { Key } from '../core/key.ts'

/** Items in an order in which a store finds their keys near each other: numbers by size, then the rest in any fixed order. */
export function inStoreOrder<T>(items: readonly T[], keyOf: (item: T) => Key): T[] {
  const numbered: T[] = []
  const others: T[] = []
  for (const item of items) (isNumber(keyOf(item)) ? numbered : others).push(item)
  // Each is read once: a sort compares it many times.
  const numbers = Float64Array.from(numbered, (item) => Number(keyOf(item).slice(1)))
  const order = Uint32Array.from(numbered.keys()).sort((a, b) => at(numbers, a) - at(numbers, b))
  const sorted = Array.from(order, (index) => numbered[index]).filter((item) => item !== undefined)
  others.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return others.length === 0 ? sorted : [...sorted, ...others]
}

function isNumber(key: Key): boolean {
  return key.charCodeAt(0) === NUMBER
}

function at(numbers: Float64Array, index: number): number {
  return numbers[index] ?? 0
}

/** The letter that keys of one number begin with. */
const NUMBER = 0x6e
