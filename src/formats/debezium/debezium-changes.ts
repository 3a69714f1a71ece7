import { canonicalText, isJsonObject } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import type { Decoded } from '../../ports/source.ts'
import { ConnectJsonCodec } from '../connect/connect-json-codec.ts'
import type { Envelope, Opened } from '../envelope.ts'
import type { Preset } from '../message.ts'
import { tombstoneOf } from '../plain-rows.ts'
import { Shapes } from '../shapes.ts'
import { changeFields } from './change-fields.ts'
import { changeImage, NO_NAMES, NO_VALUES } from './change-image.ts'
import type { Change } from './change-image.ts'
import { controlRecord } from './control-record.ts'
import { newKeyOf, oldKeyOf } from './moved-key.ts'
import { RowReader } from './row-reader.ts'
import type { Members } from './row-reader.ts'
import { isSnapshot, sequenceOf } from './source-position.ts'
import type { SourceFields } from './source-position.ts'

/** Changes say where in the source's log they stand, what their key is, and when they were made. */
export const DEBEZIUM_CHANGES: Preset = {
  order: 'Debezium',
  hasKeys: true,
  hasTime: true,
  isPartial: true,
}

/** The change records of Debezium's connectors for relational databases. */
export class DebeziumChanges implements Envelope {
  readonly #rows: RowReader
  readonly #tombstones = new Shapes()
  readonly #headers = new ConnectJsonCodec()

  constructor(unavailableValue: string) {
    this.#rows = new RowReader(unavailableValue)
  }

  read(opened: Opened): Decoded {
    const { value } = opened
    if (value === null) return tombstoneOf(opened.key(), this.#tombstones)
    if (!isJsonObject(value)) return refuse('ENVELOPE', 'the value is no object')
    const op = value.get('op')
    switch (op) {
      case 'c':
      case 'u':
      case 'r':
        return this.#upsert(op, value, opened)
      case 'd':
        return this.#delete(value, opened)
      case 't':
        return changeImage(this.#rows.none(), changeOf(value, 'truncate'))
      case 'm':
        return { kind: 'ignored', reason: 'message of the log' }
      case undefined:
        return controlRecord(value, opened) ?? refuse('ENVELOPE', 'the record has no "op"')
      default:
        return refuse('ENVELOPE', `unknown op ${canonicalText(op)}`)
    }
  }

  #upsert(op: 'c' | 'u' | 'r', value: Members, opened: Opened): Decoded {
    const after = value.get('after') ?? null
    if (!isJsonObject(after)) return refuse('ENVELOPE', `op "${op}" whose "after" is no object`)
    return changeImage(this.#rows.row(after), {
      ...changeOf(value, 'upsert'),
      isSnapshot: op === 'r' || (op === 'c' && isSnapshot(sourceOf(value))),
      keys: this.#rows.keyNames(opened.key()),
      oldKey: op === 'c' ? oldKeyOf(opened, this.#headers) : null,
      before: this.#rows.before(value.get('before') ?? null),
    })
  }

  #delete(value: Members, opened: Opened): Decoded {
    const before = value.get('before') ?? null
    const given = opened.key()
    const cells = this.#rows.deleted(given, isJsonObject(before) ? before : null)
    if (isRefusal(cells)) return cells
    return changeImage(cells, {
      ...changeOf(value, 'delete'),
      keys: this.#rows.keyNames(given),
      newKey: newKeyOf(opened, this.#headers),
    })
  }
}

const NOTHING: JsonNode = null

function sourceOf(value: Members): SourceFields {
  const source = value.get('source') ?? null
  return isJsonObject(source) ? (name) => source.get(name) ?? null : () => NOTHING
}

function changeOf(value: Members, op: Change['op']): Change {
  const source = sourceOf(value)
  return {
    op,
    isSnapshot: false,
    keys: NO_NAMES,
    oldKey: null,
    newKey: null,
    before: NO_VALUES,
    sequence: sequenceOf(source),
    source,
    fields: changeFields(value),
  }
}
