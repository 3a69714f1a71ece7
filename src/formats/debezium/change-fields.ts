import { isJsonObject, jsonValue } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import type { Value } from '../../core/value.ts'
import { LazyMap } from './lazy-map.ts'
import type { Members } from './row-reader.ts'

/**
 * What expressions can read of a change: `_op`, `_db`, `_schema`, `_table`, `_snapshot`, `_source`
 * and `_before` (JSON), `_ts_ms` (when the source made the change), `_connector_ts_ms` (when the
 * connector saw it), `_tx_id`.
 */
export function changeFields(change: Members): ReadonlyMap<string, Value> {
  return new LazyMap(FIELDS, (name) => FIELDS.get(name)?.(change) ?? null)
}

const FIELDS: ReadonlyMap<string, (change: Members) => Value> = new Map<
  string,
  (change: Members) => Value
>([
  ['_op', (change) => valueAt(change, 'op')],
  ['_db', (change) => sourced(change, 'db', 'database_name')],
  ['_schema', (change) => sourced(change, 'schema', 'schema_name')],
  ['_table', (change) => sourced(change, 'table', 'table_name')],
  ['_snapshot', (change) => sourced(change, 'snapshot')],
  ['_source', (change) => valueAt(change, 'source')],
  ['_before', (change) => valueAt(change, 'before')],
  ['_ts_ms', (change) => sourced(change, 'ts_ms')],
  ['_connector_ts_ms', (change) => valueAt(change, 'ts_ms')],
  ['_tx_id', (change) => inside(change, 'transaction', 'id') ?? sourced(change, 'txId')],
])

function valueAt(members: Members, name: string): Value {
  return jsonValue(members.get(name) ?? null)
}

function inside(change: Members, part: string, name: string): Value {
  const node: JsonNode = change.get(part) ?? null
  return isJsonObject(node) ? valueAt(node, name) : null
}

/** The first of these fields of the source that is there. */
function sourced(change: Members, ...names: readonly string[]): Value {
  for (const name of names) {
    const value = inside(change, 'source', name)
    if (value !== null) return value
  }
  return null
}
