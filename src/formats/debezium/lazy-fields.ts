import type { Value } from '../../core/value.ts'

/** How to make each field out of a subject. */
export type FieldTable<T> = ReadonlyMap<string, (subject: T) => Value>

/** Fields that are made only when they are asked for: most flows ask for none. */
export class LazyFields<T> implements ReadonlyMap<string, Value> {
  readonly #table: FieldTable<T>
  readonly #subject: T

  constructor(table: FieldTable<T>, subject: T) {
    this.#table = table
    this.#subject = subject
  }

  get size(): number {
    return this.#table.size
  }

  has(name: string): boolean {
    return this.#table.has(name)
  }

  get(name: string): Value | undefined {
    return this.#table.get(name)?.(this.#subject)
  }

  forEach(visit: (value: Value, name: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [name, value] of this) visit(value, name, this)
  }

  keys(): MapIterator<string> {
    return this.#table.keys()
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
    return new Map(Array.from(this.#table, ([name, make]) => [name, make(this.#subject)]))
  }
}
