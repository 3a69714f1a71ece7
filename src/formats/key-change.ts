import { sameValue } from '../core/value.ts'
import type { Value } from '../core/value.ts'
import { valueIn, valuesOf } from '../ports/source.ts'
import type { Decoded, Image } from '../ports/source.ts'

/**
 * An update that gives its row another key, as two images: the deletion of the old key, then the
 * row under the new one, with `oldKey` saying where it came from. Every other image is itself.
 *
 *     before id=1, image id=2 name='x'
 *       →  delete id=1 name='x', new key (2) · upsert id=2 name='x', old key (1)
 *
 * What changed is read from `before` of the hint; a column it lacks has not changed.
 *
 * @param keys the columns that are the key, in order
 */
export function splitKeyChange(image: Image, keys: readonly string[]): readonly Image[] {
  const { hint, shape } = image
  if (hint?.op !== 'upsert' || hint.before.size === 0) return [image]
  const { before } = hint
  const isMoved = keys.some((key) => hasChanged(image, key, before))
  if (!isMoved) return [image]

  const old = valuesOf(image).map((value, i) => {
    const was = before.get(shape.names[i] ?? '')
    return was === undefined ? value : was
  })
  const newKey = keys.map((key) => valueIn(image, key) ?? null)
  const oldKey = keys.map((key, i) => before.get(key) ?? newKey[i] ?? null)
  const gone = {
    op: 'delete',
    unavailable: [],
    isPartial: false,
    merge: [],
    before: NOTHING,
  } as const
  const deleted: Image = { ...image, values: old, hint: { ...hint, ...gone, keys, newKey } }
  return [deleted, { ...image, hint: { ...hint, keys, oldKey, before: NOTHING } }]
}

/** What a message is that became these images. */
export function decodedOf(images: readonly Image[]): Decoded {
  const [first] = images
  return images.length === 1 && first !== undefined ? first : { kind: 'images', images }
}

const NOTHING: ReadonlyMap<string, Value> = new Map()

function hasChanged(image: Image, key: string, before: ReadonlyMap<string, Value>): boolean {
  const old = before.get(key)
  const value = valueIn(image, key)
  return old !== undefined && old !== null && value !== undefined && !sameValue(old, value)
}
