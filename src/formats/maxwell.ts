import { isJsonArray, jsonValue } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { isRefusal, refuse } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Decoded } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { hintOf } from './hint.ts'
import { decodedOf, splitKeyChange } from './key-change.ts'
import { epochOf, fieldsOf, integerOf, objectOf, textOf, textsOf, valuesOf } from './members.ts'
import type { JsonObject } from './members.ts'
import type { Preset } from './message.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** The sequence is the binlog position, or else the offset; the key is that of the message. */
export const MAXWELL: Preset = { order: 'Maxwell', hasKeys: true, hasTime: true, isPartial: false }

/**
 * Rows of MySQL as Maxwell's daemon writes them.
 *
 * The sequence is `[file number, position, place in the transaction]` where records have
 * `position` (`output_binlog_position`), else `[offset]`: switching that on wants a higher epoch.
 */
export class Maxwell implements Envelope {
  readonly #shapes = new Shapes()

  read(opened: Opened): Decoded {
    const { message, value } = opened
    if (value === null) return this.#tombstone(opened)
    const record = objectOf(value)
    if (record === null) return refuse('ENVELOPE', 'the value is no object')
    const type = textOf(record.get('type'))
    if (type === null) return refuse('ENVELOPE', 'the record has no "type"')
    if (CONTROL.test(type)) return { kind: 'ignored', reason: type }
    const op = OPERATIONS.get(type)
    if (op === undefined) return refuse('ENVELOPE', `unknown type "${type}"`)
    const data = objectOf(record.get('data'))
    if (data === null) return refuse('ENVELOPE', `"data" of the ${type} is no object`)
    const sequence = sequenceOf(record, message.offset)
    if (sequence === null)
      return refuse('ENVELOPE', '"position" is not a file and a position in it')

    const keys = keysOf(record, opened.key(), data)
    const hint = hintOf({
      op,
      rank: type === 'bootstrap-insert' ? -1 : 0,
      sequence,
      time: epochOf(record.get('ts'), 's'),
      keys,
      before: type === 'update' ? valuesOf(objectOf(record.get('old'))) : new Map(),
      fields: fieldsOf({
        _op: type,
        _db: record.get('database'),
        _table: record.get('table'),
        _tx_id: record.get('xid'),
      }),
    })
    return decodedOf(splitKeyChange(rowImage(data, hint, this.#shapes), keys))
  }

  #tombstone({ key }: Opened): Decoded {
    const node = key()
    if (isRefusal(node)) return node
    const columns = keyColumns(node)
    if (columns.size === 0) return { kind: 'ignored', reason: 'message without value and key' }
    const hint = hintOf({
      op: 'tombstone',
      keys: [...columns.keys()],
      fields: fieldsOf(tableOf(node)),
    })
    return rowImage(columns, hint, this.#shapes)
  }
}

const CONTROL = /^(?:bootstrap-(?:start|complete)|(?:table|database|view)-(?:create|alter|drop))$/

const OPERATIONS: ReadonlyMap<string, 'upsert' | 'delete'> = new Map([
  ['insert', 'upsert'],
  ['bootstrap-insert', 'upsert'],
  ['update', 'upsert'],
  ['delete', 'delete'],
])

const POSITION = /\.(\d+):(\d+)$/

/** Beyond every place in a transaction: the row that commits it has none, and is its last. */
const LAST_IN_TRANSACTION = Number.MAX_SAFE_INTEGER

/** Null where a position is given that is none. */
function sequenceOf(record: JsonObject, offset: number): readonly Value[] | null {
  const position = record.get('position') ?? null
  if (position === null) return [offset]
  const match = typeof position === 'string' ? POSITION.exec(position) : null
  if (match === null) return null
  const isLast = record.get('commit') === true
  const place = integerOf(record.get('xoffset')) ?? (isLast ? LAST_IN_TRANSACTION : 0)
  return [integerOf(match[1]), integerOf(match[2]), place]
}

/** The columns of the primary key as the row spells them: keys of messages are in lower case. */
function keysOf(
  record: JsonObject,
  key: ReturnType<Opened['key']>,
  data: JsonObject,
): readonly string[] {
  const named = textsOf(record.get('primary_key_columns'))
  const names = named ?? (isRefusal(key) ? [] : [...keyColumns(key).keys()])
  const columns = [...data.keys()]
  return names.map(
    (name) =>
      (data.has(name) ? name : undefined) ??
      columns.find((column) => column.toLowerCase() === name.toLowerCase()) ??
      name,
  )
}

/** `{"database", "table", "pk.id": 1}`, or as a list `["database", "table", [{"id": 1}]]`. */
function keyColumns(key: JsonNode): ReadonlyMap<string, JsonNode> {
  const columns = new Map<string, JsonNode>()
  const members = objectOf(key)
  if (members !== null) {
    for (const [name, value] of members) {
      if (name.startsWith('pk.')) columns.set(name.slice('pk.'.length), value)
    }
    return columns
  }
  const parts = isJsonArray(key) ? key[2] : undefined
  if (parts === undefined || !isJsonArray(parts)) return columns
  for (const part of parts) {
    for (const [name, value] of objectOf(part) ?? []) columns.set(name, value)
  }
  return columns
}

function tableOf(key: JsonNode): Readonly<Record<string, JsonNode | undefined>> {
  if (isJsonArray(key)) return { _db: jsonValue(key[0] ?? null), _table: jsonValue(key[1] ?? null) }
  return { _db: objectOf(key)?.get('database'), _table: objectOf(key)?.get('table') }
}
