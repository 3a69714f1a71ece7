import { isObject, type Json } from '../conformance/json.ts'
import { RegistryServer, type ServedSchema } from '../registry-server.ts'
import type { FeedCase } from './feed-case.ts'
import { formatOfCase, registryOf } from './flow-of-case.ts'

/** A registry that serves what a case says, by id or GUID; null if the case has none. */
export async function registryServerOf(feed: FeedCase): Promise<RegistryServer | null> {
  const schemas = registryOf(feed)
  if (schemas === null) return null
  const type = TYPES.find(([pattern]) => pattern.test(formatOfCase(feed)))?.[1] ?? 'AVRO'
  const ids: Record<string, ServedSchema> = {}
  const guids: Record<string, ServedSchema> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const served = name.includes('-') ? guids : ids
    served[name] = servedSchema(schema, type)
  }
  return RegistryServer.start({ ids, guids })
}

type SchemaType = NonNullable<ServedSchema['schemaType']>

const TYPES: readonly (readonly [RegExp, SchemaType])[] = [
  [/protobuf/, 'PROTOBUF'],
  [/json-schema/, 'JSON'],
]

/** A schema stands as itself, as its text, or as the registry's own answer. */
function servedSchema(schema: Json, schemaType: SchemaType): ServedSchema {
  if (typeof schema === 'string') return { schema, schemaType }
  const text = isObject(schema) ? schema['schema'] : null
  const type = isObject(schema) ? (schema['schemaType'] ?? schemaType) : schemaType
  if (typeof text !== 'string' || !isSchemaType(type)) {
    return { schema: JSON.stringify(schema), schemaType }
  }
  return { schema: text, schemaType: type }
}

function isSchemaType(type: Json): type is SchemaType {
  return type === 'AVRO' || type === 'PROTOBUF' || type === 'JSON'
}
