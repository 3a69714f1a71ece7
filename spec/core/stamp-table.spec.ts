import { expect, test } from 'vitest'
import type { Stamp, Stream } from '../../src/core/change.ts'
import { encodeSequence, storedSequence, type SequenceType } from '../../src/core/sequence.ts'
import { StampTable } from '../../src/core/stamp-table.ts'

const SEQUENCE = storedSequence('a15')
const NUMBER: SequenceType = { parts: ['number'], list: false }
const A: Stream = { id: 1, flow: 'f', name: 'a', partition: 0 }
const B: Stream = { id: 2, flow: 'f', name: 'b', partition: 3 }

test('stamps come back as they were, by the number that they got', () => {
  const table = new StampTable()
  const plain = at({ number: 9_007_199_254_740_991 })
  const special = at({ stream: B, rank: -1, system: storedSequence('a12'), part: 4 })
  const again = at({ number: 2, stream: A })
  expect([plain, special, again].map((stamp) => table.add(stamp))).toEqual([1, 2, 3])
  expect([1, 2, 3].map((number) => table.at(number))).toEqual([plain, special, again])
  expect(table.sequence(2)).toBe('a15')
})

test('of numbers that no stamp has there is none', () => {
  const table = new StampTable()
  table.add(at({}))
  expect([table.at(0), table.at(2), table.sequence(0)]).toEqual([undefined, undefined, undefined])
})

test('stamps come back however many there are', () => {
  const table = new StampTable()
  for (let number = 1; number <= 3_000; number += 1) table.add(at({ number }))
  expect([table.size, table.at(1), table.at(3_000)]).toEqual([
    3_000,
    at({ number: 1 }),
    at({ number: 3_000 }),
  ])
})

test('plain stamps come back as any other, also from another table', () => {
  const table = new StampTable()
  table.addPlain({ sequence: 15, stream: B, number: 7 })
  table.add(at({ number: 8 }))
  const plain = at({ sequence: encodeSequence(15, NUMBER) ?? SEQUENCE, stream: B, number: 7 })
  expect([table.at(1), table.integer(1), table.integer(2)]).toEqual([plain, 15, Number.NaN])

  const other = new StampTable()
  expect([2, 1, 3].map((number) => other.addFrom(table, number))).toEqual([1, 2, 0])
  expect([other.at(1), other.at(2), other.integer(2)]).toEqual([at({ number: 8 }), plain, 15])
})

function at(parts: Partial<Stamp>): Stamp {
  return { sequence: SEQUENCE, rank: 0, system: null, stream: A, number: 1, part: 0, ...parts }
}
