import { isArray, isObject } from '../conformance/json.ts'
import type { Json, JsonObject } from '../conformance/json.ts'
import { textOf, type FeedCase } from './feed-case.ts'

/** A flow for a case, its source aside: what the case says and nothing that a preset is to know. */
export function flowOptionsOf({ config }: FeedCase): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  const keys = isArray(config['keys']) ? config['keys'].map(textOf) : []
  // Keys that come from the feed are for the preset to find.
  if (keys.length > 0 && !keys.some((key) => key.startsWith('from '))) options['keys'] = keys
  const columns = config['columns']
  if (isObject(columns)) {
    options['columns'] = Object.fromEntries(
      Object.entries(columns).map(([name, type]) => [name, declaredType(textOf(type))]),
    )
  }
  for (const [name, value] of Object.entries(config)) {
    if (!OF_THE_CASE.has(name)) options[name] = plain(value)
  }
  return options
}

/** What the case itself says with these; the rest are options of the flow. */
const OF_THE_CASE = new Set([
  'keys',
  'sequence_by',
  'columns',
  'mode',
  'format',
  'shape',
  'note',
  'registry',
  'start_checkpoint',
])

/** The format of a case by the name that flows give it. @throws Error for one that is unknown here */
export function formatOfCase({ format, config }: FeedCase): string {
  const named = textOf(config['format'] ?? format)
  if (config['shape'] === 'flattened') return 'debezium-json-flat'
  const found = FORMATS.find(([pattern]) => pattern.test(named))
  if (found !== undefined) return found[1]
  throw new Error(`no format for "${named}"`)
}

/** Cases call plain JSON what is Debezium's envelope in it. */
const FORMATS: readonly (readonly [RegExp, string])[] = [
  [/^debezium-mongodb/, 'debezium-mongodb'],
  [/^debezium-json flat|flattened/, 'debezium-json-flat'],
  [/^debezium-avro/, 'debezium-avro'],
  [/^(debezium-json|json$|connect-json)/, 'debezium-json'],
  [/^maxwell/, 'maxwell-json'],
  [/^canal|ticdc/i, 'canal-json'],
  [/^cockroach/, 'cockroachdb-json'],
  [/^aws-dms/, 'aws-dms-json'],
  [/^ogg/, 'ogg-json'],
  [/^qlik/, 'qlik-json'],
  [/^delta/, 'delta-cdf'],
  [/^airbyte/, 'airbyte'],
  [/^mongodb/, 'mongodb-json'],
  [/^confluent-avro/, 'confluent-avro'],
  [/^confluent-protobuf/, 'confluent-protobuf'],
  [/^confluent-json/, 'confluent-json-schema'],
]

function declaredType(text: string): string {
  const known = TYPES.get(text.toLowerCase())
  return known ?? text.toLowerCase()
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['timestamp', 'local_timestamp'],
  ['timestamp (milliseconds)', 'local_epoch_ms'],
  ['timestamp (microseconds)', 'local_epoch_us'],
  ['timestamp (nanoseconds)', 'local_epoch_ns'],
  ['timestamptz', 'timestamp'],
  ['blob base64', 'bytes'],
  ['blob hex', 'hex'],
])

function plain(value: Json): unknown {
  return JSON.parse(JSON.stringify(value, (_, node: unknown) => unwrapped(node))) as unknown
}

function unwrapped(node: unknown): unknown {
  return typeof node === 'object' && node !== null && 'text' in node ? Number(node.text) : node
}

/** The registry of a case: schema by id; null if it has none. */
export function registryOf({ config }: FeedCase): JsonObject | null {
  return isObject(config['registry']) ? config['registry'] : null
}
