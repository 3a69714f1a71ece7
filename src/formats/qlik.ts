import { refuse } from '../core/refusal.ts'
import type { Decoded } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { hintOf } from './hint.ts'
import { fieldsOf, instantOf, objectOf, textOf, valuesOf } from './members.ts'
import type { Preset } from './message.ts'
import { tombstoneOf } from './plain-rows.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** The sequence is the change sequence of the task; which columns are the key only the flow can say. */
export const QLIK: Preset = {
  order: 'Qlik Replicate',
  hasKeys: false,
  hasTime: true,
  isPartial: false,
}

/**
 * Messages of Qlik Replicate, with their outer `magic` and `type` or without.
 *
 * The sequence is the text `changeSequence`, which has one width and so sorts as text; rows of
 * the full load have none, and the empty text sorts before all.
 */
export class QlikReplicate implements Envelope {
  readonly #shapes = new Shapes()

  read({ value, key }: Opened): Decoded {
    if (value === null) return tombstoneOf(key(), this.#shapes)
    const outer = objectOf(value)
    const message = objectOf(outer?.get('message')) ?? outer
    if (message === null) return refuse('ENVELOPE', 'the value is no object')
    const headers = objectOf(message.get('headers'))
    if (headers === null) {
      if (message.has('tableStructure') || message.has('lineage')) {
        return { kind: 'ignored', reason: 'metadata message' }
      }
      return refuse('ENVELOPE', 'the message has no "headers"')
    }
    const operation = textOf(headers.get('operation'))
    const op = OPERATIONS.get(operation ?? '')
    if (op === undefined) {
      return refuse('ENVELOPE', `unknown operation ${JSON.stringify(operation)}`)
    }

    const data = objectOf(message.get('data'))
    const before = objectOf(message.get('beforeData'))
    const row = op === 'delete' ? (before ?? data) : data
    if (row === null) return refuse('ENVELOPE', `the ${operation} has no row`)
    const hint = hintOf({
      op,
      rank: operation === 'REFRESH' ? -1 : 0,
      sequence: [textOf(headers.get('changeSequence')) ?? ''],
      time: instantOf(headers.get('timestamp')),
      before: operation === 'UPDATE' ? valuesOf(before) : new Map(),
      fields: fieldsOf({
        _op: operation,
        _schema: headers.get('schema') ?? message.get('schema'),
        _table: headers.get('table') ?? message.get('table'),
        _tx_id: headers.get('transactionId'),
      }),
    })
    return rowImage(row, hint, this.#shapes)
  }
}

const OPERATIONS: ReadonlyMap<string, 'upsert' | 'delete'> = new Map([
  ['REFRESH', 'upsert'],
  ['INSERT', 'upsert'],
  ['UPDATE', 'upsert'],
  ['DELETE', 'delete'],
])
