import { expect, test } from 'vitest'
import { numberFrom } from '../../src/core/number.ts'
import {
  decodeSequence,
  decodeSequenceParts,
  describeSequenceType,
  encodeEpochSequence,
  encodeSequence,
  encodeSequenceParts,
  epochSequenceType,
  readSequence,
  sameSequenceType,
  sequenceTypeOf,
  sequenceTypeOfParts,
} from '../../src/core/sequence.ts'
import type { Sequence, SequenceType } from '../../src/core/sequence.ts'
import type { Tagged, Value } from '../../src/core/value.ts'

const NUMBER: SequenceType = { parts: ['number'], list: false }
const TEXT: SequenceType = { parts: ['text'], list: false }
const BYTES: SequenceType = { parts: ['bytes'], list: false }
const TIMESTAMP: SequenceType = { parts: ['timestamp'], list: false }

test('a value fixes the type of the sequences to come', () => {
  expect(sequenceTypeOf(1)).toEqual(NUMBER)
  expect(sequenceTypeOf(12345678901234567890n)).toEqual(NUMBER)
  expect(sequenceTypeOf({ type: 'decimal', text: '1e+500' })).toEqual(NUMBER)
  expect(sequenceTypeOf('1')).toEqual(TEXT)
  expect(sequenceTypeOf({ type: 'bytes', text: '01' })).toEqual(BYTES)
  expect(sequenceTypeOf(timestamp('2026-01-02T03:04:05Z'))).toEqual(TIMESTAMP)
  expect(sequenceTypeOf({ type: 'local_timestamp', text: '2026-01-02T03:04:05' })).toEqual(
    TIMESTAMP,
  )
  expect(sequenceTypeOf({ type: 'date', text: '2026-01-02' })).toEqual(TIMESTAMP)
})

test('an array counts as a list of columns, and its length is part of the type', () => {
  expect(sequenceTypeOf(json('[1,"a"]'))).toEqual({ parts: ['number', 'text'], list: true })
  expect(sequenceTypeOf(json('[1]'))).toEqual({ parts: ['number'], list: true })
  expect(sequenceTypeOfParts([1, json('[2,"a"]')])).toEqual({
    parts: ['number', 'number', 'text'],
    list: true,
  })
  expect(encodeSequence(json('[1,2,3]'), { parts: ['number', 'number'], list: true })).toBe(null)
})

test('a list of one column is that column', () => {
  expect(sequenceTypeOfParts([1])).toEqual(NUMBER)
  expect(encodeSequenceParts([1], NUMBER)).toBe(encodeSequence(1, NUMBER))
})

test('what has no order here fixes no type', () => {
  const values: Value[] = [
    null,
    true,
    { type: 'double', text: 'NaN' },
    { type: 'time', text: '03:04:05' },
    json('{}'),
    json('[]'),
    json('[null]'),
    json('[true]'),
    json('[[1]]'),
  ]
  expect(values.map(sequenceTypeOf)).toEqual(values.map(() => null))
})

test('a value of another type is no sequence', () => {
  expect(encodeSequence('1', NUMBER)).toBe(null)
  expect(encodeSequence({ type: 'double', text: 'NaN' }, NUMBER)).toBe(null)
  expect(encodeSequence(1, TEXT)).toBe(null)
  expect(encodeSequence(1, TIMESTAMP)).toBe(null)
  expect(encodeSequence('2026-01-02T03:04:05Z', TIMESTAMP)).toBe(null)
  expect(encodeSequence(null, NUMBER)).toBe(null)
  expect(encodeSequence(json('[1]'), NUMBER)).toBe(null)
  expect(encodeSequence(1, { parts: ['number'], list: true })).toBe(null)
  expect(encodeSequenceParts([1, null], { parts: ['number', 'number'], list: true })).toBe(null)
  expect(encodeSequenceParts([1, 2], NUMBER)).toBe(null)
})

test('an infinite timestamp is no sequence', () => {
  const types = ['timestamp', 'local_timestamp', 'date'] as const
  const values = types.map((type) => encodeSequence({ type, text: 'infinity' }, TIMESTAMP))
  expect(values).toEqual([null, null, null])
})

test('integers of any size and decimals are in one order', () => {
  const ascending = [
    '-1e999999999',
    '-12345678901234567890',
    '-100.5',
    '-100',
    '-99',
    '-1.5',
    '-1',
    '-0.05',
    '-1e-999999999',
    '0',
    '1e-999999999',
    '5e-324',
    '0.05',
    '0.5',
    '0.55',
    '1',
    '1.5',
    '9',
    '10',
    '99',
    '100',
    '100.5',
    '9007199254740992',
    '9007199254740993',
    '9007199254740993.5',
    '1e399',
    '1e400',
    '1.5e400',
    '1e401',
    '1e999999999',
  ].map(numberFrom)
  expect(sorted(ascending, NUMBER)).toEqual({ byUnits: ascending, byBytes: ascending })
})

test('text is in the order of code points', () => {
  const ascending = [
    '',
    '\u0000',
    '\u0001',
    '\u0002',
    '\u0002a',
    '\u0003',
    'A',
    'a',
    'a\u0000',
    'aa',
    'é',
    '\ud7fe',
    '\ud7ff',
    '\ud7ffa',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '😀',
  ]
  expect(sorted(ascending, TEXT)).toEqual({ byUnits: ascending, byBytes: ascending })
})

test('bytes are in the order of bytes', () => {
  const ascending = ['', '00', '0000', '01', '7f', '80', 'ff', 'ff00'].map(bytes)
  expect(sorted(ascending, BYTES)).toEqual({ byUnits: ascending, byBytes: ascending })
})

test('timestamps are in the order of time, whatever their fraction', () => {
  const ascending = [
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999999999Z',
    '1970-01-01T00:00:00Z',
    '2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05.000000001Z',
    '2026-01-02T03:04:05.1Z',
    '2026-01-02T03:04:05.12Z',
    '2026-01-02T03:04:06Z',
    '9999-12-31T23:59:59Z',
  ].map(timestamp)
  expect(sorted(ascending, TIMESTAMP)).toEqual({ byUnits: ascending, byBytes: ascending })
})

test('a date and a local timestamp are the instants that they are in UTC', () => {
  const midnight = encodeSequence(timestamp('2026-01-02T00:00:00Z'), TIMESTAMP)
  expect(encodeSequence({ type: 'date', text: '2026-01-02' }, TIMESTAMP)).toBe(midnight)
  expect(encodeSequence({ type: 'local_timestamp', text: '2026-01-02T00:00:00' }, TIMESTAMP)).toBe(
    midnight,
  )
})

test('lists compare from left to right, a shorter text before a longer one', () => {
  const ascending = [
    '[1,"",9]',
    '[1,"a",1]',
    '[1,"a",2]',
    '[1,"a\\u0000",0]',
    '[1,"a\\u0001",0]',
    '[1,"ab",0]',
    '[1,"😀",0]',
    '[1.5,"",0]',
    '[2,"",0]',
    '[10,"",0]',
  ].map(json)
  expect(sorted(ascending, { parts: ['number', 'text', 'number'], list: true })).toEqual({
    byUnits: ascending,
    byBytes: ascending,
  })
})

test('a sequence shows as its natural value', () => {
  const list: SequenceType = { parts: ['number', 'text', 'bytes', 'timestamp'], list: true }
  const sequence = made(
    encodeSequenceParts(
      [
        12345678901234567890n,
        'a"b',
        { type: 'bytes', text: '00ff' },
        { type: 'date', text: '2026-01-02' },
      ],
      list,
    ),
  )
  const shown = json('[12345678901234567890,"a\\"b","AP8=","2026-01-02T00:00:00Z"]')
  expect(decodeSequence(sequence, list)).toEqual(shown)
  expect(readSequence(shown, list)).toBe(sequence)
})

test('a shown sequence can be read again, as JSON spells it', () => {
  const at = encodeSequence(timestamp('2026-01-02T03:04:05Z'), TIMESTAMP)
  expect(readSequence('2026-01-02T04:04:05+01:00', TIMESTAMP)).toBe(at)
  expect(readSequence('yesterday', TIMESTAMP)).toBe(null)
  expect(readSequence('AP8=', BYTES)).toBe(encodeSequence({ type: 'bytes', text: '00ff' }, BYTES))
  expect(readSequence('1', NUMBER)).toBe(null)
  expect(readSequence(json('[1]'), { parts: ['number'], list: true })).toBe(
    encodeSequence(json('[1]'), { parts: ['number'], list: true }),
  )
  expect(readSequence(1, { parts: ['number'], list: true })).toBe(null)
})

test('a sequence is never empty and holds no U+0000', () => {
  expect([encodeSequence('', TEXT), encodeSequence('\u0000', TEXT)]).toEqual(['\u0001', '\u00020'])
  expect(encodeSequence({ type: 'bytes', text: '' }, BYTES)).toBe('\u0001')
})

test('a sequence type has a name', () => {
  expect(describeSequenceType(NUMBER)).toBe('number')
  expect(describeSequenceType({ parts: ['timestamp', 'number'], list: true })).toBe(
    'list of timestamp, number',
  )
})

test('a list of one is not its element', () => {
  expect(sameSequenceType(NUMBER, { parts: ['number'], list: true })).toBe(false)
  expect(sameSequenceType(NUMBER, TEXT)).toBe(false)
  expect(sameSequenceType(NUMBER, { parts: ['number'], list: false })).toBe(true)
  expect(
    sameSequenceType({ parts: ['text'], list: true }, { parts: ['text', 'text'], list: true }),
  ).toBe(false)
})

/** The values as their sequences sort them, by UTF-16 units and by bytes of UTF-8. */
function sorted(
  values: readonly Value[],
  type: SequenceType,
): { byUnits: Value[]; byBytes: Value[] } {
  const sequences = values.toReversed().map((value) => made(encodeSequence(value, type)))
  const show = (sequence: Sequence): Value => decodeSequence(sequence, type)
  return {
    byUnits: sequences.toSorted((a, b) => (a < b ? -1 : 1)).map(show),
    byBytes: sequences.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).map(show),
  }
}

function made(sequence: Sequence | null): Sequence {
  if (sequence === null) throw new Error('not of its type')
  return sequence
}

function bytes(text: string): Tagged {
  return { type: 'bytes', text }
}

function timestamp(text: string): Tagged {
  return { type: 'timestamp', text }
}

function json(text: string): Tagged {
  return { type: 'json', text }
}

test('behind each epoch sequences have parts of their own', () => {
  const [place, lsn] = [[7, 900, 0], [5]]
  const first = epochSequenceType(1, lsn, null)
  const both = epochSequenceType(0, place, first)
  const highest = epochSequenceType(3, ['0/1'], both)
  if (both === null || highest === null) throw new Error('no type')
  expect([describeSequenceType(both), describeSequenceType(highest)]).toEqual(['number', 'text'])

  const [old, later] = [
    encodeEpochSequence(0, place, highest),
    encodeEpochSequence(1, lsn, highest),
  ] as const
  if (old === null || later === null) throw new Error('no sequence')
  expect(old < later).toBe(true)
  expect([decodeSequence(old, highest), decodeSequence(later, highest)]).toEqual([
    json('[7,900,0]'),
    5,
  ])
  expect(encodeSequenceParts(decodeSequenceParts(old, highest), highest)).toBe(old)
  expect([readSequence(json('[7,900,0]'), both, 0), readSequence(5, both, 1)]).toEqual([old, later])
  expect(readSequence(json('[0,7,900,0]'), both, 1)).toBe(old)
  expect([encodeEpochSequence(0, lsn, both), encodeEpochSequence(1, place, both)]).toEqual([
    null,
    null,
  ])
})

test('a type with an epoch that does not tell its epochs holds for all of them', () => {
  const stored: SequenceType = { parts: ['number', 'number'], list: true, epoch: true }
  expect(epochSequenceType(3, ['a'], stored)).toBe(stored)
  expect(encodeEpochSequence(3, ['a'], stored)).toBe(null)
})
