import { isJsonObject, jsonValue } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import type { Refusal } from '../../core/refusal.ts'
import { isTagged } from '../../core/value.ts'
import type { Value } from '../../core/value.ts'
import { Shapes } from '../shapes.ts'
import { NO_NAMES, NO_VALUES } from './change-image.ts'
import type { Cells } from './change-image.ts'
import { LazyMap } from './lazy-map.ts'
import { UnavailableValue } from './unavailable-value.ts'

/** An object of a message: a row, or a key. */
export type Members = ReadonlyMap<string, JsonNode>

/** Reads rows and keys; values that are not available are null and named. */
export class RowReader {
  readonly #shapes = new Shapes()
  readonly #keys = new Shapes()
  readonly #unavailable: UnavailableValue

  constructor(unavailableValue: string) {
    this.#unavailable = new UnavailableValue(unavailableValue)
  }

  /** The columns of a key; none where it is no object, or is broken: the row may do without. */
  keyNames(key: JsonNode | Refusal): readonly string[] {
    if (isRefusal(key) || !isJsonObject(key)) return NO_NAMES
    return this.#keys.of([...key.keys()]).names
  }

  /** The columns of a whole row. */
  row(row: Members): Cells {
    const values: Value[] = []
    let unavailable: string[] | null = null
    for (const [name, node] of row) {
      const value = jsonValue(node)
      const stands = this.#unavailable.stands(value)
      values.push(stands ? null : value)
      if (stands) (unavailable ??= []).push(name)
    }
    const shape = this.#shapes.of([...row.keys()])
    return { shape, values, unavailable: unavailable ?? NO_NAMES }
  }

  /**
   * The columns of a deleted row: those of its key. Those of `before` are no better, being null
   * where the database did not log them; but its values may have types that the key lacks.
   * Without a key, all that is before.
   */
  deleted(key: JsonNode | Refusal, before: Members | null): Cells | Refusal {
    if (isRefusal(key) || !isJsonObject(key) || key.size === 0) {
      if (before !== null && before.size > 0) return this.row(before)
      return isRefusal(key) ? key : refuse('ENVELOPE', 'delete without a key')
    }
    const values = Array.from(key, ([name, node]) =>
      betterTyped(jsonValue(node), jsonValue(before?.get(name) ?? null)),
    )
    const shape = this.#shapes.of(this.keyNames(key))
    return { shape, values, unavailable: NO_NAMES }
  }

  /** No columns: those of a change that no row is told of. */
  none(): Cells {
    return { shape: this.#shapes.of(NO_NAMES), values: [], unavailable: NO_NAMES }
  }

  /** What a row held before, as far as it is told; null in the place of what is not available. */
  before(row: JsonNode): ReadonlyMap<string, Value> {
    if (!isJsonObject(row)) return NO_VALUES
    return new LazyMap(row, (name) => {
      const value = jsonValue(row.get(name) ?? null)
      return this.#unavailable.stands(value) ? null : value
    })
  }
}

/** A key may come without a schema where its value has one. */
function betterTyped(key: Value, before: Value): Value {
  if (!isTagged(before) || before.type === 'json') return key
  return isTagged(key) && key.type === before.type ? key : before
}
