import type { Value } from '../../src/core/value.ts'
import { UNAVAILABLE_VALUE } from '../../src/formats/debezium/unavailable-value.ts'
import { messageFormat } from '../../src/formats/message-formats.ts'
import type { MessageFormatName } from '../../src/formats/message-formats.ts'
import type { Message } from '../../src/formats/message.ts'
import type { Decoded, Hint, Image } from '../../src/ports/source.ts'
import { drawDecoded, drawValue } from './drawing.ts'

/** The key and value of a message: objects are written as JSON, texts and bytes are themselves. */
export type Given = {
  readonly key?: unknown
  readonly value: unknown
  readonly offset?: number
  readonly topic?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A message of topic `feed`, partition 0, at offset 7 if nothing else is said. */
export function messageOf(given: Given): Message {
  const { key = null, value, offset = 7, topic = 'feed', headers = {} } = given
  const stream = { name: topic, partition: 0 }
  return {
    stream,
    offset,
    key: bytesOf(key),
    value: bytesOf(value),
    headers: Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)]),
    timestamp: null,
  }
}

/** What a format makes of a message. */
export function decode(name: MessageFormatName, given: Given): Decoded {
  return messageFormat(name, { unavailableValue: UNAVAILABLE_VALUE }).decode(messageOf(given))
}

/**
 * What became of a message, a line per image:
 *
 *     upsert (5, 'a') rank -1 key id was (1): id=2 name='x'
 *     ignored: DDL (ALTER)
 *     ENVELOPE unknown type "x"
 */
export function rows(name: MessageFormatName, given: Given): string[] {
  const decoded = decode(name, given)
  switch (decoded.kind) {
    case 'image':
      return [drawImage(decoded)]
    case 'images':
      return decoded.images.map(drawImage)
    case 'ignored':
      return [`ignored: ${decoded.reason}`]
    case 'refusal':
      return [drawDecoded(decoded)]
  }
}

/** What the first image of a message says beyond that: its time, its origin, what it was before, its fields. */
export function details(name: MessageFormatName, given: Given): string {
  const decoded = decode(name, given)
  const images = decoded.kind === 'images' ? decoded.images : [decoded]
  const [first] = images
  if (first?.kind !== 'image' || first.hint === null) return drawDecoded(decoded)
  const { time, origin, before, fields } = first.hint
  return [
    `time ${drawValue(time)}`,
    ...(origin === null ? [] : [`origin ${origin}`]),
    ...(before.size === 0 ? [] : [`before ${drawMap(before)}`]),
    drawMap(fields),
  ].join(' · ')
}

/** An image on one line. */
export function drawImage(image: Image): string {
  const { hint } = image
  const columns = drawDecoded(image)
  return hint === null ? columns : `${drawHint(hint)}:${columns === '' ? '' : ` ${columns}`}`
}

function drawHint(hint: Hint): string {
  return [
    hint.op,
    ...(hint.sequence === null ? [] : [drawList(hint.sequence)]),
    ...(hint.rank === 0 ? [] : [`rank ${hint.rank}`]),
    ...(hint.keys.length === 0 ? [] : [`key ${hint.keys.join(', ')}`]),
    ...(hint.keyValues === null ? [] : [`= ${drawList(hint.keyValues)}`]),
    ...(hint.oldKey === null ? [] : [`was ${drawList(hint.oldKey)}`]),
    ...(hint.newKey === null ? [] : [`is ${drawList(hint.newKey)}`]),
    ...(hint.isPartial ? ['partial'] : []),
    ...(hint.merge.length === 0 ? [] : [`merge ${hint.merge.join(', ')}`]),
    ...(hint.unavailable.length === 0 ? [] : [`unavailable ${hint.unavailable.join(', ')}`]),
  ].join(' ')
}

function drawList(values: readonly Value[]): string {
  return `(${values.map(drawValue).join(', ')})`
}

function drawMap(values: ReadonlyMap<string, Value>): string {
  return [...values].map(([name, value]) => `${name}=${drawValue(value)}`).join(' ')
}

function bytesOf(part: unknown): Buffer | null {
  if (part === null || Buffer.isBuffer(part)) return part
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part))
}
