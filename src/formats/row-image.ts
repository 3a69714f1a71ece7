import { jsonValue } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import type { Hint, Image } from '../ports/source.ts'
import type { Shapes } from './shapes.ts'

/** The image of an object: a column per member, in order, nested values as JSON. */
export function rowImage(
  row: ReadonlyMap<string, JsonNode>,
  hint: Hint | null,
  shapes: Shapes,
): Image {
  const values = Array.from(row.values(), jsonValue)
  return { kind: 'image', shape: shapes.of([...row.keys()]), values, hint }
}
