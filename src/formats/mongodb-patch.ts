import { isJsonArray, isJsonObject, jsonValue } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import { MAX_DEPTH } from './json-scan.ts'
import { objectOf, textsOf } from './members.ts'
import type { JsonObject } from './members.ts'

/** What an update says of some fields of a document: columns to write, and which of them merge. */
export type Patch = { readonly columns: JsonObject; readonly merge: readonly string[] }

/**
 * The columns that a change stream's `updateDescription` writes.
 *
 *     updatedFields {"a": 1, "b.c.d": 2}, removedFields ["e"]  →  a=1 b={"c":{"d":2}} (merged) e=null
 *
 * @param updated `updatedFields`, its values read from extended JSON
 * @returns `ENVELOPE` for what merging cannot express: elements of arrays and their truncation,
 *   and in a nested object null, a removal, or a whole object in the place of another
 */
export function patchOf(description: JsonObject, updated: JsonObject): Patch | Refusal {
  const columns = new Map<string, JsonNode>()
  const merging = new Merging(columns)
  const segments = objectOf(description.get('disambiguatedPaths'))

  for (const [path, node] of updated) {
    const names = namesOf(path, segments)
    if (names === null) return inexpressible(`"${path}" is, or may be, an element of an array`)
    const [column = path, ...rest] = names
    if (rest.length === 0) {
      if (columns.has(column)) return overlapping(path)
      columns.set(column, node)
      continue
    }
    if (rest.length > MAX_DEPTH) return inexpressible(`a path has more than ${MAX_DEPTH} names`)
    if (jsonValue(node) === null) return inexpressible(`"${path}" becomes null in its object`)
    if (isJsonObject(node)) return inexpressible(`"${path}" becomes another object`)
    if (!merging.put(column, rest, node)) return overlapping(path)
  }

  for (const path of textsOf(description.get('removedFields')) ?? []) {
    const names = namesOf(path, segments)
    if (names?.length !== 1) return inexpressible(`"${path}" is removed from its object`)
    const [column = path] = names
    if (columns.has(column)) return overlapping(path)
    columns.set(column, null)
  }

  const truncated = description.get('truncatedArrays') ?? null
  if (isJsonArray(truncated) && truncated.length > 0) return inexpressible('an array is truncated')
  return { columns, merge: merging.names }
}

/** The names on a path; null where one of them may be an index. */
function namesOf(path: string, segments: JsonObject | null): readonly string[] | null {
  const given = segments?.get(path)
  if (given !== undefined) return textsOf(given)
  const names = path.split('.')
  return names.slice(1).some((name) => /^\d+$/.test(name)) ? null : names
}

/** Puts members into the objects of columns, one at a time, however many there are. */
class Merging {
  /** The columns that have such members. */
  readonly names: string[] = []
  readonly #columns: Map<string, JsonNode>
  /** Each object by the path to it. */
  readonly #objects = new Map<string, Map<string, JsonNode>>()

  constructor(columns: Map<string, JsonNode>) {
    this.#columns = columns
  }

  /** Puts a member in at a path below a column; false where something else is there already. */
  put(column: string, path: readonly string[], node: JsonNode): boolean {
    if (!this.#columns.has(column)) this.names.push(column)
    let at = ''
    let within = this.#columns
    let name = column
    for (const inner of path) {
      at += JSON.stringify(name)
      let object = this.#objects.get(at)
      if (object === undefined) {
        if (within.has(name)) return false
        object = new Map()
        this.#objects.set(at, object)
        within.set(name, object)
      }
      within = object
      name = inner
    }
    if (within.has(name)) return false
    within.set(name, node)
    return true
  }
}

function overlapping(path: string): Refusal {
  return inexpressible(`"${path}" and another path overlap`)
}

function inexpressible(what: string): Refusal {
  return refuse(
    'ENVELOPE',
    `the update cannot be applied to columns: ${what}; let the feed send full documents`,
  )
}
