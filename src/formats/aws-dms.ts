import type { JsonNode } from '../core/json.ts'
import { refuse } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Decoded } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { hintOf } from './hint.ts'
import { fieldsOf, instantOf, objectOf, textOf, valuesOf } from './members.ts'
import type { JsonObject } from './members.ts'
import type { Preset } from './message.ts'
import { tombstoneOf } from './plain-rows.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** The sequence is the offset; which columns are the key only the flow can say. */
export const AWS_DMS: Preset = {
  order: 'AWS DMS',
  hasKeys: false,
  hasTime: true,
  isPartial: false,
}

/**
 * Records of the AWS Database Migration Service for Kafka.
 *
 * Before values come as `BI_` columns or as an object next to `data`, whatever its name; neither
 * is ever a column, and both say which row it was where a key changes.
 */
export class AwsDms implements Envelope {
  readonly #shapes = new Shapes()

  read({ message, value, key }: Opened): Decoded {
    if (value === null) return tombstoneOf(key(), this.#shapes)
    const metadata = objectOf(objectOf(value)?.get('metadata'))
    const record = objectOf(value)
    if (record === null || metadata === null) {
      return refuse('ENVELOPE', 'the value is no object with "metadata"')
    }
    const operation = textOf(metadata.get('operation'))
    const recordType = textOf(metadata.get('record-type'))
    const hint = hintOf({
      rank: operation === 'load' ? -1 : 0,
      sequence: [message.offset],
      time: instantOf(metadata.get('commit-timestamp') ?? metadata.get('timestamp')),
      fields: fieldsOf({
        _op: operation,
        _schema: metadata.get('schema-name'),
        _table: metadata.get('table-name'),
        _tx_id: metadata.get('transaction-id'),
      }),
    })

    if (recordType === 'control') {
      if (operation !== 'truncate-table') {
        return { kind: 'ignored', reason: `control ${operation ?? 'record'}` }
      }
      return rowImage(new Map(), { ...hint, op: 'truncate' }, this.#shapes)
    }
    if (recordType !== 'data') {
      return refuse('ENVELOPE', `unknown record-type ${JSON.stringify(recordType)}`)
    }
    const op = OPERATIONS.get(operation ?? '')
    if (op === undefined) {
      return refuse('ENVELOPE', `unknown operation ${JSON.stringify(operation)}`)
    }
    const data = objectOf(record.get('data'))
    if (data === null) return refuse('ENVELOPE', `"data" of the ${operation} is no object`)
    const [row, inRow] = withoutBefore(data)
    const before = operation === 'update' ? new Map([...inRow, ...besideData(record)]) : NOTHING
    return rowImage(row, { ...hint, op, before }, this.#shapes)
  }
}

const OPERATIONS: ReadonlyMap<string, 'upsert' | 'delete'> = new Map([
  ['load', 'upsert'],
  ['insert', 'upsert'],
  ['update', 'upsert'],
  ['delete', 'delete'],
])

const NOTHING: ReadonlyMap<string, Value> = new Map()

const BEFORE = 'BI_'

/** The columns, and what they held before: a `BI_x` next to an `x` is no column. */
function withoutBefore(data: JsonObject): [JsonObject, ReadonlyMap<string, Value>] {
  const row = new Map<string, JsonNode>()
  const before = new Map<string, JsonNode>()
  for (const [name, node] of data) {
    const of = name.startsWith(BEFORE) ? name.slice(BEFORE.length) : null
    if (of !== null && data.has(of)) before.set(of, node)
    else row.set(name, node)
  }
  return [row, valuesOf(before)]
}

/** The object whose name the task's settings choose (`BeforeImageSettings.FieldName`). */
function besideData(record: JsonObject): ReadonlyMap<string, Value> {
  for (const [name, node] of record) {
    const object = KNOWN_MEMBERS.has(name) ? null : objectOf(node)
    if (object !== null) return valuesOf(object)
  }
  return NOTHING
}

const KNOWN_MEMBERS: ReadonlySet<string> = new Set(['data', 'metadata', 'control'])
