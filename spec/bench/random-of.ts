/**
 * Numbers in [0, 1), the same on every machine: mulberry32, whose arithmetic stays within 32 bits.
 * A product beyond 2^53 would round, and the numbers would soon repeat.
 */
export function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}
