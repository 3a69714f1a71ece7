import protobuf from 'protobufjs'
import type { Type } from 'protobufjs'
import type { JsonNode } from '../../../core/json.ts'
import { malformed } from '../malformed.ts'
import { KNOWN_MESSAGES } from './known-messages.ts'
import type { KnownMessage } from './known-messages.ts'
import { MessageDraft } from './message-draft.ts'
import { ProtoBytes } from './proto-bytes.ts'
import { fieldOf } from './proto-field.ts'
import type { ProtoField } from './proto-field.ts'
import { attempt } from './proto-schema.ts'

/**
 * Reads messages of a Protobuf schema as objects, their fields in the order of the schema.
 *
 * What Protobuf can tell is told apart: a field without presence that is not there has its zero,
 * any other is null. Enums are the names of their values (the number where there is none),
 * members of a oneof are fields of their message, and well-known messages are what they mean.
 */
export class ProtoReader {
  readonly #plans = new Map<Type, Plan>()

  /** @throws Malformed */
  read(type: Type, payload: Buffer): JsonNode {
    // Absent fields take memory and no bytes.
    let fieldsLeft = payload.length * FIELDS_PER_BYTE + FREE_FIELDS
    const read = (of: Type, bytes: ProtoBytes): JsonNode => {
      const plan = this.#plan(of)
      fieldsLeft -= plan.fields.length
      if (fieldsLeft < 0) malformed('the messages have far more fields than bytes')
      return readBy(plan, bytes, read)
    }
    return read(type, new ProtoBytes(payload))
  }

  #plan(type: Type): Plan {
    const known = this.#plans.get(type)
    if (known !== undefined) return known
    attempt(() => outermost(type).resolveAll())
    const fields = type.fieldsArray.map(fieldOf)
    const plan = {
      fields,
      byNumber: new Map(fields.map((field) => [field.number, field])),
      meaning: KNOWN_MESSAGES.get(type.fullName.slice(1)) ?? null,
    }
    this.#plans.set(type, plan)
    return plan
  }
}

/** The message of the file that a message is defined in: what holds of a file comes down from there. */
function outermost(type: Type): Type {
  return type.parent instanceof protobuf.Type ? outermost(type.parent) : type
}

const FIELDS_PER_BYTE = 32
const FREE_FIELDS = 65_536

/** A message, worked out once. */
type Plan = {
  readonly fields: readonly ProtoField[]
  readonly byNumber: ReadonlyMap<number, ProtoField>
  readonly meaning: KnownMessage | null
}

function readBy(
  { fields, byNumber, meaning }: Plan,
  bytes: ProtoBytes,
  read: (of: Type, bytes: ProtoBytes) => JsonNode,
): JsonNode {
  const draft = new MessageDraft(fields)
  while (bytes.left > 0) {
    const { field: number, wire } = bytes.tag()
    const field = byNumber.get(number)
    if (field === undefined || !draft.take(field, wire, bytes)) bytes.skip(number, wire)
  }
  const message = draft.finish(bytes, read)
  return meaning === null ? message : meaning(message)
}
