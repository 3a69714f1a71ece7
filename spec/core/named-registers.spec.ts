import { expect, test } from 'vitest'
import type { KeyChange } from '../../src/core/change.ts'
import { contentDigest } from '../../src/core/content-digest.ts'
import { NamedRegisters } from '../../src/core/named-registers.ts'
import { EMPTY, rowOf, type Registers } from '../../src/core/registers.ts'
import { drawRow, gone, merged, put, sequenceOf, set, truncated } from './drawing.ts'

const ANN = put(5, { name: 'Ann', city: 'Oslo' }, { number: 1 })
const BOB = put(5, { name: 'Bob', city: 'Oslo' }, { number: 2 })
const ANN_AGAIN = { ...ANN, number: 3 }

test('an event that was told before is known, at whatever position it comes again', () => {
  const named = new NamedRegisters(told(ANN))
  expect(named.knows(ANN_AGAIN)).toBe(true)
  expect(named.knows(BOB)).toBe(false)
  expect(named.knows({ ...ANN_AGAIN, rank: -1 })).toBe(false)
})

test('of two events at one sequence the later one wins, also when the earlier one is repeated', () => {
  expect(drawn(told(ANN, BOB))).toBe('Bob Oslo')
  expect(drawn(told(ANN, BOB, ANN_AGAIN))).toBe('Bob Oslo')
  expect(told(ANN, BOB, ANN_AGAIN)).toEqual(told(ANN, BOB))
})

test('an event is known as long as it has a say, though later ones have overwritten most of it', () => {
  const registers = told(ANN, set(7, { name: 'Cyd' }))
  expect(new NamedRegisters(registers).knows(ANN_AGAIN)).toBe(true)
  expect(drawn(tell(registers, BOB, ANN_AGAIN))).toBe('Cyd Oslo')
})

test('a deletion is known, and what was deleted with it', () => {
  const deleted = told(ANN, gone(5, { number: 2 }))
  expect(drawn(tell(deleted, ANN_AGAIN, gone(5, { number: 4 })))).toBe('gone')
})

test('an event that writes an object leaf by leaf is known by what it said', () => {
  const first = merged(5, { info: { type: 'json', text: '{"a":1}' } }, { number: 1 })
  const second = merged(5, { info: { type: 'json', text: '{"a":2}' } }, { number: 2 })
  expect(drawn(told(first, second, { ...first, number: 3 }))).toBe(drawn(told(first, second)))
})

test('nothing is remembered beside an event that all can be read off', () => {
  expect(told(ANN).told).toBe(undefined)
  expect(told(ANN, put(7, { name: 'Cyd' })).told).toBe(undefined)
  expect(told(ANN, gone(7)).told).toBe(undefined)
})

test('digests are kept of the sequences that have a say, and of no others', () => {
  expect(told(ANN, BOB).told).toEqual(new Map([[sequenceOf(5), digests(ANN, BOB)]]))
  const later = set(7, { name: 'Cyd' })
  expect(told(ANN, later).told).toEqual(
    new Map([
      [sequenceOf(5), digests(ANN)],
      [sequenceOf(7), digests(later)],
    ]),
  )
  expect(told(ANN, BOB, put(7, { name: 'Cyd' })).told).toBe(undefined)
})

test('a truncate takes away what was told before it', () => {
  const named = new NamedRegisters(told(ANN, BOB))
  named.truncate(truncated(6))
  expect(named.registers().told).toBe(undefined)
  expect(drawn(named.registers())).toBe('gone')
})

test('digests tell apart what changes say, and nothing else', () => {
  expect(contentDigest(ANN)).toBe(contentDigest(ANN_AGAIN))
  const others = [
    ANN,
    BOB,
    { ...ANN, rank: -1 },
    gone(5),
    gone(5, { rank: -1 }),
    set(5, { name: 'Ann', city: 'Oslo' }),
    put(5, { name: 'Ann', city: null }),
    put(5, { name: 1, city: 'Oslo' }),
    put(5, { name: '1', city: 'Oslo' }),
    put(5, { name: 'AnnOslo', city: '' }),
  ]
  expect(new Set(others.map(contentDigest)).size).toBe(others.length)
  expect(contentDigest(put(5, { name: 'Ann', city: null }))).toBe(
    contentDigest(put(9, { name: 'Ann' })),
  )
})

function told(...changes: readonly KeyChange[]): Registers {
  return tell(EMPTY, ...changes)
}

/** Each change in a batch of its own. */
function tell(before: Registers, ...changes: readonly KeyChange[]): Registers {
  return changes.reduce((registers: Registers, change) => {
    const named = new NamedRegisters(registers)
    named.tell(change)
    return named.registers()
  }, before)
}

function digests(...changes: readonly KeyChange[]): readonly string[] {
  return changes.map(contentDigest).toSorted()
}

function drawn(registers: Registers): string {
  return drawRow(rowOf(registers))
}
