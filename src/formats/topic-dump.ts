import { isUtf8 } from 'node:buffer'
import { canonicalText, isJsonArray, isJsonObject, parseExactJson } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import { isTagged } from '../core/value.ts'
import { parseTimestamp } from '../core/temporal.ts'
import type { StreamName } from '../ports/source.ts'
import { bytesOfBase64 } from './connect/base64.ts'
import { utf8Fault } from './utf8.ts'
import type { Message, MessageHeader } from './message.ts'

/**
 * A message as a line of a topic's dump: one JSON object with `topic`, `partition`, `offset`,
 * `timestamp` (ISO text), `key`, `value` and `headers` (a list of pairs, since names may repeat).
 *
 * Bytes that are UTF-8 stand as text, others as `{"base64": …}`; null is null. The line ends without `\n`.
 */
export function dumpLine({ stream, offset, key, value, headers, timestamp }: Message): string {
  return canonicalObject([
    ['topic', stream.name],
    ['partition', stream.partition],
    ['offset', offset],
    ['timestamp', isTagged(timestamp) ? timestamp.text : null],
    ['key', bytesNode(key)],
    ['value', bytesNode(value)],
    ['headers', headers.map(([name, bytes]) => [name, bytesNode(bytes)])],
  ])
}

/** Reads lines that {@link dumpLine} wrote, or that somebody made alike; headers may be an object too. */
export class TopicDump {
  readonly #streams = new Map<string, StreamName>()

  /** The message of a line, or `UNDECODABLE` with what is wrong. */
  read(line: Buffer): Message | Refusal {
    const fault = utf8Fault(line)
    if (fault !== null) return refuse('UNDECODABLE', fault)
    const parsed = parseExactJson(line.toString('utf8'))
    if ('error' in parsed) {
      return refuse('UNDECODABLE', `broken JSON: ${parsed.error}, at character ${parsed.at + 1}`)
    }
    if (!isJsonObject(parsed.node)) return refuse('UNDECODABLE', 'the line is no JSON object')
    return this.#message(parsed.node)
  }

  #message(line: ReadonlyMap<string, JsonNode>): Message | Refusal {
    const topic = line.get('topic')
    if (typeof topic !== 'string') return wrong('topic', 'text')
    const partition = countOf(line.get('partition') ?? 0)
    if (partition === null) return wrong('partition', 'a whole number from 0')
    const offset = countOf(line.get('offset'))
    if (offset === null) return wrong('offset', 'a whole number from 0')
    const at = line.get('timestamp') ?? null
    const timestamp = typeof at === 'string' ? parseTimestamp(at) : null
    if (at !== null && timestamp === null) return wrong('timestamp', 'a timestamp as ISO text')
    const key = bytesOf(line.get('key'))
    if (key === undefined) return wrong('key', BYTES)
    const value = bytesOf(line.get('value'))
    if (value === undefined) return wrong('value', BYTES)
    const headers = headersOf(line.get('headers') ?? [])
    if (headers === undefined) return wrong('headers', 'a list of [name, value], or an object')
    return { stream: this.#stream(topic, partition), offset, key, value, headers, timestamp }
  }

  #stream(name: string, partition: number): StreamName {
    const id = `${partition} ${name}`
    const known = this.#streams.get(id)
    if (known !== undefined) return known
    const stream = { name, partition }
    this.#streams.set(id, stream)
    return stream
  }
}

const BYTES = 'text, null or { "base64": … }'

function wrong(member: string, expected: string): Refusal {
  return refuse('UNDECODABLE', `"${member}" of the dumped message is not ${expected}`)
}

function countOf(node: JsonNode | undefined): number | null {
  const number = typeof node === 'string' && /^\d{1,16}$/.test(node) ? Number(node) : node
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null
}

/** The bytes that a member stands for; undefined where it stands for none. */
function bytesOf(node: JsonNode | undefined): Buffer | null | undefined {
  if (node === undefined || node === null) return null
  if (typeof node === 'string') return Buffer.from(node, 'utf8')
  if (!isJsonObject(node)) return undefined
  const text = node.get('base64')
  if (typeof text !== 'string' || node.size !== 1) return undefined
  return bytesOfBase64(text) ?? undefined
}

function headersOf(node: JsonNode): readonly MessageHeader[] | undefined {
  const pairs = isJsonObject(node) ? [...node] : node
  if (!isJsonArray(pairs)) return undefined
  const headers: MessageHeader[] = []
  for (const pair of pairs) {
    if (!isJsonArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string') return undefined
    const value = bytesOf(pair[1])
    if (value === undefined) return undefined
    headers.push([pair[0], value])
  }
  return headers
}

function bytesNode(bytes: Buffer | null): JsonNode {
  if (bytes === null) return null
  if (isUtf8(bytes)) return bytes.toString('utf8')
  return new Map([['base64', bytes.toString('base64')]])
}

/** Members in the order given, unlike in canonical text. */
function canonicalObject(members: readonly (readonly [string, JsonNode])[]): string {
  return `{${members.map(([name, node]) => `${JSON.stringify(name)}:${canonicalText(node)}`).join(',')}}`
}
