import type { Key } from '../core/key.ts'

/** Keys in an order in which a store finds them near each other, see {@link storeOrder}. */
export function inStoreOrder(keys: readonly Key[]): Key[] {
  return storeOrder(keys).flatMap((index) => keys[index] ?? [])
}

/** Where keys stand that are put so that a store finds them near each other: numbers by size, then the rest in any fixed order. */
export function storeOrder(keys: readonly Key[]): number[] {
  const numbered: number[] = []
  const others: number[] = []
  for (const [index, key] of keys.entries()) (isNumber(key) ? numbered : others).push(index)
  // Each is read once: a sort compares it many times.
  const numbers = Float64Array.from(keys, (key) => (isNumber(key) ? Number(key.slice(1)) : 0))
  if (!isAscending(numbered, numbers)) {
    numbered.sort((a, b) => at(numbers, a) - at(numbers, b))
  }
  others.sort((a, b) => ((keys[a] ?? '') < (keys[b] ?? '') ? -1 : 1))
  return others.length === 0 ? numbered : [...numbered, ...others]
}

function isAscending(indexes: readonly number[], numbers: Float64Array): boolean {
  return indexes.every(
    (index, i) => i === 0 || at(numbers, indexes[i - 1] ?? 0) <= at(numbers, index),
  )
}

function isNumber(key: Key): boolean {
  return key.charCodeAt(0) === NUMBER
}

function at(numbers: Float64Array, index: number): number {
  return numbers[index] ?? 0
}

/** The letter that keys of one number begin with. */
const NUMBER = 0x6e
