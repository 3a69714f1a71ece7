import { isJsonObject, jsonValue } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isRefusal } from '../../core/refusal.ts'
import type { Refusal } from '../../core/refusal.ts'
import { isTagged } from '../../core/value.ts'
import type { Value } from '../../core/value.ts'
import type { Hint, Image } from '../../ports/source.ts'
import { hintOf } from '../hint.ts'
import { Shapes } from '../shapes.ts'
import { LazyMap } from './lazy-map.ts'
import { UnavailableValue } from './unavailable-value.ts'

/** An object of a message: a row, or a key. */
export type Members = ReadonlyMap<string, JsonNode>

const NO_NAMES: readonly string[] = []
const NO_VALUES: ReadonlyMap<string, Value> = new Map()

/** Makes images of rows, of keys and of no row at all, unavailable values being null and named. */
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

  /** The image of a whole row. */
  row(row: Members, hint: Partial<Hint>): Image {
    const values: Value[] = []
    let unavailable: string[] | null = null
    for (const [name, node] of row) {
      const value = jsonValue(node)
      const stands = this.#unavailable.stands(value)
      values.push(stands ? null : value)
      if (stands) (unavailable ??= []).push(name)
    }
    const shape = this.#shapes.of([...row.keys()])
    const said = hintOf({ ...hint, unavailable: unavailable ?? NO_NAMES })
    return { kind: 'image', shape, values, hint: said }
  }

  /**
   * The image of a deleted row: the columns of its key. Those of `before` are no better, being
   * null where the database did not log them; but its values may have types that the key lacks.
   */
  deleted(key: Members, before: JsonNode, hint: Partial<Hint>): Image {
    const row = isJsonObject(before) ? before : null
    const values = Array.from(key, ([name, node]) =>
      betterTyped(jsonValue(node), jsonValue(row?.get(name) ?? null)),
    )
    const { names } = this.#keys.of([...key.keys()])
    return {
      kind: 'image',
      shape: this.#shapes.of(names),
      values,
      hint: hintOf({ ...hint, op: 'delete', keys: names }),
    }
  }

  /** What a row held before, as far as it is told; null in the place of what is not available. */
  before(row: JsonNode): ReadonlyMap<string, Value> {
    if (!isJsonObject(row)) return NO_VALUES
    return new LazyMap(row, (name) => {
      const value = jsonValue(row.get(name) ?? null)
      return this.#unavailable.stands(value) ? null : value
    })
  }

  /** The image of a change that no row is told of. */
  bare(hint: Partial<Hint>): Image {
    return { kind: 'image', shape: this.#shapes.of(NO_NAMES), values: [], hint: hintOf(hint) }
  }
}

/** A key may come without a schema where its value has one. */
function betterTyped(key: Value, before: Value): Value {
  if (!isTagged(before) || before.type === 'json') return key
  return isTagged(key) && key.type === before.type ? key : before
}
