import { hexOfBase64 } from '../../../core/bytes.ts'
import { isJsonArray, isJsonObject, parseExactJson } from '../../../core/json.ts'
import type { JsonNode } from '../../../core/json.ts'
import { convert, NOT_CONVERTIBLE } from '../../../core/types.ts'
import type { SchemaText } from '../../../ports/schema-source.ts'
import type { ConnectTypes } from '../connect-types.ts'
import { malformed } from '../malformed.ts'

type Convert = (node: JsonNode) => JsonNode
type Attributes = ReadonlyMap<string, JsonNode>

/** A schema and the document that its references are relative to. */
type Place = { readonly document: JsonNode; readonly references: SchemaText['references'] }

/**
 * What Kafka Connect's converter noted in a JSON Schema: its own type in `connect.type`, its name
 * for it in `title`, the parameters in `connect.parameters`.
 *
 * Of a choice (`oneOf`, `anyOf`) that is between null and one other, the other holds; wider ones
 * say nothing of the value.
 */
export class JsonSchema {
  readonly #connectTypes: ConnectTypes
  /** By the node that it was worked out from, so that schemas may be recursive. */
  readonly #converts = new Map<JsonNode, Convert>()
  readonly #documents = new Map<SchemaText, JsonNode>()
  readonly #convert: Convert
  /** How many schemas that refer to themselves are gone into at the moment. */
  #turns = 0

  /** @throws Malformed for a schema that is none */
  constructor(schema: SchemaText, connectTypes: ConnectTypes) {
    this.#connectTypes = connectTypes
    const document = this.#document(schema)
    this.#convert = this.#convertBy(document, { document, references: schema.references })
  }

  /** A value with the types that the schema notes. @throws Malformed for a schema that has no end */
  convert(node: JsonNode): JsonNode {
    this.#turns = 0
    return this.#convert(node)
  }

  #document(schema: SchemaText): JsonNode {
    const known = this.#documents.get(schema)
    if (known !== undefined) return known
    const parsed = parseExactJson(schema.text)
    if ('error' in parsed) return malformed(`the schema is broken JSON: ${parsed.error}`)
    this.#documents.set(schema, parsed.node)
    return parsed.node
  }

  #convertBy(schema: JsonNode, place: Place): Convert {
    if (!isJsonObject(schema)) return unchanged
    const known = this.#converts.get(schema)
    if (known !== undefined) return known

    // While it is worked out, what refers to it finds it only when it converts.
    const later: Convert = (node) => {
      this.#turns += 1
      if (this.#turns > MAX_TURNS) malformed('the schema refers to itself without end')
      const converted = this.#converts.get(schema)?.(node) ?? node
      this.#turns -= 1
      return converted
    }
    this.#converts.set(schema, later)
    const made = this.#made(schema, place)
    this.#converts.set(schema, made === later ? unchanged : made)
    return made
  }

  #made(schema: Attributes, place: Place): Convert {
    const ref = schema.get('$ref')
    if (typeof ref === 'string') return this.#referred(ref, place)
    const steps = [
      ...this.#chosen(schema, place),
      ...this.#members(schema, place),
      ...listOf(schema.get('allOf')).map((part) => this.#convertBy(part, place)),
      ...this.#scalar(schema),
    ].filter((step) => step !== unchanged)
    const [only = unchanged] = steps
    return steps.length < 2 ? only : (node) => steps.reduce((made, step) => step(made), node)
  }

  #chosen(schema: Attributes, place: Place): readonly Convert[] {
    const all = [...listOf(schema.get('oneOf')), ...listOf(schema.get('anyOf'))]
    const others = all.filter((choice) => !isNull(choice))
    const [other] = others
    if (other === undefined || others.length > 1) return []
    const chosen = this.#convertBy(other, place)
    return chosen === unchanged ? [] : [(node) => (node === null ? null : chosen(node))]
  }

  #members(schema: Attributes, place: Place): readonly Convert[] {
    const given = schema.get('properties') ?? null
    const properties = new Map<string, Convert>()
    if (isJsonObject(given)) {
      for (const [name, property] of given) properties.set(name, this.#convertBy(property, place))
    }
    const others = this.#convertBy(schema.get('additionalProperties') ?? null, place)
    const items = this.#convertBy(schema.get('items') ?? null, place)
    return [
      (node) => {
        if (isJsonArray(node)) return items === unchanged ? node : node.map(items)
        if (!isJsonObject(node)) return node
        const made = new Map<string, JsonNode>()
        for (const [name, value] of node) made.set(name, (properties.get(name) ?? others)(value))
        return made
      },
    ]
  }

  #scalar(schema: Attributes): readonly Convert[] {
    const type = schema.get('connect.type')
    const name = schema.get('title')
    const parameters = schema.get('connect.parameters') ?? null
    const meaning =
      typeof name === 'string' && typeof type === 'string'
        ? this.#connectTypes(name, isJsonObject(parameters) ? parameters : new Map())
        : null

    if (meaning !== null) return [(node) => (node === null ? null : meaning(node))]
    if (type === 'bytes') return [bytesOr]
    return type === 'float32' || type === 'float64' ? [doubleOr] : []
  }

  #referred(ref: string, place: Place): Convert {
    const hash = ref.indexOf('#')
    const [name, pointer] = hash < 0 ? [ref, ''] : [ref.slice(0, hash), ref.slice(hash + 1)]
    const target = name === '' ? place : this.#placeOf(name, place)
    const found = pointed(target.document, pointer)
    return found === undefined
      ? malformed(`the schema refers to "${ref}", which it does not have`)
      : this.#convertBy(found, target)
  }

  #placeOf(name: string, { references }: Place): Place {
    const schema = references.find((reference) => reference.name === name)?.schema
    if (schema === undefined) return malformed(`the schema has no reference "${name}"`)
    return { document: this.#document(schema), references: schema.references }
  }
}

/** Several for each level that a payload may have. */
const MAX_TURNS = 1_000

const unchanged: Convert = (node) => node

function listOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node !== undefined && isJsonArray(node) ? node : []
}

function isNull(schema: JsonNode): boolean {
  return isJsonObject(schema) && schema.get('type') === 'null'
}

/** Bytes stand as base64 text. */
function bytesOr(node: JsonNode): JsonNode {
  const hex = typeof node === 'string' ? hexOfBase64(node) : null
  return hex === null ? node : { type: 'bytes', text: hex }
}

/** JSON has no `NaN` and no infinities, so they stand as text. */
function doubleOr(node: JsonNode): JsonNode {
  if (typeof node !== 'string') return node
  const double = convert(node, 'double')
  return double === NOT_CONVERTIBLE ? node : double
}

/** What a JSON pointer, percent-encoded as in a URL, points to. */
function pointed(document: JsonNode, pointer: string): JsonNode | undefined {
  let node: JsonNode | undefined = document
  for (const step of pointer.split('/').slice(1)) {
    const name = plain(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (node !== undefined && isJsonObject(node)) node = node.get(name)
    else if (node !== undefined && isJsonArray(node)) node = node[Number(name)]
    else return undefined
  }
  return node
}

function plain(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
