import { canonicalText } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { refuse } from '../core/refusal.ts'
import type { Decoded, Hint } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { hintOf } from './hint.ts'
import { decodedOf, splitKeyChange } from './key-change.ts'
import { fieldsOf, instantOf, objectOf, textOf, textsOf, valuesOf } from './members.ts'
import type { JsonObject } from './members.ts'
import type { Preset } from './message.ts'
import { tombstoneOf } from './plain-rows.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** The sequence is the position in the trail; the key is `primary_keys`. */
export const OGG: Preset = {
  order: 'Oracle GoldenGate',
  hasKeys: true,
  hasTime: true,
  isPartial: true,
}

/**
 * Operations of Oracle GoldenGate as its JSON formatter writes them.
 *
 * A column absent from a compressed update is left to the flow (`missing_columns`); one that the
 * feed itself marks with `<column>_isMissing` is unavailable.
 */
export class OracleGoldenGate implements Envelope {
  readonly #shapes = new Shapes()

  read({ value, key }: Opened): Decoded {
    if (value === null) return tombstoneOf(key(), this.#shapes)
    const record = objectOf(value)
    if (record === null) return refuse('ENVELOPE', 'the value is no object')
    const type = textOf(record.get('op_type'))
    const op = OPERATIONS.get(type ?? '')
    if (op === undefined) {
      return refuse('ENVELOPE', `unknown op_type ${canonicalText(record.get('op_type') ?? null)}`)
    }
    const keys = textsOf(record.get('primary_keys')) ?? []
    const hint = hintOf({
      op,
      sequence: [textOf(record.get('pos'))],
      time: instantOf(record.get('op_ts')),
      keys: op === 'truncate' ? [] : keys,
      fields: fieldsOf({
        _op: type,
        ...tableOf(textOf(record.get('table')) ?? ''),
        _tx_id: record.get('xid'),
      }),
    })
    if (op === 'truncate') return rowImage(new Map(), hint, this.#shapes)

    const before = objectOf(record.get('before'))
    const after = objectOf(record.get('after'))
    const row = op === 'delete' ? (before ?? after) : after
    if (row === null) {
      const name = op === 'delete' ? 'before' : 'after'
      return refuse('ENVELOPE', `"${name}" of the operation ${type} is no object`)
    }
    return this.#row(row, type === 'U' ? before : null, hint)
  }

  #row(row: JsonObject, before: JsonObject | null, hint: Hint): Decoded {
    const [columns, missing] = withoutMarks(row)
    const [old, unknown] = before === null ? [NOTHING, []] : withoutMarks(before)
    const values = new Map(valuesOf(old))
    for (const name of unknown) values.delete(name)
    // A compressed update need not repeat a key that stays the same.
    for (const name of hint.keys) {
      const isAbsent = !columns.has(name) || missing.includes(name)
      if (isAbsent && values.has(name)) columns.set(name, values.get(name) ?? null)
    }
    const unavailable = missing.filter((name) => !hint.keys.includes(name))
    const image = rowImage(columns, { ...hint, unavailable, before: values }, this.#shapes)
    return decodedOf(splitKeyChange(image, hint.keys))
  }
}

const OPERATIONS: ReadonlyMap<string, 'upsert' | 'delete' | 'truncate'> = new Map([
  ['I', 'upsert'],
  ['U', 'upsert'],
  ['D', 'delete'],
  ['T', 'truncate'],
])

const NOTHING: JsonObject = new Map()

const MARK = '_isMissing'

/** The columns without the marks of older formatters, and those that are marked as missing. */
function withoutMarks(row: JsonObject): [Map<string, JsonNode>, readonly string[]] {
  const columns = new Map<string, JsonNode>()
  const missing: string[] = []
  for (const [name, node] of row) {
    const of = name.endsWith(MARK) ? name.slice(0, -MARK.length) : null
    if (of === null || !row.has(of) || typeof node !== 'boolean') columns.set(name, node)
    else if (node) missing.push(of)
  }
  return [columns, missing]
}

/** `TABLE`, `SCHEMA.TABLE` or `CATALOG.SCHEMA.TABLE`. */
function tableOf(name: string): Readonly<Record<string, string | undefined>> {
  const parts = name.split('.')
  return { _table: parts.at(-1), _schema: parts.at(-2), _db: parts.at(-3) }
}
