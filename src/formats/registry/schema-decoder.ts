import type { JsonNode } from '../../core/json.ts'
import type { SchemaText } from '../../ports/schema-source.ts'
import { AvroBytes } from './avro/avro-bytes.ts'
import { avroReader } from './avro/avro-reader.ts'
import type { ConnectTypes } from './connect-types.ts'
import { malformed } from './malformed.ts'

/**
 * Turns a payload into a tree by one schema, which was worked out beforehand.
 *
 * @param afterId what stood behind the schema's id in a header; null without one
 * @throws Malformed
 */
export type SchemaDecoder = (payload: Buffer, afterId: Buffer | null) => JsonNode

/** @throws Malformed for a schema that is none */
export function schemaDecoder(schema: SchemaText, connectTypes: ConnectTypes): SchemaDecoder {
  switch (schema.kind) {
    case 'AVRO':
      return avroDecoder(schema, connectTypes)
    case 'PROTOBUF':
    case 'JSON':
      return malformed('not yet')
  }
}

function avroDecoder(schema: SchemaText, connectTypes: ConnectTypes): SchemaDecoder {
  const read = avroReader(schema, connectTypes)
  return (payload) => {
    const bytes = new AvroBytes(payload)
    const node = read(bytes)
    if (bytes.left > 0) malformed(`${bytes.left} bytes are left over`)
    return node
  }
}
