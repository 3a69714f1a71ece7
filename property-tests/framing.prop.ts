import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Csv } from '../src/formats/csv.ts'
import { START } from '../src/formats/framing.ts'
import type { Framed, Framing, Place } from '../src/formats/framing.ts'
import { JsonElements } from '../src/formats/json-elements.ts'
import { Lines } from '../src/formats/lines.ts'
import { valuesOf } from '../src/ports/source.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 300)

const OPTIONS = { stream: { name: 'feed', partition: 0 }, maxRecordBytes: 20 }

/** How each format is cut into records, and the pieces of text at which that can go wrong. */
const FORMATS = {
  ndjson: {
    open: (from: Place): Framing => new Lines({ ...OPTIONS, from }),
    pieces: [
      '{"a":1}',
      '\n',
      '\r\n',
      '\r',
      ' ',
      'x',
      '\ufeff',
      '{"b":"é"}',
      '"long, long, long text"',
    ],
  },
  json: {
    open: (from: Place): Framing => new JsonElements({ ...OPTIONS, from }),
    pieces: [
      '[',
      ']',
      '{',
      '}',
      ',',
      '{"a":1}',
      '"',
      '\\',
      '12',
      ' ',
      '\n',
      '\ufeff',
      '"]',
      '{"a":[]}',
    ],
  },
  csv: {
    open: (from: Place): Framing => new Csv({ ...OPTIONS, from }, { header: ['a', 'b'] }),
    pieces: [
      ',',
      '"',
      '""',
      '\n',
      '\r\n',
      '\r',
      'x',
      'long text',
      '\ufeff',
      'é',
      'a,b\n',
      '"a",b\n',
    ],
  },
  'csv with a backslash for escape': {
    open: (from: Place): Framing => {
      return new Csv({ ...OPTIONS, from }, { header: ['a', 'b'], escape: '\\', delimiter: '||' })
    },
    pieces: ['|', '||', '"', '\\', '\\"', '\n', '\r\n', '\r', 'x', '"a"||b\n'],
  },
}

for (const [format, { open, pieces }] of Object.entries(FORMATS)) {
  const text = fc
    .array(fc.constantFrom(...pieces), { maxLength: 30 })
    .map((parts) => parts.join(''))

  test(`${format}: how a file is cut into chunks does not show in its records`, () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (content, size) => {
        const bytes = Buffer.from(content)
        expect(read(open(START), bytes, size)).toEqual(read(open(START), bytes, bytes.length + 1))
      }),
      { numRuns },
    )
  })

  test(`${format}: going on after any record gives the records after it`, () => {
    fc.assert(
      fc.property(text, fc.nat(), (content, nth) => {
        const bytes = Buffer.from(content)
        const whole = framings(open(START), bytes, 7)
        const records = whole.flatMap(drawn)
        const places = whole.flatMap(placesAfter)
        if (places.length === 0) return

        const index = nth % places.length
        const from = places[index] ?? START
        const rest = framings(open(from), bytes.subarray(from.offset), 7).flatMap(drawn)
        expect(rest).toEqual(records.slice(index + 1))
      }),
      { numRuns },
    )
  })

  test(`${format}: a place never lies before the records given out`, () => {
    fc.assert(
      fc.property(text, (content) => {
        const framing = open(START)
        const bytes = Buffer.from(content)
        const given = framings(framing, bytes, 5).flatMap(placesAfter).at(-1) ?? START
        const { place } = framing
        expect([place.offset >= given.offset, place.next >= given.next]).toEqual([true, true])
        expect(framings(open(place), bytes.subarray(place.offset), 5).flatMap(drawn)).toEqual([])
      }),
      { numRuns },
    )
  })
}

function read(framing: Framing, bytes: Buffer, chunkSize: number): unknown[] {
  return framings(framing, bytes, chunkSize).flatMap(drawn)
}

function framings(framing: Framing, bytes: Buffer, chunkSize: number): Framed[] {
  const out: Framed[] = []
  for (let at = 0; at < bytes.length; at += chunkSize) {
    out.push(framing.push(bytes.subarray(at, at + chunkSize)))
  }
  return [...out, framing.finish()]
}

/** Number, bytes and outcome of records; the bytes of a refused rest depend on where a chunk ends. */
function drawn({ records, states }: Framed): unknown[] {
  return records.map(({ number, bytes, decoded }, i) => [
    number,
    states[i] === 'stopped' ? null : Buffer.from(bytes).toString('latin1'),
    decoded.kind === 'image' ? { ...decoded, values: valuesOf(decoded) } : decoded,
  ])
}

function placesAfter({ records, ends, states }: Framed): Place[] {
  return records.map(({ number }, i) => ({
    offset: ends[i] ?? 0,
    next: number + 1,
    state: states[i] ?? '',
  }))
}
