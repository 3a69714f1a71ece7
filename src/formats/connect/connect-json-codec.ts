import { isJsonObject } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import type { Refusal } from '../../core/refusal.ts'
import type { Codec } from '../envelope.ts'
import { JsonCodec } from '../json-codec.ts'
import type { Message } from '../message.ts'
import { Misfit } from './misfit.ts'
import type { Convert } from './scalars.ts'
import { SchemaStarts } from './schema-starts.ts'
import { converterOf } from './schema.ts'

type Part = 'key' | 'value'
type Tree = { readonly node: JsonNode } | Refusal

/**
 * Reads what Kafka Connect's JSON converter writes: bare JSON, or `{"schema": …, "payload": …}`.
 *
 * With a schema, values get its types; without one nothing is guessed. Keys and values, and
 * messages of one topic, may differ in that. Only an object with just these two members, whose
 * schema is null or has a type, is taken for a wrapper: a table may have a column `payload`.
 */
export class ConnectJsonCodec implements Codec {
  readonly #json = new JsonCodec()
  readonly #starts = new SchemaStarts()

  decode(part: Part, bytes: Buffer, { stream }: Message): Tree {
    const topic = `${part} ${stream.name}`
    const start = this.#starts.find(topic, bytes)
    if (start !== null && bytes[bytes.length - 1] === CLOSE) {
      const payload = this.#json.decode(part, bytes.subarray(start.bytes.length, -1))
      // What is broken is read again from its beginning, to say where.
      if (!isRefusal(payload)) return typed(part, payload.node, start.convert)
    }

    const whole = this.#json.decode(part, bytes)
    if (isRefusal(whole)) return whole
    const { node } = whole
    if (!isJsonObject(node) || node.size !== 2) return whole
    const schema = node.get('schema')
    const payload = node.get('payload')
    if (payload === undefined || schema === undefined) return whole
    if (schema === null) return { node: payload }
    if (!isJsonObject(schema) || typeof schema.get('type') !== 'string') return whole
    if (start !== null) return typed(part, payload, start.convert)
    const convert = converterOf(schema)
    this.#starts.keep(topic, bytes, convert)
    return typed(part, payload, convert)
  }
}

const CLOSE = 0x7d

function typed(part: Part, payload: JsonNode, convert: Convert): Tree {
  if (payload === null) return { node: null }
  const misfit = new Misfit()
  const node = convert(payload, misfit)
  if (!misfit.isFound) return { node }
  return refuse('UNDECODABLE', `the ${part} is not what its schema says: ${misfit.message}`)
}
