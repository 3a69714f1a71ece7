import protobuf from 'protobufjs'
import type { Enum, Field, Type } from 'protobufjs'
import type { JsonNode } from '../../../core/json.ts'
import { malformed } from '../malformed.ts'
import { WIRE } from './proto-bytes.ts'
import { PROTO_SCALARS, signed } from './proto-scalars.ts'
import type { ProtoScalar } from './proto-scalars.ts'

/** A field of a message, worked out once per schema. */
export type ProtoField = {
  readonly name: string
  readonly number: number
  readonly label: 'one' | 'list' | 'map'
  /** Of a map: of its values. */
  readonly type: ProtoScalar | Type
  /** Of the keys of a map; null for other fields. */
  readonly key: ProtoScalar | null
  /** Whether a message lies between a start and an end tag rather than behind its length. */
  readonly isGroup: boolean
  readonly isRequired: boolean
  /** The value where the field is not there. */
  readonly absent: JsonNode
  /** The other members of its oneof: setting one unsets them. */
  readonly rivals: readonly string[]
}

/** What is to be known of a field to read it; its type has been resolved. */
export function fieldOf(field: Field): ProtoField {
  const type = typeOf(field)
  const { name, id: number, partOf, required } = field
  const hasZero = !field.hasPresence && !(type instanceof protobuf.Type)
  const zero = hasZero ? type.zero : null
  const shared = { name, number, type, isGroup: field.delimited, isRequired: required }

  if (field instanceof protobuf.MapField) {
    const key = PROTO_SCALARS.get(field.keyType) ?? malformed(`the keys of map "${name}"`)
    return { ...shared, label: 'map', key, absent: new Map(), rivals: [] }
  }
  if (field.repeated) return { ...shared, label: 'list', key: null, absent: [], rivals: [] }
  const rivals = partOf?.oneof.filter((other) => other !== name) ?? []
  return { ...shared, label: 'one', key: null, absent: zero, rivals }
}

function typeOf({ type, resolvedType }: Field): ProtoScalar | Type {
  if (resolvedType instanceof protobuf.Type) return resolvedType
  if (resolvedType !== null) return enumOf(resolvedType)
  return PROTO_SCALARS.get(type) ?? malformed(`the schema has no type "${type}"`)
}

function enumOf({ valuesById, values }: Enum): ProtoScalar {
  const nameOf = (n: number): JsonNode => valuesById[n] ?? n
  const first = Object.values(values)[0] ?? 0
  return {
    wire: WIRE.VARINT,
    read: (bytes) => nameOf(Number(signed(bytes, 32))),
    zero: nameOf(first),
  }
}
