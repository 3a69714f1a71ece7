import { isJsonArray, isJsonObject } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { decimal, LOGICAL_TYPES } from './logical-types.ts'
import type { Misfit } from './misfit.ts'
import { SCALARS } from './scalars.ts'
import type { Convert } from './scalars.ts'

/**
 * What a schema block of Connect's JSON converter says of its payload, ready to be applied.
 *
 * Members that it does not name, and types that it does not know, leave a value as it is written.
 */
export function converterOf(schema: JsonNode): Convert {
  if (!isJsonObject(schema)) return asWritten
  const name = schema.get('name')
  if (name === 'org.apache.kafka.connect.data.Decimal') return decimal(scaleOf(schema))
  const logical = typeof name === 'string' ? LOGICAL_TYPES.get(name) : undefined
  if (logical !== undefined) return logical

  const type = schema.get('type')
  if (type === 'struct') return structOf(schema.get('fields') ?? null)
  if (type === 'array') return arrayOf(converterOf(schema.get('items') ?? null))
  if (type === 'map') return mapOf(schema)
  return (typeof type === 'string' ? SCALARS.get(type) : undefined) ?? asWritten
}

function asWritten(node: JsonNode): JsonNode {
  return node
}

function scaleOf(schema: ReadonlyMap<string, JsonNode>): number {
  const parameters = schema.get('parameters') ?? null
  const scale = isJsonObject(parameters) ? parameters.get('scale') : undefined
  return typeof scale === 'string' && /^-?[0-9]{1,9}$/.test(scale) ? Number(scale) : Number.NaN
}

function structOf(fields: JsonNode): Convert {
  const converters = new Map<string, Convert>()
  for (const field of isJsonArray(fields) ? fields : []) {
    const name = isJsonObject(field) ? field.get('field') : undefined
    if (typeof name === 'string') converters.set(name, converterOf(field))
  }
  return (node, misfit) => {
    if (!isJsonObject(node)) return misfit.found('object', node)
    return members(node, (name) => converters.get(name), misfit)
  }
}

/** A map is an object if its keys are text, else a list of pairs. */
function mapOf(schema: ReadonlyMap<string, JsonNode>): Convert {
  const key = converterOf(schema.get('keys') ?? null)
  const value = converterOf(schema.get('values') ?? null)
  return (node, misfit) => {
    if (isJsonObject(node)) return members(node, () => value, misfit)
    if (!isJsonArray(node)) return misfit.found('map', node)
    const pair: Convert = (entry) => {
      if (!isJsonArray(entry) || entry.length !== 2) return misfit.found('entry of a map', entry)
      return [item(entry[0] ?? null, key, misfit), item(entry[1] ?? null, value, misfit)]
    }
    return items(node, pair, misfit)
  }
}

function arrayOf(convert: Convert): Convert {
  return (node, misfit) =>
    isJsonArray(node) ? items(node, convert, misfit) : misfit.found('array', node)
}

/** The object with its members converted; itself where that changes none. */
function members(
  node: ReadonlyMap<string, JsonNode>,
  converterFor: (name: string) => Convert | undefined,
  misfit: Misfit,
): JsonNode {
  let converted: Map<string, JsonNode> | null = null
  for (const [name, member] of node) {
    const value = member === null ? null : (converterFor(name)?.(member, misfit) ?? member)
    if (misfit.isFound) return misfit.within(name)
    if (value === member) continue
    converted ??= new Map(node)
    converted.set(name, value)
  }
  return converted ?? node
}

function items(node: readonly JsonNode[], convert: Convert, misfit: Misfit): JsonNode {
  const converted: JsonNode[] = []
  for (const [i, element] of node.entries()) {
    converted.push(item(element, convert, misfit))
    if (misfit.isFound) return misfit.within(String(i))
  }
  return converted
}

function item(node: JsonNode, convert: Convert, misfit: Misfit): JsonNode {
  return node === null ? null : convert(node, misfit)
}
