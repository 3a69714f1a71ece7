import protobuf from 'protobufjs'
import type { Type } from 'protobufjs'
import { canonicalText } from '../../../core/json.ts'
import type { JsonNode } from '../../../core/json.ts'
import { malformed } from '../malformed.ts'
import { WIRE } from './proto-bytes.ts'
import type { ProtoBytes } from './proto-bytes.ts'
import type { ProtoField } from './proto-field.ts'

/** Reads a message that lies within the one at hand. */
export type ReadMessage = (type: Type, bytes: ProtoBytes) => JsonNode

/**
 * A message while its fields come in, in any order and any number of times: the last scalar
 * counts, and the parts of a message merge, which is to read them as one.
 */
export class MessageDraft {
  readonly #fields: readonly ProtoField[]
  readonly #scalars = new Map<string, JsonNode>()
  readonly #lists = new Map<string, JsonNode[]>()
  /** Of messages and entries of maps, which are read when all of their parts are there. */
  readonly #parts = new Map<string, Buffer[]>()

  constructor(fields: readonly ProtoField[]) {
    this.#fields = fields
  }

  /** Takes what follows the tag of a field; false, and nothing read, where the field is not laid out so. */
  take(field: ProtoField, wire: number, bytes: ProtoBytes): boolean {
    const { name, type, rivals } = field
    const isMessage = field.label === 'map' || type instanceof protobuf.Type
    if (isMessage) {
      const isGroup = wire === WIRE.GROUP && field.isGroup
      if (wire !== WIRE.BYTES && !isGroup) return false
      add(this.#parts, name, isGroup ? bytes.group(field.number) : bytes.bytes())
    } else if (wire === type.wire) {
      if (field.label === 'list') add(this.#lists, name, type.read(bytes))
      else this.#scalars.set(name, type.read(bytes))
    } else if (wire === WIRE.BYTES && field.label === 'list') {
      const packed = bytes.within(bytes.bytes())
      while (packed.left > 0) add(this.#lists, name, type.read(packed))
    } else return false

    for (const rival of rivals) {
      this.#scalars.delete(rival)
      this.#parts.delete(rival)
    }
    return true
  }

  /** The message, every field of the schema in it. */
  finish(bytes: ProtoBytes, read: ReadMessage): ReadonlyMap<string, JsonNode> {
    const message = new Map<string, JsonNode>()
    for (const field of this.#fields) message.set(field.name, this.#value(field, bytes, read))
    return message
  }

  #value(field: ProtoField, bytes: ProtoBytes, read: ReadMessage): JsonNode {
    const { name, label, type, absent } = field
    const scalar = this.#scalars.get(name) ?? this.#lists.get(name)
    if (scalar !== undefined) return scalar
    const parts = this.#parts.get(name)
    if (parts === undefined) {
      return field.isRequired ? malformed(`the required field "${name}" is missing`) : absent
    }
    if (label === 'map') return mapOf(field, parts, bytes, read)
    if (!(type instanceof protobuf.Type)) return absent
    if (label === 'list') return parts.map((part) => read(type, bytes.within(part)))
    return read(type, bytes.within(Buffer.concat(parts)))
  }
}

/** Keys are text, as in JSON; of two entries with one key the later counts. */
function mapOf(
  field: ProtoField,
  parts: readonly Buffer[],
  bytes: ProtoBytes,
  read: ReadMessage,
): ReadonlyMap<string, JsonNode> {
  const { type, key, name, isRequired } = field
  const entry: readonly ProtoField[] = [
    { ...ENTRY, name: 'key', number: 1, type: key ?? malformed(`map "${name}" has no keys`) },
    { ...ENTRY, name: 'value', number: 2, type, isRequired },
  ].map((part) => ({ ...part, absent: part.type instanceof protobuf.Type ? null : part.type.zero }))

  const entries = new Map<string, JsonNode>()
  for (const part of parts) {
    const draft = new MessageDraft(entry)
    const inner = bytes.within(part)
    while (inner.left > 0) {
      const { field: number, wire } = inner.tag()
      const known = entry[number - 1]
      if (known === undefined || !draft.take(known, wire, inner)) inner.skip(number, wire)
    }
    const made = draft.finish(inner, read)
    const value = made.get('value') ?? null
    const isAbsentMessage = value === null && type instanceof protobuf.Type
    const id = made.get('key') ?? null
    entries.set(
      typeof id === 'string' ? id : canonicalText(id),
      isAbsentMessage ? read(type, inner.within(Buffer.alloc(0))) : value,
    )
  }
  return entries
}

const ENTRY = {
  label: 'one',
  key: null,
  isGroup: false,
  isRequired: false,
  rivals: [],
} as const

function add<T>(lists: Map<string, T[]>, name: string, item: T): void {
  const list = lists.get(name)
  if (list === undefined) lists.set(name, [item])
  else list.push(item)
}
