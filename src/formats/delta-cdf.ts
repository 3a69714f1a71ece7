import { refuse } from '../core/refusal.ts'
import type { Decoded } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { hintOf } from './hint.ts'
import { epochOf, fieldsOf, instantOf, integerOf, objectOf, textOf } from './members.ts'
import type { JsonObject } from './members.ts'
import type { Preset } from './message.ts'
import { tombstoneOf } from './plain-rows.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** The sequence is the version of the commit; which columns are the key only the flow can say. */
export const DELTA_CDF: Preset = {
  order: 'Delta',
  hasKeys: false,
  hasTime: true,
  isPartial: false,
}

/**
 * Rows of a Delta table's change data feed.
 *
 * All rows of a commit have one version; of one key a delete goes before an insert, for a commit
 * that has both has rewritten the row.
 */
export class DeltaChangeFeed implements Envelope {
  readonly #shapes = new Shapes()

  read({ value, key }: Opened): Decoded {
    if (value === null) return tombstoneOf(key(), this.#shapes)
    const record = objectOf(value)
    if (record === null) return refuse('ENVELOPE', 'the value is no object')
    const type = textOf(record.get('_change_type'))
    if (type === 'update_preimage') return { kind: 'ignored', reason: 'preimage of an update' }
    const op = OPERATIONS.get(type ?? '')
    if (op === undefined) {
      return refuse('ENVELOPE', `unknown _change_type ${JSON.stringify(type)}`)
    }

    const hint = hintOf({
      op,
      rank: op === 'delete' ? -1 : 0,
      sequence: [integerOf(record.get('_commit_version'))],
      time: timeOf(record),
      fields: fieldsOf({
        _op: type,
        _change_type: type,
        _commit_version: record.get('_commit_version'),
        _commit_timestamp: record.get('_commit_timestamp'),
      }),
    })
    const columns = new Map([...record].filter(([name]) => !SYSTEM_COLUMNS.has(name)))
    return rowImage(columns, hint, this.#shapes)
  }
}

const OPERATIONS: ReadonlyMap<string, 'upsert' | 'delete'> = new Map([
  ['insert', 'upsert'],
  ['update_postimage', 'upsert'],
  ['delete', 'delete'],
])

const SYSTEM_COLUMNS: ReadonlySet<string> = new Set([
  '_change_type',
  '_commit_version',
  '_commit_timestamp',
])

/** ISO text, or milliseconds. */
function timeOf(record: JsonObject): ReturnType<typeof instantOf> {
  const node = record.get('_commit_timestamp')
  return instantOf(node) ?? epochOf(node, 'ms')
}
