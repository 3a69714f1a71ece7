import { compareCodePoints } from './code-points.ts'
import { jsonText } from './display.ts'
import { BugError } from './errors.ts'
import { FAILED, isJsonArray, isJsonObject, JsonReader } from './json-reader.ts'
import type { JsonFault, JsonNode } from './json-reader.ts'
import { numberFromDouble } from './number.ts'
import type { Value } from './value.ts'

export { isJsonArray, isJsonObject } from './json-reader.ts'
export type { JsonFault, JsonNode } from './json-reader.ts'

/** Objects and arrays may nest this deep, whatever a caller allows: deeper ones could exhaust the stack. */
export const MAX_JSON_DEPTH = 500

/**
 * Parses JSON text exactly: strictly by RFC 8259, numbers with all their digits.
 *
 * Refuses a member that appears twice, half a surrogate pair, anything after the value, and
 * nesting beyond `maxDepth` (or {@link MAX_JSON_DEPTH}).
 */
export function parseExactJson(
  text: string,
  maxDepth: number = MAX_JSON_DEPTH,
): { readonly node: JsonNode } | JsonFault {
  const reader = new JsonReader(text, Math.min(maxDepth, MAX_JSON_DEPTH))
  const node = reader.read()
  if (node !== FAILED) return { node }
  return reader.fault ?? { error: 'expected a value', at: 0 }
}

/**
 * The value of a JSON node: scalars as they are, an object or array as canonical JSON text.
 *
 * Canonical: members by code point of their names, numbers with the digits of number.ts,
 * no white space, as few escapes as JSON allows. A null member is kept, for it is not an absent one.
 * Values that JSON lacks (bytes, timestamps) become text inside, as `show` prints them.
 */
export function jsonValue(node: JsonNode): Value {
  if (isJsonObject(node) || isJsonArray(node)) return { type: 'json', text: canonicalText(node) }
  return typeof node === 'number' ? numberFromDouble(node) : node
}

/**
 * The value of what `JSON.parse` returned. Only right where doubles hold every number of the
 * text, no member appears twice, and nothing nests deeper than {@link MAX_JSON_DEPTH}: the
 * caller has to know.
 */
export function valueOfParsed(parsed: unknown): Value {
  if (typeof parsed === 'object' && parsed !== null)
    return { type: 'json', text: parsedText(parsed) }
  return scalarOfParsed(parsed)
}

/** Takes canonical JSON text apart, without losing a digit. */
export function parseCanonical(text: string): JsonNode {
  const result = parseExactJson(text)
  if ('error' in result)
    throw new BugError(`stored JSON is broken at ${result.at}: ${result.error}`)
  return result.node
}

/** The canonical JSON text of a node; see {@link jsonValue}. */
export function canonicalText(node: JsonNode): string {
  if (isJsonArray(node)) return `[${node.map(canonicalText).join(',')}]`
  if (!isJsonObject(node)) return jsonText(jsonValue(node))
  return objectText([...node.keys()], (name) => canonicalText(node.get(name) ?? null))
}

/**
 * Merges an object into the object that was there, leaf by leaf (semantics 3, `ignore_null_updates`).
 *
 * Null members of the patch keep what was there, and are left out where nothing was; objects
 * merge in turn, into an empty one where no object was there; anything else, an array too,
 * replaces. Both texts are canonical, and so is the result.
 */
export function mergeJson(base: string | null, patch: string): string {
  return canonicalText(
    mergeNodes(base === null ? null : parseCanonical(base), parseCanonical(patch)),
  )
}

function mergeNodes(base: JsonNode, patch: JsonNode): JsonNode {
  if (!isJsonObject(patch)) return patch
  const merged = new Map<string, JsonNode>(isJsonObject(base) ? base : [])
  for (const [name, value] of patch) {
    if (value !== null) merged.set(name, mergeNodes(merged.get(name) ?? null, value))
  }
  return merged
}

function parsedText(parsed: unknown): string {
  if (Array.isArray(parsed)) return `[${parsed.map(parsedText).join(',')}]`
  if (typeof parsed !== 'object' || parsed === null) return jsonText(scalarOfParsed(parsed))
  const members = new Map<string, unknown>(Object.entries(parsed))
  return objectText([...members.keys()], (name) => parsedText(members.get(name)))
}

function scalarOfParsed(parsed: unknown): Value {
  if (parsed === null || typeof parsed === 'string' || typeof parsed === 'boolean') return parsed
  if (typeof parsed === 'number') return numberFromDouble(parsed)
  throw new BugError(`no JSON: ${typeof parsed}`)
}

function objectText(names: readonly string[], textOf: (name: string) => string): string {
  const members = byCodePoint(names).map((name) => `${JSON.stringify(name)}:${textOf(name)}`)
  return `{${members.join(',')}}`
}

/** Plain sorting compares UTF-16 units, which is right, and much faster, below the surrogates. */
function byCodePoint(names: readonly string[]): readonly string[] {
  return names.some((name) => BEYOND_SURROGATES.test(name))
    ? names.toSorted(compareCodePoints)
    : names.toSorted()
}

const BEYOND_SURROGATES = /[\ud800-\uffff]/
