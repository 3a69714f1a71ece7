import { isJsonArray, isJsonObject, jsonValue } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
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
  const merge = new Set<string>()
  const segments = objectOf(description.get('disambiguatedPaths'))

  for (const [path, node] of updated) {
    const names = namesOf(path, segments)
    if (names === null) return inexpressible(`"${path}" is, or may be, an element of an array`)
    const [column = path, ...rest] = names
    if (rest.length === 0) {
      columns.set(column, node)
      continue
    }
    if (jsonValue(node) === null) return inexpressible(`"${path}" becomes null in its object`)
    if (isJsonObject(node)) return inexpressible(`"${path}" becomes another object`)
    const joined = withMember(columns.get(column), rest, node)
    if (joined === null) return inexpressible(`"${path}" and another path overlap`)
    columns.set(column, joined)
    merge.add(column)
  }

  for (const path of textsOf(description.get('removedFields')) ?? []) {
    const names = namesOf(path, segments)
    if (names?.length !== 1) return inexpressible(`"${path}" is removed from its object`)
    columns.set(names[0] ?? path, null)
  }

  const truncated = description.get('truncatedArrays') ?? null
  if (isJsonArray(truncated) && truncated.length > 0) return inexpressible('an array is truncated')
  return { columns, merge: [...merge] }
}

/** The names on a path; null where one of them may be an index. */
function namesOf(path: string, segments: JsonObject | null): readonly string[] | null {
  const given = segments?.get(path)
  if (given !== undefined) return textsOf(given)
  const names = path.split('.')
  return names.slice(1).some((name) => /^\d+$/.test(name)) ? null : names
}

/** An object with a member put in at a path; null where something else is there already. */
function withMember(
  base: JsonNode | undefined,
  path: readonly string[],
  node: JsonNode,
): JsonNode | null {
  const [name, ...rest] = path
  if (name === undefined) return base === undefined ? node : null
  if (base !== undefined && !isJsonObject(base)) return null
  const member = withMember(base?.get(name), rest, node)
  return member === null ? null : new Map([...(base ?? []), [name, member]])
}

function inexpressible(what: string): Refusal {
  return refuse(
    'ENVELOPE',
    `the update cannot be applied to columns: ${what}; let the feed send full documents`,
  )
}
