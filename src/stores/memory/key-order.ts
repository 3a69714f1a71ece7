import { compareCodePoints } from '../../core/code-points.ts'
import type { Key } from '../../core/key.ts'

/** Keys in the order in which a reader sees rows: integers by size, then everything else by code point. */
export function inKeyOrder(keys: readonly Key[]): Key[] {
  const integers: { key: Key; n: bigint }[] = []
  const others: Key[] = []
  for (const key of keys) {
    if (/^n-?[0-9]+$/.test(key)) integers.push({ key, n: BigInt(key.slice(1)) })
    else others.push(key)
  }
  integers.sort((a, b) => Number(a.n > b.n) - Number(a.n < b.n))
  return [...integers.map(({ key }) => key), ...others.toSorted(compareCodePoints)]
}
