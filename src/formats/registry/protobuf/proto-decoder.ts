import type { SchemaText } from '../../../ports/schema-source.ts'
import { malformed } from '../malformed.ts'
import type { PayloadDecoder } from '../payload-decoder.ts'
import { ProtoBytes } from './proto-bytes.ts'
import { ProtoReader } from './proto-reader.ts'
import { ProtoSchema } from './proto-schema.ts'

/**
 * Reads payloads of a Protobuf schema. Message indexes say which of its messages one is; they
 * stand before it, or after the id in a header.
 *
 * @throws Malformed for a schema that is none
 */
export function protoDecoder(text: SchemaText): PayloadDecoder {
  const schema = new ProtoSchema(text)
  const reader = new ProtoReader()
  return (payload, afterId) => {
    const bytes = new ProtoBytes(payload)
    const indexes =
      afterId === null ? indexesFrom(bytes) : indexesFrom(new ProtoBytes(afterId), FIRST)
    return reader.read(schema.message(indexes), bytes.fixed(bytes.left))
  }
}

const FIRST: readonly number[] = [0]
const MAX_INDEXES = 64

/** Their number and then they, zig-zag; a single 0 stands for the first message. */
function indexesFrom(bytes: ProtoBytes, ofNothing?: readonly number[]): readonly number[] {
  if (bytes.left === 0 && ofNothing !== undefined) return ofNothing
  const count = Number(bytes.zigzag())
  if (count === 0) return FIRST
  if (count < 0 || count > MAX_INDEXES) malformed(`the message has ${count} message indexes`)
  return Array.from({ length: count }, () => Number(bytes.zigzag()))
}
