import { isJsonObject, jsonValue } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isNumeric } from '../../core/number.ts'
import { isRefusal } from '../../core/refusal.ts'
import { convert, NOT_CONVERTIBLE } from '../../core/types.ts'
import { isTagged } from '../../core/value.ts'
import type { Value } from '../../core/value.ts'
import type { Codec, Opened } from '../envelope.ts'
import { headerOf } from '../message.ts'

/**
 * The key that a row had before the change that gave it the one of this message, from the header
 * `__debezium.oldkey`, in the order of the key; null where there is none, or none to be understood.
 */
export function oldKeyOf(opened: Opened, codec: Codec): readonly Value[] | null {
  return keyIn('__debezium.oldkey', opened, codec)
}

/** The key that a row goes on with where this message only takes it from its old one: the header `__debezium.newkey`. */
export function newKeyOf(opened: Opened, codec: Codec): readonly Value[] | null {
  return keyIn('__debezium.newkey', opened, codec)
}

/**
 * Headers are converted apart from keys, mostly without a schema; their values get the types of the
 * key's where they can have no other.
 */
function keyIn(headerName: string, opened: Opened, codec: Codec): readonly Value[] | null {
  const bytes = headerOf(opened.message, headerName)
  if (bytes === null) return null
  const header = codec.decode('key', bytes, opened.message)
  const key = opened.key()
  if (isRefusal(header) || isRefusal(key)) return null
  if (!isJsonObject(header.node) || !isJsonObject(key)) return null

  const values: Value[] = []
  for (const [name, node] of key) {
    const value = alike(header.node.get(name) ?? null, jsonValue(node))
    if (value === null) return null
    values.push(value)
  }
  return values
}

/** A value with the type of a sample; null where it cannot have it. */
function alike(node: JsonNode, sample: Value): Value {
  const value = jsonValue(node)
  if (!isTagged(sample) || sample.type === 'decimal') {
    return typeOf(value) === typeOf(sample) ? value : null
  }
  if (isTagged(value) && value.type === sample.type) return value
  const type = sample.type === 'date' && isNumeric(value) ? 'epoch_days' : sample.type
  const converted = convert(value, type)
  return converted === NOT_CONVERTIBLE ? null : converted
}

/** Numbers are one type, however large or exact. */
function typeOf(value: Value): string {
  if (isTagged(value)) return value.type === 'decimal' ? 'number' : value.type
  return typeof value === 'bigint' ? 'number' : typeof value
}
