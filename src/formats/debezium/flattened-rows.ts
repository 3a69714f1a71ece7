import { canonicalText, isJsonObject, jsonValue, parseExactJson } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import type { Value } from '../../core/value.ts'
import type { Decoded } from '../../ports/source.ts'
import { ConnectJsonCodec } from '../connect/connect-json-codec.ts'
import type { Envelope, Opened } from '../envelope.ts'
import type { Message } from '../message.ts'
import { tombstoneOf } from '../plain-rows.ts'
import { Shapes } from '../shapes.ts'
import { changeImage, NO_NAMES, NO_VALUES } from './change-image.ts'
import type { Change } from './change-image.ts'
import { controlRecord } from './control-record.ts'
import { newKeyOf, oldKeyOf } from './moved-key.ts'
import { RowReader } from './row-reader.ts'
import type { Members } from './row-reader.ts'
import { hasPosition, isSnapshot, sequenceOf } from './source-position.ts'
import type { SourceFields } from './source-position.ts'

/**
 * Rows that Debezium's `ExtractNewRecordState` took out of their envelope.
 *
 * What `add.fields` or `add.headers` keep of it, under names that begin with `__`, is no column but
 * says what the envelope did: `__op`, `__deleted`, `__source_lsn` or `__lsn`, and so on.
 */
export class FlattenedRows implements Envelope {
  readonly #rows: RowReader
  readonly #tombstones = new Shapes()
  readonly #headers = new ConnectJsonCodec()

  constructor(unavailableValue: string) {
    this.#rows = new RowReader(unavailableValue)
  }

  read(opened: Opened): Decoded {
    const { value, message } = opened
    if (value === null) return this.#withoutRow(opened)
    if (!isJsonObject(value)) return refuse('ENVELOPE', 'the value is no object')
    const control = controlRecord(value, opened)
    if (control !== null) return control

    const { row, added } = apart(value, message)
    const op = added.get('__op') ?? null
    if (isDeleted(added.get('__deleted') ?? null)) return this.#delete(row, added, opened)
    switch (op) {
      case null:
      case 'c':
      case 'u':
      case 'r':
        return this.#upsert(op, row, added, opened)
      case 'd':
        return this.#delete(row, added, opened)
      case 't':
        return changeImage(this.#rows.none(), changeOf(added, message, 'truncate'))
      case 'm':
        return { kind: 'ignored', reason: 'message of the log' }
      default:
        return refuse('ENVELOPE', `unknown __op ${canonicalText(op)}`)
    }
  }

  /** A deletion that its headers tell the place of is one in the log; else it is a tombstone. */
  #withoutRow(opened: Opened): Decoded {
    const { added } = apart(NO_MEMBERS, opened.message)
    if (sequenceOf(sourceOf(added)) !== null) return this.#delete(NO_MEMBERS, added, opened)
    return tombstoneOf(opened.key(), this.#tombstones)
  }

  #upsert(op: JsonNode, row: Members, added: Members, opened: Opened): Decoded {
    const isNew = op === 'c' || op === null
    return changeImage(this.#rows.row(row), {
      ...changeOf(added, opened.message, 'upsert'),
      isSnapshot: op === 'r' || (isNew && isSnapshot(sourceOf(added))),
      keys: this.#rows.keyNames(opened.key()),
      oldKey: op === 'c' ? oldKeyOf(opened, this.#headers) : null,
    })
  }

  #delete(row: Members, added: Members, opened: Opened): Decoded {
    const given = opened.key()
    const cells = this.#rows.deleted(given, row)
    if (isRefusal(cells)) return cells
    return changeImage(cells, {
      ...changeOf(added, opened.message, 'delete'),
      keys: this.#rows.keyNames(given),
      newKey: newKeyOf(opened, this.#headers),
    })
  }
}

const NO_MEMBERS: Members = new Map()

/** Columns, and what is added to them or in headers. */
function apart(value: Members, { headers }: Message): { row: Members; added: Members } {
  let row: Map<string, JsonNode> | null = null
  const added = new Map<string, JsonNode>()
  for (const [name, node] of value) {
    if (!name.startsWith('__')) continue
    row ??= new Map(value)
    row.delete(name)
    added.set(name, node)
  }
  for (const [name, bytes] of headers) {
    const isOwn = name.startsWith('__') && !name.startsWith('__debezium.')
    if (isOwn && bytes !== null && !added.has(name)) added.set(name, headerNode(bytes))
  }
  return { row: row ?? value, added }
}

/** Header converters write JSON, with a schema or without, or bare text. */
function headerNode(bytes: Buffer): JsonNode {
  const text = bytes.toString('utf8')
  const parsed = parseExactJson(text)
  if ('error' in parsed) return text
  const { node } = parsed
  return isJsonObject(node) && node.has('schema') ? (node.get('payload') ?? null) : node
}

function isDeleted(mark: JsonNode): boolean {
  return mark === true || mark === 'true'
}

/** `add.fields=lsn` and `add.fields=source.lsn` differ in the name; clocks without `source` are the connector's own. */
function sourceOf(added: Members): SourceFields {
  return (name) => {
    const sourced = added.get(`__source_${name}`) ?? null
    return sourced === null && !name.startsWith('ts_') ? (added.get(`__${name}`) ?? null) : sourced
  }
}

/** A feed that was left no position of the log at all is ordered by its topic. */
function changeOf(added: Members, { offset }: Message, op: Change['op']): Change {
  const source = sourceOf(added)
  return {
    op,
    isSnapshot: false,
    keys: NO_NAMES,
    oldKey: null,
    newKey: null,
    before: NO_VALUES,
    sequence: hasPosition(source) ? sequenceOf(source) : [offset],
    source,
    fields: fieldsOf(added),
  }
}

/** Under the names that whole change records have: `_op`, `_lsn`, `_ts_ms` for `__source_ts_ms`. */
function fieldsOf(added: Members): ReadonlyMap<string, Value> {
  if (added.size === 0) return NO_VALUES
  return new Map(Array.from(added, ([name, node]) => [fieldName(name.slice(2)), jsonValue(node)]))
}

function fieldName(added: string): string {
  if (added.startsWith('source_')) return fieldName(added.slice('source_'.length)).replace(OWN, '_')
  if (added.startsWith('ts_')) return `_connector_${added}`
  return added === 'transaction_id' || added === 'txId' ? '_tx_id' : `_${added}`
}

const OWN = /^_connector_/
