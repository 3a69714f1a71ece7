import { isUtf8 } from 'node:buffer'
import { isJsonObject, jsonValue, parseExactJson, valueOfParsed } from '../core/json.ts'
import { refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Image, Shape } from '../ports/source.ts'
import { MAX_DEPTH, NEEDS_EXACT, NON_ASCII, scanJson } from './json-scan.ts'
import { JsonMembers } from './json-members.ts'
import { Shapes } from './shapes.ts'
import { utf8Fault } from './utf8.ts'

/**
 * Decodes records that are one JSON object each: a column per member, in the order of the text.
 *
 * Three ways lead to one result (property-tests/json-fast-path.prop.ts). The first only finds
 * where the values of a record like the last one are, see json-members.ts. The second is
 * `JSON.parse` behind a scan for everything that it silently loses: digits, the first of two
 * members alike, half a surrogate pair. Where the scan finds such a thing, or anything is
 * amiss, the exact one decides, and it alone refuses.
 */
export class JsonRecords {
  readonly #shapes = new Shapes()
  readonly #patterns = new Map<Shape, JsonMembers>()
  /** That of the last record. */
  #pattern: JsonMembers | null = null

  /** The image of a record, or `UNDECODABLE` with what is wrong and where. The bytes must not change. */
  decode(bytes: Buffer, start = 0, end = bytes.length): Image | Refusal {
    return this.decodeAlike(bytes, start, end) ?? this.#decodeOther(bytes, start, end)
  }

  /** The same for a record like the last one, its values left to be decoded; null for every other. */
  decodeAlike(bytes: Buffer, start: number, end: number): Image | null {
    const values = this.#pattern?.read(bytes, start, end) ?? null
    if (values === null || this.#pattern === null) return null
    return { kind: 'image', shape: this.#pattern.shape, values, hint: null }
  }

  #decodeOther(bytes: Buffer, start: number, end: number): Image | Refusal {
    const decoded = this.decodeFast(bytes, start, end) ?? this.decodeExact(bytes, start, end)
    if (decoded.kind === 'image') this.#pattern = this.#patternOf(decoded.shape)
    return decoded
  }

  #patternOf(shape: Shape): JsonMembers {
    const known = this.#patterns.get(shape)
    if (known !== undefined) return known
    if (this.#patterns.size === MAX_PATTERNS) this.#patterns.clear()
    const pattern = new JsonMembers(shape)
    this.#patterns.set(shape, pattern)
    return pattern
  }

  /** The same by `JSON.parse`; null where only the exact way can tell. */
  decodeFast(bytes: Buffer, start: number, end: number): Image | null {
    const scan = scanJson(bytes, start, end)
    if (scan === NEEDS_EXACT) return null
    const isAscii = scan < NON_ASCII
    if (!isAscii && !isUtf8(bytes.subarray(start, end))) return null

    const text = isAscii ? bytes.toString('latin1', start, end) : bytes.toString('utf8', start, end)
    return this.#imageOf(parse(text), isAscii ? scan : scan - NON_ASCII)
  }

  /** The same by a parser that keeps every digit and forgives nothing. */
  decodeExact(bytes: Buffer, start: number, end: number): Image | Refusal {
    const record = bytes.subarray(start, end)
    const fault = utf8Fault(record)
    if (fault !== null) return refuse('UNDECODABLE', fault)

    const parsed = parseExactJson(record.toString('utf8'), MAX_DEPTH)
    if ('error' in parsed) {
      return refuse('UNDECODABLE', `broken JSON: ${parsed.error}, at character ${parsed.at + 1}`)
    }
    const { node } = parsed
    if (!isJsonObject(node)) return refuse('UNDECODABLE', 'the record is no JSON object')
    const values = Array.from(node.values(), jsonValue)
    return { kind: 'image', shape: this.#shapes.of([...node.keys()]), values, hint: null }
  }

  /** @param members how many members all objects of the text have, those that were lost included */
  #imageOf(parsed: unknown, members: number): Image | null {
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    const names = Object.keys(parsed)
    // JavaScript puts names like "1" first, wherever the text has them.
    if (isDigit(names[0]?.charCodeAt(0))) return null

    // oxlint-disable-next-line typescript/no-unsafe-assignment -- JSON.parse makes scalars, and the rest is replaced below
    const values: Value[] = Object.values(parsed)
    let found = names.length
    for (let i = 0; i < values.length; i += 1) {
      const value: unknown = values[i]
      if (typeof value === 'number') {
        if (!isExact(value)) return null
        // Adding zero makes -0 the one zero that there is.
        values[i] = value + 0
      } else if (typeof value === 'object' && value !== null) {
        const nested = membersIn(value)
        if (nested === null) return null
        found += nested
        values[i] = valueOfParsed(value)
      }
    }
    if (found !== members) return null
    return { kind: 'image', shape: this.#shapes.of(names), values, hint: null }
  }
}

/** Beyond so many shapes those that come back are too rare to be worth keeping. */
const MAX_PATTERNS = 1000

/** The value of JSON text; undefined if it is broken. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the double that `JSON.parse` made of a number without exponent is that number. */
function isExact(value: number): boolean {
  return value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER
}

/** How many members the objects in a value have; null if a number in it is not exact. */
function membersIn(value: object): number | null {
  let members = 0
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  if (!Array.isArray(value)) members = items.length
  for (const item of items) {
    if (typeof item === 'number' && !isExact(item)) return null
    if (typeof item !== 'object' || item === null) continue
    const nested = membersIn(item)
    if (nested === null) return null
    members += nested
  }
  return members
}

function isDigit(unit: number | undefined): boolean {
  return unit !== undefined && unit >= 0x30 && unit <= 0x39
}
