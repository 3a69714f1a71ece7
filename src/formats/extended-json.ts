import { isJsonArray, isJsonObject, parseExactJson } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { numberFrom, numberFromDouble } from '../core/number.ts'
import { isRefusal, refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import { parseTimestamp } from '../core/temporal.ts'
import { convert, NOT_CONVERTIBLE } from '../core/types.ts'
import type { Value } from '../core/value.ts'
import { MAX_DEPTH } from './json-scan.ts'
import { epochOf, integerOf, objectOf, textOf } from './members.ts'
import type { JsonObject } from './members.ts'

/** The tree of a text of MongoDB's extended JSON, see {@link readExtended}. */
export function parseExtended(text: string): { readonly node: JsonNode } | Refusal {
  const parsed = parseExactJson(text, MAX_DEPTH)
  if ('error' in parsed) {
    return refuse(
      'ENVELOPE',
      `broken extended JSON: ${parsed.error}, at character ${parsed.at + 1} of it`,
    )
  }
  const node = readExtended(parsed.node)
  return isRefusal(node) ? node : { node }
}

/**
 * A tree of MongoDB's extended JSON (canonical, relaxed, and the older strict form) with the values
 * that its wrappers stand for:
 *
 * | wrapper | value |
 * | --- | --- |
 * | `$numberInt`, `$numberLong`, `$numberDouble`, `$numberDecimal` | the number, exactly |
 * | `$date` | the timestamp |
 * | `$binary` | bytes, whatever their subtype |
 * | `$oid`, `$uuid`, `$symbol`, `$code` without scope | text |
 * | `$timestamp` | `{"i", "t"}` |
 * | `$regularExpression`, `$regex` | `{"options", "pattern"}` |
 * | `$undefined` | null |
 *
 * Others (`$minKey`, references, code with scope) stay as they are written.
 *
 * @returns `ENVELOPE` where a wrapper does not hold what its name says
 */
export function readExtended(node: JsonNode): JsonNode | Refusal {
  if (isJsonArray(node)) {
    const items: JsonNode[] = []
    for (const item of node) {
      const read = readExtended(item)
      if (isRefusal(read)) return read
      items.push(read)
    }
    return items
  }
  if (!isJsonObject(node)) return node
  const value = unwrapped(node)
  return value === undefined ? readMembers(node) : value
}

function readMembers(object: JsonObject): JsonNode | Refusal {
  const members = new Map<string, JsonNode>()
  for (const [name, member] of object) {
    const read = readExtended(member)
    if (isRefusal(read)) return read
    members.set(name, read)
  }
  return members
}

/** What a wrapper stands for; undefined for an object that is none. `null` is a value. */
function unwrapped(object: JsonObject): JsonNode | Refusal | undefined {
  for (const [name, inner] of object) {
    const wrapper = WRAPPERS.get(name)
    if (wrapper === undefined) continue
    const companions = wrapper.with !== undefined && object.has(wrapper.with) ? 1 : 0
    if (object.size !== 1 + companions) return undefined
    const value = wrapper.read(inner, object)
    return value === undefined
      ? refuse('ENVELOPE', `"${name}" of extended JSON is malformed`)
      : value
  }
  return undefined
}

type Wrapper = {
  /** Another member that may stand next to it. */
  readonly with?: string
  /** Undefined where it is malformed. */
  readonly read: (inner: JsonNode, object: JsonObject) => JsonNode | undefined
}

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['$numberInt', { read: (inner) => integerOf(inner) ?? undefined }],
  ['$numberLong', { read: (inner) => integerOf(inner) ?? undefined }],
  ['$numberDouble', { read: numberOf }],
  ['$numberDecimal', { read: numberOf }],
  ['$date', { read: (inner) => dateOf(inner) ?? undefined }],
  ['$oid', { read: textOrNothing }],
  ['$uuid', { read: textOrNothing }],
  ['$symbol', { read: textOrNothing }],
  ['$code', { read: textOrNothing }],
  ['$binary', { with: '$type', read: bytesOf }],
  ['$timestamp', { read: (inner) => (objectOf(inner) === null ? undefined : readTimes(inner)) }],
  ['$regularExpression', { read: (inner) => objectOf(inner) ?? undefined }],
  ['$regex', { with: '$options', read: regexOf }],
  ['$undefined', { read: () => null }],
])

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
])

function numberOf(inner: JsonNode): Value | undefined {
  if (typeof inner === 'number' || typeof inner === 'bigint') return inner
  const text = textOf(inner)
  if (text === null) return undefined
  const special = SPECIAL.get(text)
  return special === undefined ? (numberFrom(text) ?? undefined) : numberFromDouble(special)
}

/** ISO text, or milliseconds as a number, in a `$numberLong` or bare. */
function dateOf(inner: JsonNode): Value {
  if (typeof inner === 'string') return parseTimestamp(inner)
  const milliseconds = readExtended(inner)
  return isRefusal(milliseconds) ? null : epochOf(milliseconds, 'ms')
}

function textOrNothing(inner: JsonNode): string | undefined {
  return textOf(inner) ?? undefined
}

/** `{"base64": …, "subType": …}`, or the text alone with `$type` next to it. */
function bytesOf(inner: JsonNode): Value | undefined {
  const text = textOf(objectOf(inner)?.get('base64') ?? inner)
  const value = text === null ? NOT_CONVERTIBLE : convert(text, 'bytes')
  return value === NOT_CONVERTIBLE ? undefined : value
}

function readTimes(inner: JsonNode): JsonNode | undefined {
  const read = readExtended(inner)
  return isRefusal(read) ? undefined : read
}

function regexOf(inner: JsonNode, object: JsonObject): JsonNode | undefined {
  const pattern = textOf(inner)
  if (pattern === null) return undefined
  return new Map([
    ['pattern', pattern],
    ['options', textOf(object.get('$options')) ?? ''],
  ])
}
