import { parseExactJson } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { isRefusal, refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Decoded, Hint } from '../ports/source.ts'
import type { Envelope, Opened } from './envelope.ts'
import { readExtended } from './extended-json.ts'
import { hintOf } from './hint.ts'
import { MAX_DEPTH } from './json-scan.ts'
import { epochOf, fieldsOf, integerOf, objectOf, textOf } from './members.ts'
import type { JsonObject } from './members.ts'
import type { Preset } from './message.ts'
import { patchOf } from './mongodb-patch.ts'
import { rowImage } from './row-image.ts'
import { Shapes } from './shapes.ts'

/** The sequence is the cluster's time; the key is `_id`. */
export const MONGODB: Preset = { order: 'MongoDB', hasKeys: true, hasTime: true, isPartial: true }

/**
 * Change stream documents as MongoDB's own connector for Kafka publishes them: as JSON, as a text
 * of JSON, or with the schema block around it.
 *
 * The sequence is `[t, i]` of `clusterTime`. Documents that were copied before the stream began
 * have none and come first, with `[0, 0]`.
 */
export class MongoDb implements Envelope {
  readonly #shapes = new Shapes()

  read({ value, key }: Opened): Decoded {
    const opened = openedDocument(value)
    if (isRefusal(opened)) return opened
    if (opened === null) return this.#tombstone(key())
    const event = objectOf(opened)
    if (event === null) return refuse('ENVELOPE', 'the value is no document')
    const type = textOf(event.get('operationType'))
    if (type === null) {
      return refuse(
        'ENVELOPE',
        'the document has no "operationType": whole documents alone are rows of the format json',
      )
    }
    if (!ROW_TYPES.has(type)) {
      return OTHER_TYPES.has(type)
        ? { kind: 'ignored', reason: type }
        : refuse('ENVELOPE', `unknown operationType "${type}"`)
    }
    const id = objectOf(event.get('documentKey'))?.get('_id')
    const hint = hintFrom(event, type)
    const document = objectOf(event.get('fullDocument'))

    if (type === 'delete') {
      if (id === undefined) return refuse('ENVELOPE', 'the deletion has no "documentKey"')
      const row = new Map([
        ...(objectOf(event.get('fullDocumentBeforeChange')) ?? []),
        ...new Map([['_id', id]]),
      ])
      return rowImage(row, { ...hint, op: 'delete' }, this.#shapes)
    }
    if (document !== null) return rowImage(document, hint, this.#shapes)
    if (type !== 'update') return refuse('ENVELOPE', `the ${type} has no "fullDocument"`)
    return this.#patch(event, id, hint)
  }

  #patch(event: JsonObject, id: JsonNode | undefined, hint: Hint): Decoded {
    const description = objectOf(event.get('updateDescription'))
    if (description === null || id === undefined) {
      return refuse('ENVELOPE', 'the update has no "fullDocument", and does not say what changed')
    }
    const patch = patchOf(description, objectOf(description.get('updatedFields')) ?? new Map())
    if (isRefusal(patch)) return patch
    const columns = new Map([...new Map([['_id', id]]), ...patch.columns])
    return rowImage(columns, { ...hint, isPartial: true, merge: patch.merge }, this.#shapes)
  }

  #tombstone(key: JsonNode | Refusal): Decoded {
    const opened = isRefusal(key) ? key : openedDocument(key)
    if (isRefusal(opened)) return opened
    const id = objectOf(objectOf(opened)?.get('documentKey') ?? opened)?.get('_id')
    // By default the key is the resume token of the event, which names no document.
    const isToken = id === undefined || objectOf(id)?.has('_data') === true
    if (isToken) return { kind: 'ignored', reason: 'tombstone whose key names no document' }
    return rowImage(
      new Map([['_id', id]]),
      hintOf({ op: 'tombstone', keys: ['_id'] }),
      this.#shapes,
    )
  }
}

const ROW_TYPES: ReadonlySet<string> = new Set(['insert', 'update', 'replace', 'delete'])

const OTHER_TYPES: ReadonlySet<string> = new Set([
  'drop',
  'rename',
  'dropDatabase',
  'invalidate',
  'create',
  'createIndexes',
  'dropIndexes',
  'modify',
  'shardCollection',
  'reshardCollection',
  'refineCollectionShardKey',
])

/** The document of a message in its values; a text is JSON, and `{schema, payload}` its payload. */
function openedDocument(node: JsonNode): JsonNode | Refusal {
  const object = objectOf(node)
  const isWrapped = object?.size === 2 && object.has('payload') && object.has('schema')
  const inner = isWrapped ? (object.get('payload') ?? null) : node
  if (typeof inner !== 'string') return readExtended(inner)
  const parsed = parseExactJson(inner, MAX_DEPTH)
  if ('error' in parsed) {
    return refuse('ENVELOPE', `the text of the document is broken JSON: ${parsed.error}`)
  }
  return readExtended(parsed.node)
}

function hintFrom(event: JsonObject, type: string): Hint {
  const isCopied = objectOf(event.get('_id'))?.get('copyingData') === true
  const clusterTime = objectOf(event.get('clusterTime'))
  const seconds = integerOf(clusterTime?.get('t'))
  const sequence: readonly Value[] =
    isCopied && clusterTime === null ? [0, 0] : [seconds, integerOf(clusterTime?.get('i'))]
  const wallTime = event.get('wallTime')
  return hintOf({
    rank: isCopied ? -1 : 0,
    sequence,
    time: isTimestamp(wallTime) ? wallTime : epochOf(seconds, 's'),
    keys: ['_id'],
    fields: fieldsOf({
      _op: type,
      _db: objectOf(event.get('ns'))?.get('db'),
      _table: objectOf(event.get('ns'))?.get('coll'),
      _snapshot: isCopied,
    }),
  })
}

function isTimestamp(node: JsonNode | undefined): node is Value & { readonly type: 'timestamp' } {
  return typeof node === 'object' && node !== null && 'type' in node && node.type === 'timestamp'
}
