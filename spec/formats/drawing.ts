import { isTagged } from '../../src/core/value.ts'
import type { Value } from '../../src/core/value.ts'
import { START } from '../../src/formats/framing.ts'
import type { Framing, FramingOptions } from '../../src/formats/framing.ts'
import type { Decoded, SourceRecord } from '../../src/ports/source.ts'

/** A record on one line: `3: a=1 b='x'`, or `3: UNDECODABLE invalid UTF-8 …`. */
export function draw({ number, decoded }: SourceRecord): string {
  return `${number}: ${drawDecoded(decoded)}`
}

/** What became of a record, on one line. */
export function drawDecoded(decoded: Decoded): string {
  switch (decoded.kind) {
    case 'image':
      return decoded.shape.names
        .map((name, i) => `${name}=${drawValue(decoded.values.at(i) ?? null)}`)
        .join(' ')
    case 'refusal':
      return `${decoded.code} ${decoded.message}`
    default:
      return decoded.kind
  }
}

/** All records of a text, drawn. The text comes in chunks of a few bytes, so that every cut is met. */
export function frame(make: (options: FramingOptions) => Framing, text: string | Buffer): string[] {
  const bytes = Buffer.from(text)
  const framing = make({ stream: STREAM, from: START, maxRecordBytes: 1000 })
  const records: SourceRecord[] = []
  for (let at = 0; at < bytes.length; at += 3) {
    records.push(...framing.push(bytes.subarray(at, at + 3)).records)
  }
  return [...records, ...framing.finish().records].map(draw)
}

/** Where the records of a stream come from in these tests. */
export const STREAM = { name: 'feed', partition: 0 }

/** A value on one line. */
export function drawValue(value: Value): string {
  if (typeof value === 'string') return `'${value}'`
  if (typeof value === 'bigint') return `${value}n`
  return isTagged(value) ? `${value.type}(${value.text})` : String(value)
}
