import { jsonValue, type JsonNode } from '../core/json.ts'
import { numberFromDouble } from '../core/number.ts'
import { refuse } from '../core/refusal.ts'
import { timestampFromEpoch } from '../core/temporal.ts'
import type { Value } from '../core/value.ts'
import type { Checkpoint, Decoded, SourceBatch, SourceRecord, StreamName } from '../ports/source.ts'
import { jsonText } from '../core/display.ts'
import { MAX_DEPTH } from '../formats/json-scan.ts'

/** The stream that events from code stand in. */
const STREAM = { name: 'events', partition: 0 }

/**
 * Events handed over by a program as a batch, numbered on from the checkpoint. A value may be
 * null, a boolean, a number, a bigint, text, bytes (`Uint8Array`), a `Date`, or arrays and plain objects of these as JSON has them. Anything else is refused as `UNDECODABLE`.
 */
export function eventBatch(
  events: readonly Readonly<Record<string, unknown>>[],
  checkpoints: readonly Checkpoint[],
): SourceBatch {
  const from = checkpoints.find(({ name }) => name === STREAM.name)?.next ?? 1
  return {
    records: events.map((event, i) => eventRecord(event, STREAM, from + i)),
    checkpoints: [{ ...STREAM, next: from + events.length, state: '' }],
  }
}

/** An event or row from code as a record. */
export function eventRecord(
  event: Readonly<Record<string, unknown>>,
  stream: StreamName,
  number: number,
): SourceRecord {
  const given: unknown = event
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const decoded = refuse('UNDECODABLE', 'the event is no object with columns')
    const bytes = new TextEncoder().encode(String(given))
    return { stream, number, bytes, decoded, timestamp: null }
  }
  const names = Object.keys(event)
  const values: Value[] = []
  let decoded: Decoded = { kind: 'image', shape: { names }, values, hint: null }
  for (const name of names) {
    const value = eventValue(event[name])
    if (value === undefined) {
      decoded = refuse('UNDECODABLE', `"${name}" is no value that a column can hold`)
      break
    }
    values.push(value)
  }
  return { stream, number, bytes: textOf(names, values), decoded, timestamp: null }
}

/** A value from code; undefined if it is none. */
export function eventValue(value: unknown): Value | undefined {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return numberFromDouble(value)
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return value.isWellFormed() ? value : undefined
  if (value instanceof Date) return instantOf(value)
  if (value instanceof Uint8Array) return { type: 'bytes', text: hexOf(value) }
  const node = nodeOf(value)
  return node === undefined ? undefined : jsonValue(node)
}

/** Undefined for a date that is none, or of a year that has not four digits. */
function instantOf(date: Date): Value | undefined {
  const ms = date.getTime()
  return Number.isNaN(ms) ? undefined : (timestampFromEpoch(ms, 'ms') ?? undefined)
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Undefined for what JSON has nothing like, a cycle among it. */
function nodeOf(value: unknown, depth = 0): JsonNode | undefined {
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return all(value.map((item) => nodeOf(item, depth + 1)))
  if (!isPlainObject(value)) return isScalar(value) ? eventValue(value) : undefined
  const fields = new Map<string, JsonNode>()
  for (const [name, field] of Object.entries(value)) {
    const node = nodeOf(field, depth + 1)
    if (node === undefined) return undefined
    fields.set(name, node)
  }
  return fields
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function isScalar(value: unknown): boolean {
  return (
    value === null || ['undefined', 'boolean', 'number', 'bigint', 'string'].includes(typeof value)
  )
}

function all(nodes: readonly (JsonNode | undefined)[]): JsonNode | undefined {
  const known = nodes.filter((node) => node !== undefined)
  return known.length === nodes.length ? known : undefined
}

/** The event as JSON, for the quarantine. */
function textOf(names: readonly string[], values: readonly Value[]): Uint8Array {
  const members = names.map((name, i) => `${JSON.stringify(name)}:${jsonText(values[i] ?? null)}`)
  return new TextEncoder().encode(`{${members.join(',')}}`)
}
