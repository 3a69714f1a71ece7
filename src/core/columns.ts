import type { Upsert } from './change.ts'
import { mergeJson } from './json.ts'
import { cell, isTagged, type Row, type Value } from './value.ts'
import { isWritten, type Writes } from './writes.ts'

/**
 * The row just after an upsert (semantics 2 and 3): the written columns overwrite, the others
 * keep what was there; where the key did not exist, they start as null.
 */
export function overwrite(before: Row | null, upsert: Upsert): Row {
  const { row, writes } = upsert
  if (writes === 'all') return row

  const base = before ?? []
  const width = Math.max(base.length, row.length)
  return Array.from({ length: width }, (_, column) =>
    written(cell(base, column), cell(row, column), writes, column),
  )
}

/** Whether a value is a nested object, which merges leaf by leaf; an array is one leaf. */
export function isObject(value: Value): boolean {
  return isTagged(value) && value.type === 'json' && value.text.startsWith('{')
}

/** The object that comes of writing the leaves of `patch` over what was there. */
function mergeValue(before: Value, patch: Value): Value {
  if (!isTagged(patch)) return patch
  const base = isTagged(before) && isObject(before) ? before.text : null
  return { type: 'json', text: mergeJson(base, patch.text) }
}

function written(before: Value, value: Value, writes: Writes, column: number): Value {
  if (!isWritten(writes, column)) return before
  const merges = writes !== 'all' && writes.merge.includes(column) && isObject(value)
  return merges ? mergeValue(before, value) : value
}
