import { compareStamps, type Stamp } from './change.ts'
import { isObject } from './columns.ts'
import { isJsonArray, isJsonObject, jsonValue, parseCanonical, type JsonNode } from './json.ts'
import { isTagged, type Value } from './value.ts'

/**
 * What is known of one column, or of one field of a nested object in it (semantics 3).
 *
 * `replaced` is the latest write that did not merge; `merged` the latest write of an object that
 * merges, if later than `replaced`, else null. `leaves` are the fields that merges later than
 * `replaced` wrote; the other fields show through from the value of `replaced`. Nothing older
 * than `replaced` is kept, for a value in the place of an object deletes the leaves below it.
 *
 *     replace {a:1,b:2} at 3, merge {b:{c:5}} at 7:
 *       replaced {a:1,b:2} at 3, merged 7, leaves b → { replaced 2 at 3, merged 7, leaves c → 5 at 7 }
 */
export type Register = {
  readonly replaced: Written | null
  readonly merged: Stamp | null
  readonly leaves: ReadonlyMap<string, Register>
}

/** A value and the event that wrote it. A nested object may be canonical text or taken apart. */
export type Written = { readonly stamp: Stamp; readonly value: JsonNode }

/** A place in the order before which everything is forgotten. At its sequence a truncate comes before all else. */
export type Deletion = { readonly stamp: Stamp; readonly truncate: boolean }

/** No leaf of its own. */
const NO_LEAVES: ReadonlyMap<string, Register> = new Map()

/** What nobody wrote. */
export const UNWRITTEN: Register = { replaced: null, merged: null, leaves: NO_LEAVES }

/** The register of a column that only one event wrote. */
export function writtenBy(stamp: Stamp, value: JsonNode): Register {
  return { replaced: { stamp, value }, merged: null, leaves: NO_LEAVES }
}

/** Whether an upsert or delete comes before a deletion. */
export function isBefore(stamp: Stamp, { stamp: at, truncate }: Deletion): boolean {
  if (truncate) return stamp.sequence < at.sequence
  return compareStamps(stamp, at) < 0
}

/** Joins a write that does not merge. */
export function replace(register: Register, stamp: Stamp, value: JsonNode): Register {
  return renew(register, { stamp, truncate: false }, value)
}

/** Joins a deletion: what is older goes. */
export function forget(register: Register, deletion: Deletion): Register {
  return renew(register, deletion, undefined)
}

/** Joins a write of an object that merges: its fields that are not null, each into its leaf. */
export function merge(register: Register, stamp: Stamp, value: JsonNode): Register {
  const patch = fieldsOf(value)
  if (patch === null) return replace(register, stamp, value)
  const { replaced, merged } = register
  if (replaced !== null && compareStamps(replaced.stamp, stamp) >= 0) return register

  const before = replaced === null ? null : withFields(replaced)
  const leaves = new Map(register.leaves)
  for (const [name, field] of patch) {
    if (field === null) continue
    leaves.set(name, merge(leaves.get(name) ?? shown(before, name), stamp, field))
  }
  const isLatest = merged === null || compareStamps(merged, stamp) < 0
  return { replaced: before, merged: isLatest ? stamp : merged, leaves }
}

/** The value that a register shows; null where nobody wrote it. */
export function valueOf(register: Register): Value {
  const node = nodeOf(register) ?? null
  return isJsonObject(node) || isJsonArray(node) ? jsonValue(node) : node
}

/** The events that a register still knows of; one may be named several times. */
export function writersOf({ replaced, merged, leaves }: Register): readonly Stamp[] {
  const own = [replaced?.stamp, merged].filter((stamp) => stamp !== undefined && stamp !== null)
  return [...own, ...[...leaves.values()].flatMap(writersOf)]
}

/** The fields of a nested object, null for any other value. */
export function fieldsOf(node: JsonNode): ReadonlyMap<string, JsonNode> | null {
  if (isJsonObject(node)) return node
  if (isJsonArray(node) || !isTagged(node) || !isObject(node)) return null
  const fields = parseCanonical(node.text)
  return isJsonObject(fields) ? fields : null
}

/** Forgets what is older than a cut and puts a value, or with undefined nothing, in its place. */
function renew(register: Register, cut: Deletion, value: JsonNode | undefined): Register {
  const { replaced, merged, leaves } = register
  if (replaced !== null && !isBefore(replaced.stamp, cut)) return register

  const renewed = value === undefined ? null : { stamp: cut.stamp, value }
  if (merged === null || isBefore(merged, cut)) {
    return renewed === null ? UNWRITTEN : { replaced: renewed, merged: null, leaves: NO_LEAVES }
  }
  return { replaced: renewed, merged, leaves: renewLeaves(leaves, cut, value) }
}

/** Leaves without a later write than the cut go: they are what the value in their place shows. */
function renewLeaves(
  leaves: ReadonlyMap<string, Register>,
  cut: Deletion,
  value: JsonNode | undefined,
): ReadonlyMap<string, Register> {
  const fields = value === undefined ? null : fieldsOf(value)
  const kept = new Map<string, Register>()
  for (const [name, leaf] of leaves) {
    const latest = leaf.merged ?? leaf.replaced?.stamp
    if (latest === undefined || isBefore(latest, cut)) continue
    kept.set(name, renew(leaf, cut, fields?.get(name)))
  }
  return kept
}

/** The leaf of a field that only the replaced value has a say in. */
function shown(replaced: Written | null, name: string): Register {
  if (replaced === null) return UNWRITTEN
  const field = fieldsOf(replaced.value)?.get(name)
  return field === undefined ? UNWRITTEN : writtenBy(replaced.stamp, field)
}

/** Takes a nested object apart for good, so that further merges need not. */
function withFields({ stamp, value }: Written): Written {
  return { stamp, value: fieldsOf(value) ?? value }
}

/** The value as a node; undefined where nobody wrote it. */
function nodeOf({ replaced, merged, leaves }: Register): JsonNode | undefined {
  if (merged === null) return replaced?.value
  const members = new Map(replaced === null ? [] : fieldsOf(replaced.value))
  for (const [name, leaf] of leaves) {
    const node = nodeOf(leaf)
    if (node !== undefined) members.set(name, node)
  }
  return members
}
