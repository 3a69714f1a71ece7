import { isJsonArray, isJsonObject } from '../../../src/core/json.ts'
import { isRefusal } from '../../../src/core/refusal.ts'
import type { JsonNode } from '../../../src/core/json.ts'
import type { Message } from '../../../src/formats/message.ts'
import { NO_CONNECT_TYPES } from '../../../src/formats/registry/connect-types.ts'
import { RegistryCodec } from '../../../src/formats/registry/registry-codec.ts'
import type { RegistryCodecOptions } from '../../../src/formats/registry/registry-codec.ts'
import type { SchemaId, SchemaSource, SchemaText } from '../../../src/ports/schema-source.ts'

/** Schemas by id or GUID, always at hand. Remembers what it was asked for. */
export class FixedSchemas implements SchemaSource {
  readonly asked: string[] = []
  readonly #schemas: Readonly<Record<string, SchemaText>>

  constructor(schemas: Readonly<Record<string, SchemaText>>) {
    this.#schemas = schemas
  }

  fetch({ text }: SchemaId): Promise<SchemaText | null> {
    this.asked.push(text)
    return Promise.resolve(this.#schemas[text] ?? null)
  }
}

/** An Avro schema. */
export function avro(schema: unknown, references: SchemaText['references'] = []): SchemaText {
  return { kind: 'AVRO', text: JSON.stringify(schema), references }
}

/** A message whose value is given as bytes or hex. */
export function valued(value: Buffer | string | null, said: Partial<Message> = {}): Message {
  return {
    stream: { name: 'topic', partition: 0 },
    offset: 0,
    key: null,
    value: typeof value === 'string' ? Buffer.from(value.replaceAll(' ', ''), 'hex') : value,
    headers: [],
    timestamp: null,
    ...said,
  }
}

/** What a payload, spaces in its hex left out, decodes to by schema 7: the tree, or the refusal. */
export async function decoded(
  schema: SchemaText,
  payload: Buffer | string,
  options: Partial<RegistryCodecOptions> = {},
): Promise<unknown> {
  const bytes =
    typeof payload === 'string' ? Buffer.from(payload.replaceAll(' ', ''), 'hex') : payload
  const source = new FixedSchemas({ 7: schema })
  const codec = new RegistryCodec({
    source,
    kind: schema.kind,
    connectTypes: NO_CONNECT_TYPES,
    ...options,
  })
  return decodedBy(codec, valued(Buffer.concat([Buffer.from('0000000007', 'hex'), bytes])))
}

/** The same of a whole message, by a codec. */
export async function decodedBy(
  codec: RegistryCodec,
  message: Message,
  part: 'key' | 'value' = 'value',
): Promise<unknown> {
  await codec.prepare([message])
  const result = codec.decode(part, message[part] ?? Buffer.alloc(0), message)
  return isRefusal(result) ? `${result.code} ${result.message}` : plain(result.node)
}

/** A tree with its objects as objects, for whole comparison; tagged values stay. */
export function plain(node: JsonNode): unknown {
  if (isJsonObject(node)) {
    return Object.fromEntries([...node].map(([name, value]) => [name, plain(value)]))
  }
  if (isJsonArray(node)) return node.map(plain)
  return node
}
