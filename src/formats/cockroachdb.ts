import { canonicalText, isJsonArray, jsonValue } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { isRefusal, refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Decoded, Hint } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { hintOf } from './hint.ts'
import { decodedOf, splitKeyChange } from './key-change.ts'
import { epochOf, fieldsOf, integerOf, objectOf, textOf, textsOf, valuesOf } from './members.ts'
import type { JsonObject } from './members.ts'
import type { Preset } from './message.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** The sequence is the hybrid logical clock; the key has values but, in the wrapped envelope, no names. */
export const COCKROACHDB: Preset = {
  order: 'CockroachDB',
  hasKeys: false,
  hasTime: true,
  isPartial: false,
}

/**
 * Changefeeds of CockroachDB in the wrapped envelope (`WITH updated`), or in the enriched one
 * (`enriched_properties = 'source', updated`), with its schema or without.
 *
 * The sequence is `[nanoseconds, logical]`, both integers: an older version may come after a newer one.
 */
export class CockroachDb implements Envelope {
  readonly #shapes = new Shapes()

  read({ value, key }: Opened): Decoded {
    const payload = unwrapped(value)
    if (payload === null) return this.#tombstone(key())
    const record = objectOf(payload)
    if (record === null) return refuse('ENVELOPE', 'the value is no object')
    if (record.has('resolved')) return { kind: 'ignored', reason: 'resolved timestamp' }
    const after = record.get('after')
    if (after === undefined) {
      return refuse(
        'ENVELOPE',
        'the record has no "after": the envelope has to be wrapped or enriched',
      )
    }
    const source = objectOf(record.get('source'))
    const clock = clockOf(record, source)
    if (clock === undefined) return refuse('ENVELOPE', '"updated" is no timestamp of the cluster')

    const op = opOf(record)
    if (op === null)
      return refuse('ENVELOPE', `unknown op ${canonicalText(record.get('op') ?? null)}`)
    const row = objectOf(after)
    if (row === null && after !== null) return refuse('ENVELOPE', '"after" is no object')
    if (row === null && op === 'upsert') return refuse('ENVELOPE', '"after" of the change is null')
    const hint = { ...hintFrom(record, source, clock, key()), op }
    if (row === null) return this.#delete(record, hint)
    const before = op === 'upsert' ? valuesOf(objectOf(record.get('before'))) : hint.before
    return decodedOf(splitKeyChange(rowImage(row, { ...hint, before }, this.#shapes), hint.keys))
  }

  /** The row it was, if the feed tells (`WITH diff`), and else the key, if that has names. */
  #delete(record: JsonObject, hint: Hint): Decoded {
    const row = objectOf(record.get('before')) ?? namedKey(hint)
    return rowImage(row, hint, this.#shapes)
  }

  #tombstone(key: JsonNode | Refusal): Decoded {
    if (isRefusal(key)) return key
    const hint = hintOf({ op: 'tombstone', ...keyIn(unwrapped(key)) })
    if (hint.keyValues === null) return { kind: 'ignored', reason: 'message without value and key' }
    return rowImage(namedKey(hint), hint, this.#shapes)
  }
}

/** The payload of `{schema, payload}`; what is not wrapped is itself. */
function unwrapped(node: JsonNode): JsonNode {
  const object = objectOf(node)
  const isWrapped =
    object !== null && object.has('payload') && objectOf(object.get('schema')) !== null
  return isWrapped ? (object.get('payload') ?? null) : node
}

/** In the wrapped envelope a null `after` is a deletion; null here for an operation that is none. */
function opOf(record: JsonObject): 'upsert' | 'delete' | null {
  const op = record.get('op')
  if (op === undefined) return record.get('after') === null ? 'delete' : 'upsert'
  if (op === 'd') return 'delete'
  return op === 'c' || op === 'u' || op === 'r' ? 'upsert' : null
}

const CLOCK = /^(\d+)\.(\d+)$/

/** Null where the record has none, undefined where it has one that is none. */
function clockOf(
  record: JsonObject,
  source: JsonObject | null,
): readonly [Value, Value] | null | undefined {
  const node =
    record.get('updated') ??
    source?.get('ts_hlc') ??
    record.get('mvcc_timestamp') ??
    source?.get('mvcc_timestamp') ??
    null
  if (node === null) return null
  const match = typeof node === 'string' ? CLOCK.exec(node) : null
  return match === null ? undefined : [integerOf(match[1]), integerOf(match[2])]
}

function hintFrom(
  record: JsonObject,
  source: JsonObject | null,
  clock: readonly [Value, Value] | null,
  key: JsonNode | Refusal,
): Hint {
  const inKey = keyIn(record.get('key') ?? (isRefusal(key) ? null : unwrapped(key)))
  return hintOf({
    sequence: clock,
    time: clock === null ? null : epochOf(clock[0], 'ns'),
    ...inKey,
    keys: textsOf(source?.get('primary_keys')) ?? inKey.keys,
    fields: fieldsOf({
      _op: record.get('op'),
      _db: source?.get('database_name'),
      _schema: source?.get('schema_name'),
      _table: source?.get('table_name') ?? textOf(record.get('topic')),
      _source: source,
    }),
  })
}

/** A key is a list of values, or in the enriched envelope an object. */
function keyIn(node: JsonNode): Pick<Hint, 'keys' | 'keyValues'> {
  if (isJsonArray(node)) return { keys: [], keyValues: node.map(jsonValue) }
  const object = objectOf(node)
  if (object === null) return { keys: [], keyValues: null }
  return { keys: [...object.keys()], keyValues: Array.from(object.values(), jsonValue) }
}

function namedKey({ keys, keyValues }: Hint): JsonObject {
  return new Map(keys.map((name, i) => [name, keyValues?.[i] ?? null]))
}
