import type { Value } from '../../core/value.ts'

/** Names that are known at once. */
export type Names = {
  readonly size: number
  has: (name: string) => boolean
  keys: () => MapIterator<string>
}

/** Values by name that are made only when they are asked for: most flows ask for none. */
export class LazyMap implements ReadonlyMap<string, Value> {
  readonly #names: Names
  readonly #make: (name: string) => Value

  constructor(names: Names, make: (name: string) => Value) {
    this.#names = names
    this.#make = make
  }

  get size(): number {
    return this.#names.size
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  get(name: string): Value | undefined {
    return this.#names.has(name) ? this.#make(name) : undefined
  }

  forEach(visit: (value: Value, name: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [name, value] of this) visit(value, name, this)
  }

  keys(): MapIterator<string> {
    return this.#names.keys()
  }

  values(): MapIterator<Value> {
    return this.#made().values()
  }

  entries(): MapIterator<[string, Value]> {
    return this.#made().entries()
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries()
  }

  #made(): Map<string, Value> {
    return new Map(Array.from(this.#names.keys(), (name) => [name, this.#make(name)]))
  }
}
