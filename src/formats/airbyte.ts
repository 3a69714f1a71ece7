import { jsonValue, parseExactJson } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Decoded } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { hintOf } from './hint.ts'
import { MAX_DEPTH } from './json-scan.ts'
import { fieldsOf, instantOf, integerOf, objectOf, textOf } from './members.ts'
import type { JsonObject } from './members.ts'
import type { Preset } from './message.ts'
import { tombstoneOf } from './plain-rows.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** The sequence is the position that the row carries; which columns are the key only the flow can say. */
export const AIRBYTE: Preset = {
  order: 'Airbyte',
  hasKeys: false,
  hasTime: true,
  isPartial: false,
}

/**
 * Rows that Airbyte read by change data capture: plain, as its Kafka destination wraps them
 * (`_airbyte_data`), or as messages of its protocol (`RECORD`).
 *
 * The columns `_ab_cdc_…` and `_airbyte_…` are no columns of the row; expressions can read them.
 */
export class Airbyte implements Envelope {
  readonly #shapes = new Shapes()

  read({ value, key }: Opened): Decoded {
    if (value === null) return tombstoneOf(key(), this.#shapes)
    const record = objectOf(value)
    if (record === null) return refuse('ENVELOPE', 'the value is no object')
    const control = controlType(record)
    if (control !== null) return { kind: 'ignored', reason: `${control} message` }
    const opened = openedRow(record)
    if ('kind' in opened) return opened

    const { row, stream, namespace } = opened
    const columns = new Map<string, JsonNode>()
    const system: Record<string, JsonNode> = {}
    for (const [name, node] of row) {
      if (SYSTEM.test(name)) system[name] = node
      else columns.set(name, node)
    }
    const deletedAt = row.get('_ab_cdc_deleted_at') ?? null
    const isDelete = deletedAt !== null && deletedAt !== ''
    const hint = hintOf({
      op: isDelete ? 'delete' : 'upsert',
      sequence: sequenceOf(row),
      log: LOGS.find((name) => row.has(name)) ?? null,
      time: instantOf(row.get('_ab_cdc_updated_at')) ?? instantOf(deletedAt),
      fields: fieldsOf({
        ...system,
        _op: isDelete ? 'delete' : 'upsert',
        _table: stream,
        _schema: namespace,
      }),
    })
    return rowImage(columns, hint, this.#shapes)
  }
}

const SYSTEM = /^_(?:ab_cdc|airbyte)_/

/** Messages of the protocol that are no records carry an object named as their type is. */
const CONTROL = ['STATE', 'LOG', 'TRACE', 'SPEC', 'CATALOG', 'CONNECTION_STATUS', 'CONTROL']

function controlType(record: JsonObject): string | null {
  const type = textOf(record.get('type'))
  if (type === null || !CONTROL.includes(type)) return null
  const member = type === 'CONNECTION_STATUS' ? 'connectionStatus' : type.toLowerCase()
  return objectOf(record.get(member)) === null ? null : type
}

type OpenedRow = {
  readonly row: JsonObject
  readonly stream: JsonNode | undefined
  readonly namespace: JsonNode | undefined
}

function openedRow(record: JsonObject): OpenedRow | Refusal {
  const inner = record.get('type') === 'RECORD' ? objectOf(record.get('record')) : null
  if (inner !== null) {
    const row = objectOf(inner.get('data'))
    if (row === null) return refuse('ENVELOPE', '"data" of the RECORD is no object')
    return { row, stream: inner.get('stream'), namespace: inner.get('namespace') }
  }
  const stream = record.get('_airbyte_stream')
  const namespace = record.get('_airbyte_namespace')
  const data = record.get('_airbyte_data')
  if (data === undefined) return { row: record, stream, namespace }
  const parsed = typeof data === 'string' ? parseExactJson(data, MAX_DEPTH) : { node: data }
  const row = 'error' in parsed ? null : objectOf(parsed.node)
  if (row === null) return refuse('ENVELOPE', '"_airbyte_data" is no object')
  return { row, stream, namespace }
}

/** The columns that say where a row stands in its source, the one that decides first. */
const LOGS = ['_ab_cdc_lsn', '_ab_cdc_log_file', '_ab_cdc_cursor']

const FILE = /\.(\d+)$/

/**
 * PostgreSQL `[lsn]`; SQL Server `[lsn, event_serial_no]`, as far as the connector gives the second;
 * MySQL `[file number, position]`; others `[cursor]`. Null for rows that were read without
 * change data capture, and say nothing.
 */
function sequenceOf(row: JsonObject): readonly Value[] | null {
  const lsn = row.get('_ab_cdc_lsn')
  if (lsn !== undefined) {
    const serial = row.get('_ab_cdc_event_serial_no')
    return serial === undefined ? [jsonValue(lsn)] : [jsonValue(lsn), integerOf(serial) ?? 0]
  }
  const file = row.get('_ab_cdc_log_file')
  if (file !== undefined) {
    const number = typeof file === 'string' ? FILE.exec(file)?.[1] : undefined
    return [integerOf(number), integerOf(row.get('_ab_cdc_log_pos'))]
  }
  const cursor = row.get('_ab_cdc_cursor')
  return cursor === undefined ? null : [jsonValue(cursor)]
}
