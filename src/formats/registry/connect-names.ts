import { base64OfHex } from '../../core/bytes.ts'
import { isJsonArray, isJsonObject } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isTagged } from '../../core/value.ts'
import { LOGICAL_TYPES } from '../connect/logical-types.ts'
import { Misfit } from '../connect/misfit.ts'
import { converterOf } from '../connect/schema.ts'
import type { ConnectTypes } from './connect-types.ts'
import { malformed } from './malformed.ts'

/**
 * The types that Kafka Connect and Debezium name, as with Connect's JSON converter: a column has
 * one type, however its topic is encoded.
 */
export const connectNames: ConnectTypes = (name, parameters) => {
  if (name !== DECIMAL && !LOGICAL_TYPES.has(name)) return null
  const schema = new Map<string, JsonNode>([
    ['name', name],
    ['parameters', parameters],
  ])
  const convert = converterOf(schema)
  return (plain) => {
    const misfit = new Misfit()
    const node = convert(asJson(plain), misfit)
    return misfit.isFound ? malformed(misfit.message) : node
  }
}

const DECIMAL = 'org.apache.kafka.connect.data.Decimal'

/** A value as JSON would have it, which spells bytes as base64. */
function asJson(node: JsonNode): JsonNode {
  if (isJsonArray(node)) return node.map(asJson)
  if (isJsonObject(node)) return new Map([...node].map(([name, value]) => [name, asJson(value)]))
  return isTagged(node) && node.type === 'bytes' ? base64OfHex(node.text) : node
}
