import { isJsonArray, isJsonObject, parseExactJson } from '../../../core/json.ts'
import type { JsonNode } from '../../../core/json.ts'
import { numberFromDouble } from '../../../core/number.ts'
import type { SchemaText } from '../../../ports/schema-source.ts'
import type { ConnectTypes } from '../connect-types.ts'
import { malformed } from '../malformed.ts'
import { bytesValue, valueOfFloat } from '../scalars.ts'
import { connectParameters, countOf, readerOfLogical } from './avro-logical.ts'
import type { Attributes, Read } from './avro-logical.ts'

/**
 * How to read what a schema describes; worked out once per schema.
 *
 * Names are resolved as Avro's specification has it ("Names"), those of references first. What
 * Kafka Connect noted about a type goes before Avro's own logical type. Defaults and aliases do
 * not matter, for the schema that wrote is the one that reads.
 *
 * @throws Malformed for a schema that is none
 */
export function avroReader(schema: SchemaText, connectTypes: ConnectTypes): Read {
  return new AvroSchemas(connectTypes).reader(schema)
}

class AvroSchemas {
  readonly #connectTypes: ConnectTypes
  readonly #named = new Map<string, Read>()

  constructor(connectTypes: ConnectTypes) {
    this.#connectTypes = connectTypes
  }

  reader({ text, references }: SchemaText): Read {
    for (const reference of references) this.reader(reference.schema)
    const parsed = parseExactJson(text)
    // A schema that is but the name of a type may come without quotes.
    if ('error' in parsed) {
      return PRIMITIVES.get(text.trim()) ?? malformed(`the schema is broken JSON: ${parsed.error}`)
    }
    return this.#reader(parsed.node, '')
  }

  #reader(schema: JsonNode, namespace: string): Read {
    if (typeof schema === 'string') return this.#known(schema, namespace)
    if (isJsonArray(schema)) return this.#union(schema, namespace)
    if (!isJsonObject(schema)) return malformed('a type of the schema is neither name nor object')

    const type = schema.get('type') ?? null
    if (typeof type !== 'string') return this.#reader(type, namespace)
    const plain = this.#plain(type, schema, namespace)
    const convert = this.#connectType(schema)
    const read: Read =
      convert === null ? (readerOfLogical(type, schema) ?? plain) : (bytes) => convert(plain(bytes))
    if (NAMED.has(type)) this.#named.set(nameOf(schema, namespace).full, read)
    return read
  }

  #connectType(attributes: Attributes): ((plain: JsonNode) => JsonNode) | null {
    const name = attributes.get('connect.name')
    if (typeof name !== 'string') return null
    return this.#connectTypes(name, connectParameters(attributes))
  }

  #plain(type: string, schema: Attributes, namespace: string): Read {
    switch (type) {
      case 'record':
      case 'error':
        return this.#record(schema, namespace)
      case 'enum':
        return enumReader(schema)
      case 'fixed':
        return fixedReader(schema)
      case 'array':
        return arrayReader(this.#reader(schema.get('items') ?? null, namespace))
      case 'map':
        return mapReader(this.#reader(schema.get('values') ?? null, namespace))
      default:
        return this.#known(type, namespace)
    }
  }

  /** A primitive type, or one that was defined before. */
  #known(name: string, namespace: string): Read {
    const primitive = PRIMITIVES.get(name)
    if (primitive !== undefined) return primitive
    const inside = name.includes('.') || namespace === '' ? name : `${namespace}.${name}`
    const full = this.#named.has(inside) ? inside : name
    if (!this.#named.has(full)) malformed(`the schema has no type "${inside}"`)
    // Looked up only when it is read, for the definition may still be under way.
    return (bytes) => this.#named.get(full)?.(bytes) ?? null
  }

  #union(branches: readonly JsonNode[], namespace: string): Read {
    const readers = branches.map((branch) => this.#reader(branch, namespace))
    return (bytes) => {
      const index = bytes.int()
      const read = readers[index]
      return read === undefined
        ? malformed(`branch ${index} of a union of ${readers.length}`)
        : read(bytes)
    }
  }

  #record(schema: Attributes, namespace: string): Read {
    const { full, inner } = nameOf(schema, namespace)
    const fields = schema.get('fields')
    if (fields === undefined || !isJsonArray(fields)) return malformed(`"${full}" has no fields`)

    const readers = new Map<string, Read>()
    const read: Read = (bytes) =>
      bytes.record(readers.size, () => {
        const record = new Map<string, JsonNode>()
        for (const [name, field] of readers) record.set(name, field(bytes))
        return record
      })
    this.#named.set(full, read)
    for (const field of fields) {
      const name = isJsonObject(field) ? field.get('name') : undefined
      if (!isJsonObject(field) || typeof name !== 'string')
        malformed(`a field of "${full}" is none`)
      if (readers.has(name)) malformed(`"${full}" has two fields "${name}"`)
      readers.set(name, this.#reader(field.get('type') ?? null, inner))
    }
    return read
  }
}

const NAMED: ReadonlySet<string> = new Set(['record', 'error', 'enum', 'fixed'])

const PRIMITIVES: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['null', () => null],
  ['boolean', (bytes) => bytes.boolean()],
  ['int', (bytes) => bytes.int()],
  ['long', (bytes) => bytes.long()],
  ['float', (bytes) => valueOfFloat(bytes.float())],
  ['double', (bytes) => numberFromDouble(bytes.double())],
  ['bytes', (bytes) => bytesValue(bytes.bytes())],
  ['string', (bytes) => bytes.string()],
])

/** The full name of a type, and the namespace of what is defined within. */
function nameOf(schema: Attributes, outer: string): { full: string; inner: string } {
  const name = schema.get('name')
  if (typeof name !== 'string') return malformed('a type of the schema has no name')
  const dot = name.lastIndexOf('.')
  if (dot >= 0) return { full: name, inner: name.slice(0, dot) }
  const given = schema.get('namespace')
  const inner = typeof given === 'string' ? given : outer
  return { full: inner === '' ? name : `${inner}.${name}`, inner }
}

function enumReader(schema: Attributes): Read {
  const symbols = schema.get('symbols')
  if (symbols === undefined || !isJsonArray(symbols)) return malformed('an enum has no symbols')
  return (bytes) => {
    const index = bytes.int()
    return symbols[index] ?? malformed(`symbol ${index} of an enum of ${symbols.length}`)
  }
}

function fixedReader(schema: Attributes): Read {
  const size = countOf(schema.get('size'))
  if (size === null) return malformed('a fixed has no size')
  return (bytes) => bytesValue(bytes.fixed(size))
}

function arrayReader(item: Read): Read {
  return (bytes) =>
    bytes.nested(() => {
      const items: JsonNode[] = []
      bytes.items(() => items.push(item(bytes)))
      return items
    })
}

function mapReader(value: Read): Read {
  return (bytes) =>
    bytes.nested(() => {
      const entries = new Map<string, JsonNode>()
      bytes.items(() => {
        const name = bytes.string()
        if (entries.has(name)) malformed(`a map has two entries "${name}"`)
        entries.set(name, value(bytes))
      })
      return entries
    })
}
