import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberFrom } from '../src/core/number.ts'
import {
  decodeSequence,
  decodeSequenceParts,
  encodeSequence,
  encodeSequenceParts,
  readSequence,
  sameSequenceType,
  sequenceTypeOf,
  sequenceTypeOfParts,
} from '../src/core/sequence.ts'
import type { ScalarType, Sequence, SequenceType } from '../src/core/sequence.ts'
import { parseTimestamp } from '../src/core/temporal.ts'
import type { Value } from '../src/core/value.ts'
import { hex, nanos, offset, RUNS, spelling, spellInstant, text } from './arbitraries/spellings.ts'
import { compareFractions, fractionOf } from './models/exact-number.ts'

/** A value and how it compares with others of its type, by an account that shares no code with the encoding. */
type Ordered = { readonly value: Value; readonly shown: Value; readonly raw: string }

const ORDERED: Record<ScalarType, fc.Arbitrary<Ordered>> = {
  number: spelling.map((raw) => ({ value: numberFrom(raw), shown: numberFrom(raw), raw })),
  text: text.map((raw) => ({ value: raw, shown: raw, raw })),
  bytes: hex.map((raw) => ({
    value: { type: 'bytes', text: raw },
    shown: { type: 'bytes', text: raw },
    raw,
  })),
  timestamp: fc
    .tuple(nanos, offset)
    .map(([instant, clock]) => [instant, parseTimestamp(spellInstant(instant, clock))] as const)
    .map(([instant, value]) => ({ value, shown: value, raw: String(instant) })),
}

const ORDER: Record<ScalarType, (a: string, b: string) => number> = {
  number: (a, b) => compareFractions(fractionOf(a), fractionOf(b)),
  text: (a, b) => compareLists(pointsOf(a), pointsOf(b)),
  bytes: (a, b) => compareLists([...Buffer.from(a, 'hex')], [...Buffer.from(b, 'hex')]),
  timestamp: (a, b) => Number(BigInt(a) - BigInt(b)),
}

const scalarType = fc.constantFrom<ScalarType>('number', 'text', 'bytes', 'timestamp')

test('S1 sequences of one type are in the order of their values, by JavaScript and by the bytes of UTF-8', () => {
  const pair = scalarType.chain((scalar) =>
    fc.tuple(fc.constant(scalar), ORDERED[scalar], ORDERED[scalar]),
  )
  fc.assert(
    fc.property(pair, ([scalar, a, b]) => {
      const type = { parts: [scalar], list: false }
      const expected = Math.sign(ORDER[scalar](a.raw, b.raw))
      expect(ordersOf(encodeSequence(a.value, type), encodeSequence(b.value, type))).toEqual([
        expected,
        expected,
      ])
    }),
    { numRuns: RUNS.numRuns * 5 },
  )
})

test('S2 lists compare part by part, from left to right', () => {
  const lists = fc
    .array(scalarType, { minLength: 2, maxLength: 3 })
    .chain((parts) =>
      fc.tuple(
        fc.constant(parts),
        fc.tuple(...parts.map((part) => ORDERED[part])),
        fc.tuple(...parts.map((part) => ORDERED[part])),
        fc.nat({ max: 2 }),
      ),
    )
  fc.assert(
    fc.property(lists, ([parts, first, second, shared]) => {
      // Parts that agree at the start, so that the later ones have a say.
      const mixed = second.map((part, i) => (i < shared ? (first[i] ?? part) : part))
      const type = { parts, list: true }
      const differences = parts.map((part, i) =>
        ORDER[part](first[i]?.raw ?? '', mixed[i]?.raw ?? ''),
      )
      const expected = Math.sign(differences.find((difference) => difference !== 0) ?? 0)
      const a = encodeSequenceParts(first.map(valueOf), type)
      const b = encodeSequenceParts(mixed.map(valueOf), type)
      expect(ordersOf(a, b)).toEqual([expected, expected])
    }),
    { numRuns: RUNS.numRuns * 2 },
  )
})

test('S3 a sequence gives back its value', () => {
  const typed = fc
    .tuple(fc.array(scalarType, { minLength: 1, maxLength: 3 }))
    .chain(([parts]) =>
      fc.tuple(fc.constant(parts), fc.tuple(...parts.map((part) => ORDERED[part]))),
    )
  fc.assert(
    fc.property(typed, ([parts, ordered]) => {
      const values = ordered.map(valueOf)
      const type: SequenceType = { parts, list: parts.length > 1 }
      const sequence = made(encodeSequenceParts(values, type))
      expect(decodeSequenceParts(sequence, type)).toEqual(values)
      expect(readSequence(decodeSequence(sequence, type), type)).toBe(sequence)
    }),
    RUNS,
  )
})

test('S4 a value is of the type that it fixes, as a list of columns and as an array', () => {
  const jsonType = fc.constantFrom<ScalarType>('number', 'text')
  const columns = fc.array(
    jsonType.chain((scalar) => ORDERED[scalar]),
    { minLength: 2, maxLength: 3 },
  )
  fc.assert(
    fc.property(columns, (ordered) => {
      const values = ordered.map(valueOf)
      const type = typeOf(sequenceTypeOfParts(values))
      const sequence = made(encodeSequenceParts(values, type))
      const array = decodeSequence(sequence, type)
      expect(sameSequenceType(typeOf(sequenceTypeOf(array)), type)).toBe(true)
      expect(encodeSequence(array, type)).toBe(sequence)
    }),
    RUNS,
  )
})

test('S5 SQLite sorts sequences as values are in order', () => {
  const database = new Database(':memory:')
  database.exec('CREATE TABLE t (sequence TEXT NOT NULL)')
  const insert = database.prepare('INSERT INTO t VALUES (?)')
  const sorted = database.prepare('SELECT sequence FROM t ORDER BY sequence').pluck()
  const several = scalarType.chain((scalar) =>
    fc.tuple(fc.constant(scalar), fc.array(ORDERED[scalar], { minLength: 2, maxLength: 20 })),
  )

  fc.assert(
    fc.property(several, ([scalar, ordered]) => {
      const type = { parts: [scalar], list: false }
      database.exec('DELETE FROM t')
      for (const { value } of ordered) insert.run(encodeSequence(value, type))
      const expected = ordered.toSorted((a, b) => ORDER[scalar](a.raw, b.raw))
      expect(sorted.all()).toEqual(expected.map(({ value }) => encodeSequence(value, type)))
    }),
    RUNS,
  )
})

test('S6 the order of numbers does not depend on how large their exponents are', () => {
  const shifted = fc.tuple(
    fc.integer({ min: -9999, max: 9999 }),
    fc.integer({ min: -9999, max: 9999 }),
    fc.integer({ min: -12, max: 12 }),
    fc.constantFrom(-999_999_999_999, -1_000_000, -405, -10, -4, 0, 9, 98, 399, 999_999_999),
  )
  fc.assert(
    fc.property(shifted, ([a, b, exponent, shift]) => {
      const type: SequenceType = { parts: ['number'], list: false }
      const expected = compareFractions(fractionOf(`${a}e${exponent}`), fractionOf(String(b)))
      const left = encodeSequence(numberFrom(`${a}e${exponent + shift}`), type)
      const right = encodeSequence(numberFrom(`${b}e${shift}`), type)
      expect(ordersOf(left, right)).toEqual([expected, expected])
      expect(decodeSequence(made(left), type)).toEqual(numberFrom(`${a}e${exponent + shift}`))
    }),
    RUNS,
  )
})

function valueOf({ value }: Ordered): Value {
  return value
}

/** The order of two sequences by JavaScript's `<` and by their bytes. */
function ordersOf(a: Sequence | null, b: Sequence | null): [number, number] {
  const left = made(a)
  const right = made(b)
  const byUnits = Number(left > right) - Number(left < right)
  return [byUnits, Buffer.compare(Buffer.from(left), Buffer.from(right))]
}

function made(sequence: Sequence | null): Sequence {
  if (sequence === null) throw new Error('not of its type')
  return sequence
}

function typeOf(type: SequenceType | null): SequenceType {
  if (type === null) throw new Error('no type')
  return type
}

function pointsOf(string: string): number[] {
  return Array.from(string, (character) => character.codePointAt(0) ?? 0)
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
