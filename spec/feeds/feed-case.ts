import { isArray, isObject, jsonText, readJson } from '../conformance/json.ts'
import type { Json, JsonObject } from '../conformance/json.ts'

/** A small feed and what a consumer is to make of it; the case files say what the members mean. */
export type FeedCase = {
  readonly id: string
  readonly format: string
  readonly config: JsonObject
  /** What the broker is like; null where any will do. */
  readonly broker: JsonObject | null
  readonly records: readonly FeedRecord[]
  readonly expect: JsonObject
}

/** A record as it lies in its topic. */
export type FeedRecord = {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [string, Buffer])[]
}

/** The cases of a file. @throws Error where it is none */
export function feedCasesOf(text: string): FeedCase[] {
  const file = readJson(text)
  const cases = isObject(file) ? file['cases'] : file
  if (!isArray(cases)) throw new Error('no file of feed cases: it has no list of cases')
  return cases.map(caseOf)
}

function caseOf(node: Json): FeedCase {
  if (!isObject(node)) throw new Error('a feed case is no object')
  const { id, format, config, broker, records, expect } = node
  if (typeof id !== 'string' || typeof format !== 'string')
    throw new Error('a feed case without id or format')
  if (!isObject(config) || !isObject(expect)) throw new Error(`${id} has no config or no expect`)
  return {
    id,
    format,
    config,
    broker: isObject(broker) ? broker : null,
    records: isArray(records) ? records.map((record) => recordOf(id, record)) : [],
    expect,
  }
}

function recordOf(id: string, node: Json): FeedRecord {
  if (!isObject(node)) throw new Error(`${id} has a record that is no object`)
  return {
    topic: textOf(node['topic']),
    partition: Number(textOf(node['partition'])),
    offset: Number(textOf(node['offset'])),
    key: bytesOf(node, 'key'),
    value: bytesOf(node, 'value'),
    headers: [
      ...entriesOf(node['headers']).map(([name, text]) => [name, Buffer.from(text)] as const),
      ...entriesOf(node['headers_hex']).map(
        ([name, hex]) => [name, Buffer.from(hex, 'hex')] as const,
      ),
    ],
  }
}

function bytesOf(record: JsonObject, name: 'key' | 'value'): Buffer | null {
  const text = record[name]
  if (typeof text === 'string') return Buffer.from(text)
  const hex = record[`${name}_hex`]
  return typeof hex === 'string' ? Buffer.from(hex, 'hex') : null
}

function entriesOf(node: Json | undefined): (readonly [string, string])[] {
  return isObject(node) ? Object.entries(node).map(([name, value]) => [name, textOf(value)]) : []
}

/** Text as it is, everything else as JSON has it. */
export function textOf(node: Json | undefined): string {
  return typeof node === 'string' ? node : jsonText(node ?? null)
}
