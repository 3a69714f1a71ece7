/** An element of an array as PostgreSQL writes it: null, the text of a value, or an array in turn. */
export type ArrayText = string | null | readonly ArrayText[]

/**
 * Takes the text of a PostgreSQL array apart; null where it is none, or one whose places do not
 * count from 1, which no JSON array can say.
 *
 *     {1,NULL,"a \"b\""}   ['1', null, 'a "b"']
 *     {{1,2},{3,4}}          [['1', '2'], ['3', '4']]
 */
export function parseArrayText(text: string, delimiter: string): readonly ArrayText[] | null {
  const reader = new ArrayReader(text, delimiter)
  const elements = text.startsWith('{') ? reader.array() : null
  return reader.isAtEnd ? elements : null
}

class ArrayReader {
  readonly #text: string
  readonly #delimiter: string
  #at = 0

  constructor(text: string, delimiter: string) {
    this.#text = text
    this.#delimiter = delimiter
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  /** The array that begins here with its brace; PostgreSQL has six dimensions at most. */
  array(): readonly ArrayText[] | null {
    const elements: ArrayText[] = []
    this.#at += 1
    if (this.#takes('}')) return elements
    while (!this.isAtEnd) {
      const element = this.#text[this.#at] === '{' ? this.array() : this.#scalar()
      elements.push(element)
      if (this.#takes('}')) return elements
      if (!this.#takes(this.#delimiter)) return null
    }
    return null
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #scalar(): string | null {
    if (this.#takes('"')) return this.#quoted()
    const start = this.#at
    while (
      !this.isAtEnd &&
      this.#text[this.#at] !== '}' &&
      this.#text[this.#at] !== this.#delimiter
    ) {
      this.#at += 1
    }
    const text = this.#text.slice(start, this.#at)
    return text === 'NULL' ? null : text
  }

  #quoted(): string {
    let out = ''
    while (!this.isAtEnd && !this.#takes('"')) {
      this.#takes('\\')
      out += this.#text[this.#at] ?? ''
      this.#at += 1
    }
    return out
  }
}
