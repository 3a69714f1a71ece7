import type { JsonNode } from '../../core/json.ts'
import { isNumeric, numberFromDouble, numberText } from '../../core/number.ts'
import type { Tagged } from '../../core/value.ts'
import { bytesOfBase64 } from './base64.ts'
import type { Misfit } from './misfit.ts'

/** Gives a node, which is not null, the type that a schema says; notes the first one that is not of it. */
export type Convert = (node: JsonNode, misfit: Misfit) => JsonNode

/** The types of Connect that have no parts, as its JSON converter writes them. */
export const SCALARS: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ['int8', integer],
  ['int16', integer],
  ['int32', integer],
  ['int64', integer],
  ['float', double],
  ['double', double],
  ['float32', double],
  ['float64', double],
  ['boolean', (node, misfit) => (typeof node === 'boolean' ? node : misfit.found('boolean', node))],
  ['string', text],
  ['bytes', bytes],
])

/** A whole number of any size. */
export function integer(node: JsonNode, misfit: Misfit): JsonNode {
  const isWhole = typeof node === 'bigint' || Number.isInteger(node)
  return isWhole ? node : misfit.found('integer', node)
}

/** Text as it is. */
export function text(node: JsonNode, misfit: Misfit): JsonNode {
  return typeof node === 'string' ? node : misfit.found('text', node)
}

/** Bytes, written as base64. */
export function bytes(node: JsonNode, misfit: Misfit): JsonNode {
  const read = typeof node === 'string' ? bytesOfBase64(node) : null
  return read === null ? misfit.found('base64', node) : taggedBytes(read)
}

/** Bytes as a value. */
export function taggedBytes(read: Buffer): Tagged {
  return { type: 'bytes', text: read.toString('hex') }
}

/** A double: the number, or as text what JSON has no number for. */
function double(node: JsonNode, misfit: Misfit): JsonNode {
  if (typeof node === 'number' || typeof node === 'bigint') return node
  if (node === 'NaN' || node === 'Infinity' || node === '-Infinity') {
    return numberFromDouble(Number(node))
  }
  if (typeof node !== 'object' || node === null || !('type' in node) || !isNumeric(node)) {
    return misfit.found('double', node)
  }
  const rounded = Number(numberText(node))
  return Number.isFinite(rounded) ? numberFromDouble(rounded) : misfit.found('double', node)
}
