import protobuf from 'protobufjs'
import type { Namespace, Type } from 'protobufjs'
import type { SchemaText } from '../../../ports/schema-source.ts'
import { malformed } from '../malformed.ts'
import { KNOWN_FILES, KNOWN_IMPORTS } from './known-files.ts'
import { withoutOptions } from './without-options.ts'

/**
 * The messages of a Protobuf schema, with everything that it imports.
 *
 * Found by message indexes: where a message stands in its file, and within the message around it.
 */
export class ProtoSchema {
  readonly #root = new protobuf.Root()
  readonly #files = new Set<string>()
  readonly #top: readonly Type[]

  /** @throws Malformed for a schema that is none */
  constructor(schema: SchemaText) {
    const files = KNOWN_IMPORTS.map((name) => [name, protobuf.common.get(name)] as const)
    this.#addReferences(schema)
    const [names, imports] = namesIn(schema.text)
    this.#add(schema.text)
    for (const name of imports) this.#addKnown(name)
    for (const [name, file] of files) {
      if (file?.nested !== undefined && !this.#files.has(name)) this.#root.addJSON(file.nested)
    }
    this.#top = names.map((name) => this.#root.lookupType(name))
  }

  /** @throws Malformed where there is no such message, or one of its types is missing */
  message(indexes: readonly number[]): Type {
    let types = this.#top
    let found: Type | undefined
    for (const index of indexes) {
      found = types[index]
      if (found === undefined) return malformed(`the schema has no message [${indexes.join(', ')}]`)
      types = typesOf(found)
    }
    return found ?? malformed('no message is named')
  }

  #addReferences({ references }: SchemaText): void {
    for (const { name, schema } of references) {
      if (this.#files.has(name)) continue
      this.#files.add(name)
      this.#addReferences(schema)
      this.#add(schema.text)
      for (const imported of namesIn(schema.text)[1]) this.#addKnown(imported)
    }
  }

  #addKnown(name: string): void {
    const text = Object.hasOwn(KNOWN_FILES, name) ? KNOWN_FILES[name] : undefined
    if (text === undefined || this.#files.has(name)) return
    this.#files.add(name)
    this.#add(`syntax = "proto3"; ${text}`)
  }

  #add(text: string): void {
    parse(text, this.#root)
  }
}

/** The full names of the messages of a file, in its order, and what it imports. */
function namesIn(text: string): readonly [names: readonly string[], imports: readonly string[]] {
  const { root, package: name, imports = [], weakImports = [] } = parse(text, new protobuf.Root())
  const namespace = name === undefined ? root : root.lookup(name)
  if (!(namespace instanceof protobuf.Namespace)) return [[], imports]
  return [typesOf(namespace).map((type) => type.fullName), [...imports, ...weakImports]]
}

/** The messages that are defined in a file or a message; groups do not count. */
function typesOf(namespace: Namespace): readonly Type[] {
  return namespace.nestedArray.filter(
    (nested): nested is Type => nested instanceof protobuf.Type && nested.toJSON().group !== true,
  )
}

function parse(text: string, root: protobuf.Root): protobuf.IParserResult {
  try {
    // Tried on its own first, for half a file may be left in the root of one that fails.
    protobuf.parse(text, new protobuf.Root(), { keepCase: true })
  } catch {
    return attempt(() => protobuf.parse(withoutOptions(text), root, { keepCase: true }))
  }
  return attempt(() => protobuf.parse(text, root, { keepCase: true }))
}

/** Makes a fault of the schema of what protobufjs finds wrong with it. */
export function attempt<T>(use: () => T): T {
  try {
    return use()
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error)
    return malformed(`the schema is broken: ${fault}`)
  }
}
