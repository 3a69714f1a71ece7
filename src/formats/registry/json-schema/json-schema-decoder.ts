import { parseExactJson } from '../../../core/json.ts'
import type { SchemaText } from '../../../ports/schema-source.ts'
import { utf8Fault } from '../../utf8.ts'
import type { ConnectTypes } from '../connect-types.ts'
import { malformed, MAX_DEPTH } from '../malformed.ts'
import type { PayloadDecoder } from '../payload-decoder.ts'
import { JsonSchema } from './json-schema.ts'

/**
 * Reads payloads that are JSON, their values typed as far as Kafka Connect noted types in the
 * schema. Nothing is validated: the schema says what values mean, not which are welcome.
 *
 * @throws Malformed for a schema that is none
 */
export function jsonSchemaDecoder(schema: SchemaText, connectTypes: ConnectTypes): PayloadDecoder {
  const typed = new JsonSchema(schema, connectTypes)
  return (payload) => {
    const fault = utf8Fault(payload)
    if (fault !== null) malformed(fault)
    const parsed = parseExactJson(payload.toString('utf8'), MAX_DEPTH)
    if ('error' in parsed) malformed(`broken JSON: ${parsed.error}, at character ${parsed.at + 1}`)
    return typed.convert(parsed.node)
  }
}
