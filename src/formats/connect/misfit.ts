import { canonicalText } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'

/** The first value of a record that is not what its schema says, and where it stands. */
export class Misfit {
  #what: string | null = null
  readonly #path: string[] = []

  get isFound(): boolean {
    return this.#what !== null
  }

  /** In words: `"after"."price" is no Decimal: "x"`. */
  get message(): string {
    const path = this.#path.map((name) => JSON.stringify(name)).join('.')
    return `${path === '' ? 'the whole' : path} ${this.#what ?? 'fits'}`
  }

  /** Notes a value that is no such type; stands for the value itself. */
  found(type: string, node: JsonNode): null {
    const text = canonicalText(node)
    this.#what = `is no ${type}: ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`
    return null
  }

  /** Adds the name of what the value lies in. */
  within(name: string): null {
    this.#path.unshift(name)
    return null
  }
}
