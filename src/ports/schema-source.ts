/** What names a schema in a message: the number that a registry gave it, or its GUID (lower-case, with hyphens). */
export type SchemaId = { readonly by: 'id' | 'guid'; readonly text: string }

/** A schema as a registry keeps it. */
export type SchemaText = {
  readonly kind: 'AVRO' | 'PROTOBUF' | 'JSON'
  readonly text: string
  /** The schemas that it refers to, each with its own, under the names by which it refers to them. */
  readonly references: readonly SchemaReference[]
}

/** A schema that another one refers to: a full name of Avro, an import of Protobuf, a `$ref` of JSON Schema. */
export type SchemaReference = { readonly name: string; readonly schema: SchemaText }

/**
 * Has the schemas that messages name.
 *
 * The implementer must: answer null only where the registry says that there is no such schema;
 * never put secrets into messages or details; give up after a while. The caller decides whether
 * to try again, and keeps what was fetched: a schema never changes under its id.
 *
 * @throws TidemarkError `SCHEMA_UNAVAILABLE` where it cannot be had now
 */
export interface SchemaSource {
  fetch(id: SchemaId): Promise<SchemaText | null>
}
