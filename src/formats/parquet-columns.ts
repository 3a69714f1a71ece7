import type { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet'
import { plainText } from '../core/display.ts'
import { jsonValue, type JsonNode } from '../core/json.ts'
import { isRefusal, refuse, type Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import { leafReader } from './parquet-leaf.ts'

/** A column of a Parquet file, and how a value of it is read from what the library gives for it. */
export type ParquetColumn = {
  readonly name: string
  readonly read: (raw: unknown) => Value | Refusal
}

/** The columns of a file by its schema, as a tree. Nested ones are JSON: lists are arrays, maps and structs objects. */
export function parquetColumns({ children }: SchemaTree): readonly ParquetColumn[] {
  return children.map((tree) => {
    const { name } = tree.element
    if (tree.children.length === 0 && tree.element.repetition_type !== 'REPEATED') {
      const leaf = leafReader(tree.element)
      return { name, read: (raw) => (raw === null || raw === undefined ? null : leaf(raw)) }
    }
    const nested = nodeReader(tree)
    return {
      name,
      read: (raw) => {
        const node = nested(raw)
        return isRefusal(node) ? node : jsonValue(node)
      },
    }
  })
}

/**
 * The schema without the meaning of its columns, so that the library gives what the file physically
 * holds rather than doubles and dates of milliseconds. Only lists stay lists.
 */
export function physicalSchema(schema: FileMetaData['schema']): FileMetaData['schema'] {
  return schema.map((element) => {
    const { converted_type, logical_type, ...physical } = element
    const isAList = converted_type === 'LIST' || logical_type?.type === 'LIST'
    const isGroup = physical.type === undefined
    return isGroup && isAList ? { ...physical, converted_type: 'LIST' } : physical
  })
}

/** A group that the library would have to understand and this project does not read. */
export function unreadGroup(schema: FileMetaData['schema']): SchemaElement | null {
  return schema.find(({ logical_type }) => logical_type?.type === 'VARIANT') ?? null
}

type ReadNode = (raw: unknown) => JsonNode | Refusal

function nodeReader(tree: SchemaTree): ReadNode {
  const read = single(tree)
  return tree.element.repetition_type === 'REPEATED' ? (raw) => listOf(raw, read) : read
}

/** Reads one value of a node, whatever its repetition. */
function single(tree: SchemaTree): ReadNode {
  const { element, children } = tree
  const [only] = children
  if (only === undefined) {
    const leaf = leafReader(element)
    return (raw) => (isAbsent(raw) ? null : leaf(raw))
  }
  const hasOneRepeated = children.length === 1 && only.element.repetition_type === 'REPEATED'
  if (hasOneRepeated && isMarked(element, 'LIST')) return listReader(only)
  if (hasOneRepeated && isMarked(element, 'MAP') && only.children.length === 2) {
    return mapReader(only)
  }
  return structReader(children)
}

function listReader(repeated: SchemaTree): ReadNode {
  const [item, other] = repeated.children
  if (other === undefined) {
    // The library takes a group of one member for what only wraps the items.
    const read = item === undefined ? single(repeated) : nodeReader(item)
    return (raw) => (isAbsent(raw) ? null : listOf(raw, read))
  }
  const read = single(repeated)
  const { name } = repeated.element
  return (raw) => (isAbsent(raw) ? null : listOf(member(raw, name), read))
}

function mapReader(repeated: SchemaTree): ReadNode {
  const { name } = repeated.element
  const [keys, values] = repeated.children
  if (keys === undefined || values === undefined) return structReader(repeated.children)
  const readKey = nodeReader(keys)
  const readValue = nodeReader(values)
  return (raw) => {
    if (isAbsent(raw)) return null
    const entries = member(raw, name)
    const out = new Map<string, JsonNode>()
    for (const entry of isList(entries) ? entries : []) {
      const key = readKey(member(entry, keys.element.name))
      const value = readValue(member(entry, values.element.name))
      if (isRefusal(key)) return key
      if (isRefusal(value)) return value
      out.set(plainText(jsonValue(key)), value)
    }
    return out
  }
}

function structReader(children: readonly SchemaTree[]): ReadNode {
  const members = children.map((child) => ({ name: child.element.name, read: nodeReader(child) }))
  return (raw) => {
    if (isAbsent(raw)) return null
    const out = new Map<string, JsonNode>()
    for (const { name, read } of members) {
      const value = read(member(raw, name))
      if (isRefusal(value)) return value
      out.set(name, value)
    }
    return out
  }
}

function listOf(raw: unknown, read: ReadNode): JsonNode | Refusal {
  if (!isList(raw)) return isAbsent(raw) ? [] : refuse('UNDECODABLE', 'a list is no list')
  const out: JsonNode[] = []
  for (const each of raw) {
    const node = read(each)
    if (isRefusal(node)) return node
    out.push(node)
  }
  return out
}

function isList(raw: unknown): raw is readonly unknown[] {
  return Array.isArray(raw)
}

function member(raw: unknown, name: string): unknown {
  if (typeof raw !== 'object' || raw === null) return null
  return Object.getOwnPropertyDescriptor(raw, name)?.value
}

function isAbsent(raw: unknown): boolean {
  return raw === null || raw === undefined
}

function isMarked({ converted_type, logical_type }: SchemaElement, what: 'LIST' | 'MAP'): boolean {
  const isOldMap = what === 'MAP' && converted_type === 'MAP_KEY_VALUE'
  return converted_type === what || logical_type?.type === what || isOldMap
}
