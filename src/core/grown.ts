/** How many numbers there is room for at first. */
const FEWEST = 1024

/**
 * Where numbers that outgrew their place go on: room for twice as many as are needed. Room that was
 * never written to takes no memory.
 */
export function grown<T extends Uint32Array | Float64Array>(numbers: T, needed: number): T
export function grown(
  numbers: Uint32Array | Float64Array,
  needed: number,
): Uint32Array | Float64Array {
  const length = Math.max(FEWEST, 2 * needed)
  const more = numbers instanceof Uint32Array ? new Uint32Array(length) : new Float64Array(length)
  more.set(numbers)
  return more
}
