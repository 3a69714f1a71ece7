import { canonicalText } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { isRefusal, refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Decoded, Hint } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { parseExtended, readExtended } from './extended-json.ts'
import { hintOf } from './hint.ts'
import { epochOf, fieldsOf, integerOf, objectOf, textOf } from './members.ts'
import type { JsonObject } from './members.ts'
import type { Preset } from './message.ts'
import { patchOf } from './mongodb-patch.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** The sequence is the time and ordinal of the oplog; the key is `_id`. */
export const DEBEZIUM_MONGODB: Preset = {
  order: 'Debezium for MongoDB',
  hasKeys: true,
  hasTime: true,
  isPartial: true,
}

/**
 * Changes of MongoDB as Debezium writes them, with the schema block or without: documents are
 * texts of extended JSON.
 *
 * An update without the document says what changed; see {@link patchOf}. A null `after` is no deletion.
 */
export class DebeziumMongoDb implements Envelope {
  readonly #shapes = new Shapes()

  read({ value, key }: Opened): Decoded {
    const payload = unwrapped(value)
    if (payload === null) return this.#withoutRow(key(), hintOf({ op: 'tombstone' }))
    const record = objectOf(payload)
    if (record === null) return refuse('ENVELOPE', 'the value is no object')
    const op = record.get('op')
    if (op === undefined) return control(record)
    const source = objectOf(record.get('source'))
    if (source === null) return refuse('ENVELOPE', 'the record has no "source"')
    const hint = hintFrom(record, source)

    if (op === 'd') return this.#withoutRow(key(), { ...hint, op: 'delete' }, record.get('before'))
    if (op !== 'c' && op !== 'r' && op !== 'u') {
      return refuse('ENVELOPE', `unknown op ${canonicalText(op)}`)
    }
    const after = documentOf(record.get('after'), 'after')
    if (isRefusal(after)) return after
    const full = op === 'u' ? after : withoutPatch(after)
    if (isRefusal(full)) return full
    if (full !== null) return rowImage(full, hint, this.#shapes)
    return this.#patch(record, key(), hint)
  }

  #patch(record: JsonObject, key: JsonNode | Refusal, hint: Hint): Decoded {
    const description = objectOf(record.get('updateDescription'))
    if (description === null) {
      return refuse('ENVELOPE', 'the update has neither "after" nor "updateDescription"')
    }
    const updated = documentOf(description.get('updatedFields'), 'updatedFields')
    if (isRefusal(updated)) return updated
    const patch = patchOf(description, updated ?? new Map())
    if (isRefusal(patch)) return patch
    const id = idOf(key)
    if (isRefusal(id)) return id
    if (id === null) return refuse('ENVELOPE', 'the key of the message has no "id"')
    const columns = new Map([...id, ...patch.columns])
    return rowImage(columns, { ...hint, isPartial: true, merge: patch.merge }, this.#shapes)
  }

  /** A deletion or a tombstone: the document as it was if the feed tells, and its `_id`. */
  #withoutRow(key: JsonNode | Refusal, hint: Hint, before?: JsonNode): Decoded {
    const id = idOf(key)
    if (isRefusal(id)) return id
    const old = documentOf(before, 'before')
    const row = new Map([...(old === null || isRefusal(old) ? [] : old), ...(id ?? [])])
    if (row.has('_id')) return rowImage(row, { ...hint, keys: ['_id'] }, this.#shapes)
    if (hint.op !== 'tombstone')
      return refuse('ENVELOPE', 'the deletion does not say of which "_id"')
    return { kind: 'ignored', reason: 'tombstone whose key has no "id"' }
  }
}

/** The payload of `{schema, payload}`; what is not wrapped is itself. */
function unwrapped(node: JsonNode): JsonNode {
  const object = objectOf(node)
  if (object?.size !== 2 || !object.has('payload')) return node
  const schema = object.get('schema')
  const isWrapped = schema === null || textOf(objectOf(schema)?.get('type')) !== null
  return isWrapped ? (object.get('payload') ?? null) : node
}

function control(record: JsonObject): Decoded {
  if (record.get('status') === 'BEGIN' || record.get('status') === 'END') {
    return { kind: 'ignored', reason: 'transaction metadata' }
  }
  const isHeartbeat = record.has('ts_ms') && !record.has('source') && !record.has('after')
  if (isHeartbeat) return { kind: 'ignored', reason: 'heartbeat' }
  return refuse('ENVELOPE', 'the record has no "op"')
}

function hintFrom(record: JsonObject, source: JsonObject): Hint {
  const milliseconds = source.get('ts_ms')
  return hintOf({
    rank: record.get('op') === 'r' ? -1 : 0,
    sequence: [integerOf(milliseconds), integerOf(source.get('ord'))],
    time: epochOf(milliseconds, 'ms'),
    keys: ['_id'],
    origin: textOf(source.get('name')),
    fields: fieldsOf({
      _op: record.get('op'),
      _db: source.get('db'),
      _table: source.get('collection'),
      _snapshot: source.get('snapshot'),
      _ts_ms: milliseconds,
      _tx_id: objectOf(record.get('transaction'))?.get('id'),
      _source: source,
    }),
  })
}

/** A document that is a text of extended JSON; null where there is none. */
function documentOf(node: JsonNode | undefined, name: string): JsonObject | null | Refusal {
  if (node === undefined || node === null) return null
  const text = textOf(node)
  const read = text === null ? { node: readExtended(node) } : parseExtended(text)
  if (isRefusal(read)) return read
  if (isRefusal(read.node)) return read.node
  return objectOf(read.node) ?? refuse('ENVELOPE', `"${name}" is no document`)
}

function withoutPatch(after: JsonObject | null): JsonObject | Refusal {
  return after ?? refuse('ENVELOPE', '"after" of the new document is null')
}

/** `{"id": "<extended JSON>"}` as the column `_id`; null where there is none. */
function idOf(key: JsonNode | Refusal): JsonObject | null | Refusal {
  if (isRefusal(key)) return key
  const id = textOf(objectOf(unwrapped(key))?.get('id'))
  if (id === null) return null
  const read = parseExtended(id)
  return isRefusal(read) ? read : new Map([['_id', read.node]])
}
