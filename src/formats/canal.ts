import { isJsonArray } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { isRefusal, refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Decoded, Hint, Image } from '../ports/source.ts'
import { canalValue } from './canal-values.ts'
import type { CanalTypes } from './canal-values.ts'
import type { Envelope, Opened } from './envelope.ts'
import { hintOf } from './hint.ts'
import { decodedOf, splitKeyChange } from './key-change.ts'
import { epochOf, fieldsOf, integerOf, objectOf, textOf, textsOf } from './members.ts'
import type { JsonObject } from './members.ts'
import type { Preset } from './message.ts'
import { tombstoneOf } from './plain-rows.ts'
import { Shapes } from './shapes.ts'

/** The sequence is TiDB's commit timestamp, or else the offset; the key is `pkNames`. */
export const CANAL: Preset = { order: 'Canal', hasKeys: true, hasTime: true, isPartial: false }

/**
 * Rows of MySQL as Alibaba Canal writes them (flat messages), and of TiDB as TiCDC does.
 *
 * One message has many rows, each an image, in order. The sequence is `[commitTs]` where records
 * have `_tidb` (`enable-tidb-extension`), else `[offset]`: switching that on wants a higher epoch.
 */
export class Canal implements Envelope {
  readonly #shapes = new Shapes()

  read({ message, value, key }: Opened): Decoded {
    if (value === null) return tombstoneOf(key(), this.#shapes)
    const record = objectOf(value)
    if (record === null) return refuse('ENVELOPE', 'the value is no object')
    const type = textOf(record.get('type'))?.toUpperCase() ?? null
    if (type === null) return refuse('ENVELOPE', 'the record has no "type"')
    if (type === 'TIDB_WATERMARK') return { kind: 'ignored', reason: 'TiDB watermark' }

    const hint = commonHint(record, type, message.offset)
    if (record.get('isDdl') === true) return this.#ddl(record, type, hint)
    if (MARKS.has(type)) return { kind: 'ignored', reason: type }
    if (type === 'QUERY') {
      return refuse('ENVELOPE', 'a statement instead of rows: the binlog has to be in ROW format')
    }
    const op = OPERATIONS.get(type)
    if (op === undefined) return refuse('ENVELOPE', `unknown type "${type}"`)
    return this.#rows(record, { ...hint, op }, type === 'UPDATE')
  }

  #ddl(record: JsonObject, type: string, hint: Hint): Decoded {
    const isTruncate = type === 'TRUNCATE' && (textOf(record.get('table')) ?? '') !== ''
    if (!isTruncate) return { kind: 'ignored', reason: `DDL (${type})` }
    const shape = this.#shapes.of([])
    return { kind: 'image', shape, values: [], hint: { ...hint, op: 'truncate', keys: [] } }
  }

  #rows(record: JsonObject, hint: Hint, hasOld: boolean): Decoded {
    const data = record.get('data') ?? null
    if (!isJsonArray(data)) return refuse('ENVELOPE', '"data" is no list of rows')
    const old = record.get('old') ?? null
    const types = {
      mysqlType: objectOf(record.get('mysqlType')),
      sqlType: objectOf(record.get('sqlType')),
    }
    const images: Image[] = []
    for (const [i, node] of data.entries()) {
      const row = objectOf(node)
      if (row === null) return refuse('ENVELOPE', `row ${i + 1} of "data" is no object`)
      const values = typed(row, types)
      if (isRefusal(values)) return values
      const before = hasOld && isJsonArray(old) ? oldValues(old[i], types) : NOTHING
      const shape = this.#shapes.of([...values.keys()])
      const image: Image = {
        kind: 'image',
        shape,
        values: [...values.values()],
        hint: { ...hint, before },
      }
      images.push(...splitKeyChange(image, hint.keys))
    }
    if (images.length === 0) return { kind: 'ignored', reason: 'message without rows' }
    return decodedOf(images)
  }
}

const OPERATIONS: ReadonlyMap<string, 'upsert' | 'delete'> = new Map([
  ['INSERT', 'upsert'],
  ['UPDATE', 'upsert'],
  ['DELETE', 'delete'],
])

/** Marks of the binlog that are no rows. */
const MARKS: ReadonlySet<string> = new Set(['GTID', 'XACOMMIT', 'XAROLLBACK', 'MHEARTBEAT'])

const NOTHING: ReadonlyMap<string, Value> = new Map()

function commonHint(record: JsonObject, type: string, offset: number): Hint {
  const tidb = objectOf(record.get('_tidb'))
  const milliseconds = record.get('es')
  return hintOf({
    sequence: [tidb === null ? offset : integerOf(tidb.get('commitTs'))],
    log: tidb === null ? 'offset' : 'commitTs',
    time: epochOf(milliseconds, 'ms'),
    keys: textsOf(record.get('pkNames')) ?? [],
    fields: fieldsOf({
      _op: type,
      _db: record.get('database'),
      _table: record.get('table'),
      _ts_ms: milliseconds,
      _tx_id: textOf(record.get('gtid')) === '' ? null : record.get('gtid'),
    }),
  })
}

function typed(row: JsonObject, types: CanalTypes): ReadonlyMap<string, Value> | Refusal {
  const values = new Map<string, Value>()
  for (const [name, node] of row) {
    const value = canalValue(name, node, types)
    if (isRefusal(value)) return value
    values.set(name, value)
  }
  return values
}

/** What columns held before. One that is not of its type (a date of zeros, say) is not worth a refusal. */
function oldValues(node: JsonNode | undefined, types: CanalTypes): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  for (const [name, old] of objectOf(node) ?? []) {
    const value = canalValue(name, old, types)
    if (!isRefusal(value)) values.set(name, value)
  }
  return values
}
