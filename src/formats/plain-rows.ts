import { isJsonObject } from '../core/json.ts'
import { isRefusal, refuse } from '../core/refusal.ts'
import type { Decoded } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { hintOf } from './hint.ts'
import type { Preset } from './message.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** Rows say nothing beyond their columns. */
export const PLAIN_ROWS: Preset = {
  order: null,
  hasKeys: false,
  hasTime: false,
  isPartial: false,
}

/** Values that are the row itself. A message without a value is a tombstone of the key that its key names. */
export class PlainRows implements Envelope {
  readonly #shapes = new Shapes()

  read({ value, key }: Opened): Decoded {
    if (value === null) return tombstoneOf(key(), this.#shapes)
    if (!isJsonObject(value)) return refuse('ENVELOPE', 'the value is no object')
    return rowImage(value, null, this.#shapes)
  }
}

/** The image of a message without a value: the columns of its key. */
export function tombstoneOf(key: ReturnType<Opened['key']>, shapes: Shapes): Decoded {
  if (isRefusal(key)) return key
  if (key === null) return { kind: 'ignored', reason: 'message without key and value' }
  if (!isJsonObject(key)) {
    return { kind: 'ignored', reason: 'tombstone whose key names no columns' }
  }
  return rowImage(key, hintOf({ op: 'tombstone', keys: [...key.keys()] }), shapes)
}
