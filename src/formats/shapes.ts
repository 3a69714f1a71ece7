import type { Shape } from '../ports/source.ts'

/** Beyond this many different shapes none is remembered: such a feed has no shapes worth keeping. */
const MAX_SHAPES = 10_000

/**
 * Gives records with the same column names, in the same order, one and the same {@link Shape}.
 *
 * Feeds repeat a shape many times in a row, so the last one is compared first.
 */
export class Shapes {
  #last: Shape = { names: [] }
  readonly #byNames = new Map<string, Shape>()

  /** The shape with these names; the array is kept and must not change. */
  of(names: readonly string[]): Shape {
    if (sameNames(names, this.#last.names)) return this.#last

    const id = JSON.stringify(names)
    const known = this.#byNames.get(id)
    const shape = known ?? { names }
    if (known === undefined) {
      if (this.#byNames.size === MAX_SHAPES) this.#byNames.clear()
      this.#byNames.set(id, shape)
    }
    this.#last = shape
    return shape
  }
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false
  return true
}
