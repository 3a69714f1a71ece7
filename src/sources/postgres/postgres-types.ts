import { jsonValue, parseExactJson, type JsonNode } from '../../core/json.ts'
import { numberFrom, numberFromDouble } from '../../core/number.ts'
import { parseDate, parseLocalTimestamp, parseTime, parseTimestamp } from '../../core/temporal.ts'
import type { Value } from '../../core/value.ts'
import { parseArrayText, type ArrayText } from './array-text.ts'

/** Reads a value from the text that the server gives of it; undefined where it cannot be represented. */
export type Decode = (text: string) => Value | undefined

/** How the types of a database are read. Those that are not listed here are text as the server writes it. */
export class PostgresTypes {
  readonly #arrays: ReadonlyMap<number, { readonly of: number; readonly delimiter: string }>

  /** @param arrays triples: id of an array type, id of what it is an array of, delimiter */
  constructor(arrays: readonly (readonly string[])[]) {
    this.#arrays = new Map(
      arrays.map(([id, of, delimiter = ',']) => [Number(id), { of: Number(of), delimiter }]),
    )
  }

  decoder(id: number): Decode {
    const array = this.#arrays.get(id)
    if (array === undefined) return DECODERS[id] ?? asText
    const element = this.decoder(array.of)
    return (text) => {
      const parsed = parseArrayText(text, array.delimiter)
      const node = parsed === null ? undefined : arrayOf(parsed, element)
      return node === undefined ? undefined : jsonValue(node)
    }
  }
}

const asText: Decode = (text) => text

const BYTEA: Decode = (text) =>
  text.startsWith('\\x') ? { type: 'bytes', text: text.slice(2) } : undefined

const JSON_TEXT: Decode = (text) => {
  const result = parseExactJson(text)
  return 'error' in result ? undefined : jsonValue(result.node)
}

const INTEGER: Decode = (text) => numberFrom(text) ?? undefined

/** `NaN` and the infinities are numbers here too. */
const NUMERIC: Decode = (text) =>
  /[aIi]/.test(text) ? numberFromDouble(Number(text)) : (numberFrom(text) ?? undefined)

const DOUBLE: Decode = (text) => numberFromDouble(Number(text))

/** By the ids that PostgreSQL gives its own types for good. */
const DECODERS: Readonly<Record<number, Decode>> = {
  16: (text) => text === 't',
  17: BYTEA,
  20: INTEGER,
  21: INTEGER,
  23: INTEGER,
  26: INTEGER,
  114: JSON_TEXT,
  700: DOUBLE,
  701: DOUBLE,
  1082: (text) => parseDate(text) ?? undefined,
  1083: (text) => parseTime(text) ?? undefined,
  1114: (text) => parseLocalTimestamp(text) ?? undefined,
  1184: (text) => parseTimestamp(text) ?? undefined,
  1700: NUMERIC,
  3802: JSON_TEXT,
}

function arrayOf(parsed: readonly ArrayText[], element: Decode): JsonNode | undefined {
  const nodes: JsonNode[] = []
  for (const each of parsed) {
    const node = nodeOf(each, element)
    if (node === undefined) return undefined
    nodes.push(node)
  }
  return nodes
}

function nodeOf(each: ArrayText, element: Decode): JsonNode | undefined {
  if (each === null) return null
  return typeof each === 'string' ? element(each) : arrayOf(each, element)
}
