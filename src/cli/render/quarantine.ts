import { placeText } from '../../index.ts'
import type { Quarantined } from '../../index.ts'
import { visible, visibleLines } from './text.ts'

/** One record of the list as a line: id, flow, place, code and reason. */
export function quarantineLine(record: Quarantined): string {
  const { id, flow, code, reason } = record
  return `${[String(id), flow, placeOf(record), code, reason].map(visible).join('  ')}\n`
}

/** All that is kept of one record: its facts, then its bytes, as text if they are UTF-8. */
export function quarantineText(record: Quarantined): string {
  const { id, flow, code, reason, at, bytes } = record
  const text = utf8(bytes)
  const facts = [
    ['flow', flow],
    ['place', placeOf(record)],
    ['code', code],
    ['reason', reason],
    ['at', at],
    ['bytes', `${bytes.length}${text === null ? ', not UTF-8, as hex' : ''}`],
  ] as const
  return `${[
    `record ${id}`,
    ...facts.map(([label, fact]) => `  ${label.padEnd(LABEL)}  ${visible(fact)}`),
    '',
    text === null ? hexLines(bytes) : visibleLines(text),
  ].join('\n')}\n`
}

/** A record as one JSON object on one line; with its bytes on request, as text (null if not UTF-8) and base64. */
export function quarantineJson(record: Quarantined, content: 'facts' | 'bytes'): string {
  const { bytes, ...facts } = record
  const kept = content === 'bytes' ? { text: utf8(bytes), base64: base64(bytes) } : {}
  return `${JSON.stringify({ ...facts, place: placeOf(record), ...kept })}\n`
}

const LABEL = 'reason'.length

/** Where a record set aside was published: `feed/a.ndjson:12`, or `topic[1]:42`. */
function placeOf({ stream, partition, number }: Quarantined): string {
  return placeText({ name: stream, partition }, number)
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** Bytes in hex, sixteen a line, each line after the offset of its first. */
function hexLines(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const hex = Buffer.from(bytes.subarray(at, at + 16)).toString('hex')
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.replace(/..(?=.)/g, '$& ')}`)
  }
  return lines.join('\n')
}
