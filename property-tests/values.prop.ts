import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64OfHex, hexOfBase64 } from '../src/core/bytes.ts'
import { compareCodePoints } from '../src/core/code-points.ts'
import { jsonText } from '../src/core/display.ts'
import {
  canonicalText,
  mergeJson,
  parseCanonical,
  parseExactJson,
  valueOfParsed,
} from '../src/core/json.ts'
import type { JsonNode } from '../src/core/json.ts'
import { keyOf, keyParts } from '../src/core/key.ts'
import {
  compareNumbers,
  isNumeric,
  numberFrom,
  numberFromDouble,
  numberText,
} from '../src/core/number.ts'
import type { Numeric } from '../src/core/number.ts'
import {
  microsOf,
  parseTimestamp,
  timestampFromEpoch,
  timestampFromMicros,
} from '../src/core/temporal.ts'
import { sameRow } from '../src/core/value.ts'
import type { Value } from '../src/core/value.ts'
import { hex, nanos, offset, RUNS, spelling, spellInstant, text } from './arbitraries/spellings.ts'
import { compareFractions, fractionOf } from './models/exact-number.ts'

test('V1 two spellings are one value exactly if they denote one number, and compare as it does', () => {
  fc.assert(
    fc.property(spelling, spelling, (a, b) => {
      const expected = compareFractions(fractionOf(a), fractionOf(b))
      expect(compareNumbers(number(a), number(b))).toBe(expected)
      expect(sameRow([number(a)], [number(b)])).toBe(expected === 0)
    }),
    { numRuns: RUNS.numRuns * 5 },
  )
})

test('V2 another spelling of a number gives the same value', () => {
  const shifted = fc.record({
    digits: fc.bigInt({ min: 0n, max: 10n ** 30n }),
    exponent: fc.integer({ min: -450, max: 450 }),
    zeros: fc.nat({ max: 450 }),
    point: fc.nat({ max: 20 }),
  })
  fc.assert(
    fc.property(shifted, ({ digits, exponent, zeros, point }) => {
      const padded = `${digits}${'0'.repeat(zeros)}`.padStart(point + 1, '0')
      const cut = padded.length - point
      const other = `${padded.slice(0, cut)}.${padded.slice(cut)}0e${exponent - zeros + point}`
      expect(numberFrom(other)).toEqual(number(`${digits}e${exponent}`))
    }),
    RUNS,
  )
})

test('V3 the text of a number denotes it, and is no longer than it need be', () => {
  fc.assert(
    fc.property(spelling, (given) => {
      const shown = numberText(number(given))
      expect(compareFractions(fractionOf(shown), fractionOf(given))).toBe(0)
      expect(numberFrom(shown)).toEqual(number(given))
      expect(shown).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?(e[+-]\d+)?$/)
      expect(shown.includes('e')).toBe(plainLength(shown) > 400)
    }),
    RUNS,
  )
})

test('V4 a double is the number that its shortest spelling denotes', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
      expect(numberFromDouble(n)).toEqual(number(String(n)))
      expect(Number(numberText(numberFromDouble(n)))).toBe(n === 0 ? 0 : n)
    }),
    { numRuns: RUNS.numRuns * 5 },
  )
})

test('V5 a key gives back its parts, and other parts have another key', () => {
  // Few values that look alike in all ways but their type, so that keys that must differ nearly do not.
  const part = fc.oneof(
    fc.constantFrom<Value>(1, '1', 'n1', true, 'b1', '["n1"]', '', '[', 'tt', 10n ** 20n, 0.5),
    fc.constantFrom<Value>(
      { type: 'bytes', text: '01' },
      { type: 'date', text: '2026-01-02' },
      { type: 'timestamp', text: '2026-01-02T00:00:00Z' },
      { type: 'local_timestamp', text: '2026-01-02T00:00:00' },
      { type: 'time', text: '00:00:00' },
      { type: 'json', text: '["n1"]' },
      { type: 'double', text: 'NaN' },
    ),
    text,
    spelling.map(number),
  )
  const parts = fc.array(part, { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      expect(keyParts(keyOf(a))).toEqual(a)
      expect(keyOf(a) === keyOf(b)).toBe(a.length === b.length && sameRow(a, b))
    }),
    { numRuns: RUNS.numRuns * 5 },
  )
})

test('V6 an instant is one value on whatever clock it is spelled, and keeps its nanoseconds', () => {
  fc.assert(
    fc.property(nanos, offset, fc.constantFrom('T', 't', ' '), (instant, clock, separator) => {
      const value = parseTimestamp(spellInstant(instant, clock, separator))
      expect(value).toEqual(timestampFromEpoch(numeric(whole(instant)), 'ns'))
      expect(value).toEqual(timestampFromEpoch(numeric(decimal(instant, 9)), 's'))
      expect(value).toEqual(timestampFromEpoch(numeric(decimal(instant, 3)), 'us'))
      expect(value?.text).toBe(
        spellInstant(instant, { minutes: 0, text: 'Z' }).replace(/\.?0+Z$/, 'Z'),
      )
    }),
    { numRuns: RUNS.numRuns * 2 },
  )
})

test('V7 microseconds come back from the timestamp made of them', () => {
  fc.assert(
    fc.property(nanos, (instant) => {
      expect(microsOf(timestampFromMicros(instant / 1000n))).toBe(instant / 1000n)
    }),
    RUNS,
  )
})

test('V8 base64 is that of Node, and goes back to the bytes', () => {
  fc.assert(
    fc.property(hex, (bytes) => {
      const base64 = Buffer.from(bytes, 'hex').toString('base64')
      expect([base64OfHex(bytes), hexOfBase64(base64)]).toEqual([base64, bytes])
      expect(hexOfBase64(base64.replace(/=/g, ''))).toBe(bytes)
    }),
    RUNS,
  )
})

test('V9 text is compared as its bytes of UTF-8 are', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareCodePoints(a, b))).toBe(
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
      )
    }),
    RUNS,
  )
})

/** JSON as `JSON.parse` gives it, with the names that go wrong in JavaScript. */
type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain }

const name = fc.oneof(fc.constantFrom('a', 'b', '__proto__', '2', '10', 'constructor'), text)
const { plain } = fc.letrec<{ plain: Plain }>((tie) => ({
  plain: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Plain>(null, true, false, 0, 1, -1.5, 1e-7, 1e21, 'a'),
    text,
    fc.array(tie('plain'), { maxLength: 3 }),
    object(tie('plain')),
  ),
}))
const plainObject = object(plain)

test('V10 JSON has one canonical text, whatever the order of members, white space and spelling', () => {
  fc.assert(
    fc.property(plain, fc.constantFrom('', ' ', '\n\t'), (value, space) => {
      const canonical = canonicalText(parsed(JSON.stringify(value)))
      expect(canonicalText(parsed(respelled(value, space)))).toBe(canonical)
      expect(canonicalText(parseCanonical(canonical))).toBe(canonical)
      expect(jsonText(valueOfParsed(value))).toBe(canonical)
      expect(JSON.parse(canonical)).toEqual(value)
    }),
    { numRuns: RUNS.numRuns * 2 },
  )
})

test('V11 what is read as JSON is what JSON.parse reads, less what may not be', () => {
  const mangled = fc
    .tuple(plain, fc.nat(), fc.constantFrom('', ',', '"', '}', '{', '0', '-', '.', 'e', '\\', ' '))
    .map(([value, at, insert]) => {
      const json = JSON.stringify(value)
      const place = at % (json.length + 1)
      return json.slice(0, place) + insert + json.slice(place + (at % 2))
    })
  fc.assert(
    fc.property(mangled, (json) => {
      const result = parseExactJson(json)
      const expected = standard(json)
      if ('node' in result) {
        expect(canonicalText(result.node)).toBe(expected)
        return
      }
      const isStricter = /twice|surrogate/.test(result.error)
      expect(isStricter ? null : expected).toBe(null)
    }),
    { numRuns: RUNS.numRuns * 5 },
  )
})

test('V12 an object merges into another as leaf by leaf assignment does', () => {
  fc.assert(
    fc.property(fc.oneof(plain, plainObject), plainObject, (base, patch) => {
      const was = canonicalText(parsed(JSON.stringify(base)))
      const change = canonicalText(parsed(JSON.stringify(patch)))
      const merged = mergeJson(was, change)
      expect(JSON.parse(merged)).toEqual(assigned(base, patch))
      expect(mergeJson(merged, change)).toBe(merged)
    }),
    { numRuns: RUNS.numRuns * 2 },
  )
})

function object(member: fc.Arbitrary<Plain>): fc.Arbitrary<{ [name: string]: Plain }> {
  return fc
    .uniqueArray(fc.tuple(name, member), { maxLength: 4, selector: ([key]) => key })
    .map((members) => Object.fromEntries(members))
}

/** The same JSON spelled otherwise: members the other way round, white space, escapes, decimals. */
function respelled(value: Plain, space: string): string {
  if (Array.isArray(value))
    return `${space}[${value.map((item) => respelled(item, space)).join(',')}]`
  if (typeof value === 'string') return JSON.stringify(value).replace(/a/g, '\\u0061')
  if (typeof value === 'number') return `${space}${value.toExponential()}${space}`
  if (typeof value !== 'object' || value === null) return `${space}${value}${space}`
  const members = Object.entries(value).toReversed()
  return `{${space}${members.map(([key, item]) => `${respelled(key, '')}${space}:${respelled(item, space)}`).join(`${space},${space}`)}${space}}`
}

/** The merge by paths: what of the base no leaf of the patch replaces, then the leaves of the patch. */
function assigned(base: Plain, patch: Plain): Plain {
  if (!isPlainObject(patch)) return patch
  const out: [string, Plain][] = isPlainObject(base) ? Object.entries(base) : []
  for (const [key, value] of Object.entries(patch)) {
    const place = out.findIndex(([known]) => known === key)
    if (value === null) continue
    if (place < 0) out.push([key, assigned(null, value)])
    else out[place] = [key, assigned(out[place]?.[1] ?? null, value)]
  }
  return Object.fromEntries(out)
}

function isPlainObject(value: Plain): value is { [name: string]: Plain } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The canonical text of what `JSON.parse` makes of a text; null where it refuses it. */
function standard(json: string): string | null {
  try {
    return jsonText(valueOfParsed(JSON.parse(json)))
  } catch {
    return null
  }
}

function parsed(json: string): JsonNode {
  const result = parseExactJson(json)
  if ('error' in result) throw new Error(`${result.error} at ${result.at}`)
  return result.node
}

function number(spelledNumber: string): Numeric {
  return numeric(numberFrom(spelledNumber))
}

function numeric(value: Value): Numeric {
  if (!isNumeric(value)) throw new Error('no number')
  return value
}

function whole(instant: bigint): Value {
  return numberFrom(String(instant))
}

/** An integer with its decimal point moved to the left. */
function decimal(integer: bigint, places: number): Value {
  return numberFrom(`${integer}e-${places}`)
}

/** How many digits and points a number takes when written out. */
function plainLength(shown: string): number {
  const [mantissa = '', exponent = '0'] = shown.replace(/^-/, '').split('e')
  const [before = '', after = ''] = mantissa.split('.')
  const places = Math.max(0, after.length - Number(exponent))
  const wholeDigits = Math.max(1, before.length + Number(exponent))
  return places === 0 ? wholeDigits : wholeDigits + 1 + places
}
