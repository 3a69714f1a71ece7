import { isJsonArray, isJsonObject, jsonValue } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { isNumeric, numberFrom } from '../core/number.ts'
import { parseTimestamp, timestampFromEpoch } from '../core/temporal.ts'
import type { EpochUnit } from '../core/temporal.ts'
import type { Value } from '../core/value.ts'

/** An object of a tree. */
export type JsonObject = ReadonlyMap<string, JsonNode>

/** A node that is an object; null for every other, and for none. */
export function objectOf(node: JsonNode | undefined): JsonObject | null {
  return node !== undefined && isJsonObject(node) ? node : null
}

/** A node that is text; null for every other, and for none. */
export function textOf(node: JsonNode | undefined): string | null {
  return typeof node === 'string' ? node : null
}

/** A list of texts, such as column names; null for every other node. */
export function textsOf(node: JsonNode | undefined): readonly string[] | null {
  if (node === undefined || !isJsonArray(node)) return null
  const texts: string[] = []
  for (const item of node) {
    if (typeof item !== 'string') return null
    texts.push(item)
  }
  return texts
}

/** The exact integer that a node is, or that it spells as text; null for every other node. */
export function integerOf(node: JsonNode | undefined): number | bigint | null {
  if (typeof node === 'bigint') return node
  const number = typeof node === 'string' && /^-?\d+$/.test(node) ? numberFrom(node) : node
  if (typeof number === 'bigint') return number
  return typeof number === 'number' && Number.isInteger(number) ? number : null
}

/** The instant that a number of units since 1970 denotes; null where the node is no such number. */
export function epochOf(node: JsonNode | undefined, unit: EpochUnit): Value {
  const value = node === undefined ? null : jsonValue(node)
  return isNumeric(value) ? timestampFromEpoch(value, unit) : null
}

/** The instant that ISO text denotes, UTC where it names no zone; null where the node is none. */
export function instantOf(node: JsonNode | undefined): Value {
  return typeof node === 'string' ? parseTimestamp(node) : null
}

/** The values of an object by name. */
export function valuesOf(object: JsonObject | null): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  if (object !== null) for (const [name, node] of object) values.set(name, jsonValue(node))
  return values
}

/** What expressions can read of a record: the members that are there. */
export function fieldsOf(
  fields: Readonly<Record<string, JsonNode | undefined>>,
): Map<string, Value> {
  const values = new Map<string, Value>()
  for (const [name, node] of Object.entries(fields)) {
    if (node !== undefined && node !== null) values.set(name, jsonValue(node))
  }
  return values
}
