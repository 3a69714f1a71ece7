import { isJsonObject } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isRefusal } from '../../core/refusal.ts'
import type { Decoded } from '../../ports/source.ts'
import type { Opened } from '../envelope.ts'

type Members = ReadonlyMap<string, JsonNode>

/**
 * What Debezium tells besides changes, which no row comes of: heartbeats, beginnings and ends of
 * transactions, changes of tables, notifications. Null for what is none of them.
 */
export function controlRecord(value: Members, opened: Opened): Decoded | null {
  const reason = reasonOf(value, opened)
  return reason === null ? null : { kind: 'ignored', reason }
}

function reasonOf(value: Members, opened: Opened): string | null {
  if (isHeartbeat(value, opened)) return 'heartbeat'
  const status = value.get('status')
  if (value.has('id') && value.has('event_count') && value.has('data_collections')) {
    if (status === 'BEGIN' || status === 'END') return `transaction ${status}`
  }
  const isOfDatabase = value.has('databaseName') || value.has('source')
  if (isOfDatabase && (value.has('ddl') || value.has('tableChanges'))) return 'schema change'
  if (value.has('aggregate_type') && value.has('additional_data')) return 'notification'
  return null
}

/** Nothing but clocks, and a key or a topic that says so: a table may have such columns. */
function isHeartbeat(value: Members, { message, key }: Opened): boolean {
  if (value.size === 0 || value.size > CLOCKS.size) return false
  for (const name of value.keys()) if (!CLOCKS.has(name)) return false
  if (message.stream.name.startsWith('__debezium-heartbeat')) return true
  const named = key()
  return !isRefusal(named) && isJsonObject(named) && named.size === 1 && named.has('serverName')
}

const CLOCKS: ReadonlySet<string> = new Set(['ts_ms', 'ts_us', 'ts_ns'])
