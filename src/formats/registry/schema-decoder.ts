import type { SchemaText } from '../../ports/schema-source.ts'
import { AvroBytes } from './avro/avro-bytes.ts'
import { avroReader } from './avro/avro-reader.ts'
import type { ConnectTypes } from './connect-types.ts'
import { jsonSchemaDecoder } from './json-schema/json-schema-decoder.ts'
import { malformed } from './malformed.ts'
import type { PayloadDecoder } from './payload-decoder.ts'
import { protoDecoder } from './protobuf/proto-decoder.ts'

/**
 * Works a schema out, whatever its kind.
 *
 * @throws Malformed for a schema that is none
 */
export function schemaDecoder(schema: SchemaText, connectTypes: ConnectTypes): PayloadDecoder {
  switch (schema.kind) {
    case 'AVRO':
      return avroDecoder(schema, connectTypes)
    case 'PROTOBUF':
      return protoDecoder(schema)
    case 'JSON':
      return jsonSchemaDecoder(schema, connectTypes)
  }
}

function avroDecoder(schema: SchemaText, connectTypes: ConnectTypes): PayloadDecoder {
  const read = avroReader(schema, connectTypes)
  return (payload) => {
    const bytes = new AvroBytes(payload)
    const node = read(bytes)
    if (bytes.left > 0) malformed(`${bytes.left} bytes are left over`)
    return node
  }
}
