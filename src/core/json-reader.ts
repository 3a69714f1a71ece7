import { numberFrom } from './number.ts'
import type { Value } from './value.ts'

/**
 * A JSON value in memory. Objects are maps, so that no member name is special and order is
 * kept; numbers are exact values, see number.ts.
 */
export type JsonNode = Value | readonly JsonNode[] | ReadonlyMap<string, JsonNode>

/** Whether a node is an object. */
export function isJsonObject(node: JsonNode): node is ReadonlyMap<string, JsonNode> {
  return node instanceof Map
}

/** Whether a node is an array. */
export function isJsonArray(node: JsonNode): node is readonly JsonNode[] {
  return Array.isArray(node)
}

/** What is wrong with a text, and at which of its UTF-16 units. */
export type JsonFault = { readonly error: string; readonly at: number }

/** What the reader returns for a text that is no JSON; null would be a value. */
export const FAILED: unique symbol = Symbol('no JSON')
type Failed = typeof FAILED

/** Reads one text by RFC 8259 and no more lenient. After {@link FAILED}, `fault` says what is wrong. */
export class JsonReader {
  readonly #text: string
  readonly #maxDepth: number
  #at = 0
  #depth = 0
  #fault: JsonFault | null = null

  constructor(text: string, maxDepth: number) {
    this.#text = text
    this.#maxDepth = maxDepth
  }

  get fault(): JsonFault | null {
    return this.#fault
  }

  /** The value of the whole text; {@link FAILED} where it has none. */
  read(): JsonNode | Failed {
    const node = this.#value()
    if (node === FAILED) return FAILED
    this.#skipSpace()
    return this.#at === this.#text.length ? node : this.#fail('text after the end of the value')
  }

  #value(): JsonNode | Failed {
    this.#skipSpace()
    switch (this.#text.charAt(this.#at)) {
      case '{':
        return this.#nested(() => this.#object())
      case '[':
        return this.#nested(() => this.#array())
      case '"':
        return this.#string()
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #nested(read: () => JsonNode | Failed): JsonNode | Failed {
    if (this.#depth === this.#maxDepth) return this.#fail(`nested deeper than ${this.#maxDepth}`)
    this.#depth += 1
    this.#at += 1
    const node = read()
    this.#depth -= 1
    return node
  }

  #object(): JsonNode | Failed {
    const members = new Map<string, JsonNode>()
    if (this.#take('}')) return members
    do {
      this.#skipSpace()
      const start = this.#at
      if (this.#text[start] !== '"') return this.#fail('expected a member name')
      const name = this.#string()
      if (name === FAILED) return FAILED
      if (members.has(name))
        return this.#fail(`member ${JSON.stringify(name)} appears twice`, start)
      if (!this.#take(':')) return this.#fail('expected a colon')
      const value = this.#value()
      if (value === FAILED) return FAILED
      members.set(name, value)
    } while (this.#take(','))
    return this.#take('}') ? members : this.#fail('expected a comma or the end of the object')
  }

  #array(): JsonNode | Failed {
    const items: JsonNode[] = []
    if (this.#take(']')) return items
    do {
      const item = this.#value()
      if (item === FAILED) return FAILED
      items.push(item)
    } while (this.#take(','))
    return this.#take(']') ? items : this.#fail('expected a comma or the end of the array')
  }

  /** Text from the quote at hand on. The stretch without escapes, nearly always all of it, is one slice. */
  #string(): string | Failed {
    const text = this.#text
    const start = this.#at
    let from = start + 1
    let out = ''
    for (let at = from; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit === QUOTE) {
        this.#at = at + 1
        out += text.slice(from, at)
        const isEscaped = from > start + 1
        return isEscaped && LONE_SURROGATE.test(out)
          ? this.#fail('half of a surrogate pair', start)
          : out
      }
      if (unit === BACKSLASH) {
        const escaped = unescape(text, at)
        if (escaped === null) return this.#fail('unknown escape', at)
        out += text.slice(from, at) + escaped
        at += text[at + 1] === 'u' ? 5 : 1
        from = at + 1
      } else if (unit < 0x20) return this.#fail('control character in text', at)
    }
    return this.#fail('text without end', start)
  }

  #number(): Value | Failed {
    NUMBER.lastIndex = this.#at
    const spelling = NUMBER.exec(this.#text)?.[0]
    if (spelling === undefined) {
      return this.#fail(this.#at === this.#text.length ? 'unexpected end' : 'expected a value')
    }
    const number = numberFrom(spelling)
    if (number === null) return this.#fail('number with too long an exponent')
    this.#at += spelling.length
    return number
  }

  #word(word: string, value: Value): Value | Failed {
    if (!this.#text.startsWith(word, this.#at)) return this.#fail('expected a value')
    this.#at += word.length
    return value
  }

  #take(mark: string): boolean {
    this.#skipSpace()
    if (this.#text[this.#at] !== mark) return false
    this.#at += 1
    return true
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1
  }

  #fail(error: string, at = this.#at): Failed {
    this.#fault = { error, at }
    return FAILED
  }
}

const QUOTE = 34
const BACKSLASH = 92
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const LONE_SURROGATE = /\p{Surrogate}/u

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
])

/** The UTF-16 unit that the escape at a backslash spells; null if it is none. */
function unescape(text: string, backslash: number): string | null {
  const letter = text.charAt(backslash + 1)
  if (letter !== 'u') return ESCAPES.get(letter) ?? null
  const hex = text.slice(backslash + 2, backslash + 6)
  return /^[0-9a-fA-F]{4}$/.test(hex) ? String.fromCharCode(Number.parseInt(hex, 16)) : null
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}
