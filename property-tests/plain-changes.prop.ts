import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KeyChange, Stream, Truncate } from '../src/core/change.ts'
import { keyOf, keyParts, type Key } from '../src/core/key.ts'
import type { PlainChange } from '../src/core/plain-changes.ts'
import { LatestFold, type Latest } from '../src/core/scd1.ts'
import type { Sequence } from '../src/core/sequence.ts'
import { changeOf } from '../src/pipeline/plain-reader.ts'

const RUNS = { numRuns: Number(process.env['FC_RUNS'] ?? 300) }

const STREAMS: readonly Stream[] = [
  { id: 2, flow: 'f', name: 'a', partition: 0 },
  { id: 1, flow: 'f', name: 'b', partition: 0 },
]
const KEYS = [0, 7, 999_999_999, 1e9, -1, 1.5, 'x'].map((part) => keyOf([part]))
const ORDER = [0]

/** A row that takes another one's value over, so that nobody may hold on to what it was. */
class Reused {
  private value: number

  constructor(value: number) {
    this.value = value
  }

  at(): number {
    return this.value
  }

  taking(other: Reused): this {
    this.value = other.at()
    return this
  }
}

// Few sequences and keys: most changes tie with another one, or come late.
const changes = fc.array(
  fc.record({
    key: fc.constantFrom(...KEYS),
    sequence: fc.integer({ min: -1, max: 2 }),
    stream: fc.constantFrom(...STREAMS),
    isDeletion: fc.boolean(),
    isPlain: fc.boolean(),
    isAgain: fc.boolean(),
  }),
  { maxLength: 20, size: 'max' },
)
const kept = fc.uniqueArray(fc.constantFrom(...KEYS))
const truncate = fc.option(fc.integer({ min: -1, max: 2 }))

test('P1 changes that come plain fold as all others do, whatever comes between them', () => {
  fc.assert(
    fc.property(changes, kept, truncate, (given, keptKeys, at) => {
      const [mixed, whole] = [foldOver(keptKeys), foldOver(keptKeys)]
      for (const [i, { key, sequence, stream, isDeletion, isPlain, isAgain }] of given.entries()) {
        const number = isAgain ? Math.max(0, i - 1) : i
        const plain = (): PlainChange<Reused> => {
          const values = isDeletion ? null : new Reused(number)
          return { sequence, stream, number, values, order: ORDER }
        }
        whole.add(changeOf(key, plain()))
        if (!isPlain || !mixed.addPlain(spelled(key), plain())) mixed.add(changeOf(key, plain()))
      }
      expect(told(mixed, at)).toEqual(told(whole, at))
    }),
    RUNS,
  )
})

test('P2 plain changes of keys of which nothing is kept are all taken', () => {
  fc.assert(
    fc.property(changes, (given) => {
      const fold = foldOver([])
      for (const [number, { key, sequence, stream }] of given.entries()) {
        const plain = { sequence, stream, number, values: null, order: ORDER }
        expect(fold.addPlain(spelled(key), plain)).toBe(true)
      }
    }),
    RUNS,
  )
})

function foldOver(keptKeys: readonly Key[]): LatestFold<Reused> {
  const stamp = changeOf(KEYS[0] ?? keyOf([0]), {
    sequence: 0,
    stream: { id: 3, flow: 'f', name: 'aa', partition: 0 },
    number: 1,
    values: null,
    order: ORDER,
  })
  const latest: Latest = { stamp, exists: true }
  return new LatestFold<Reused>((key) => (keptKeys.includes(key) ? latest : null), {
    replace: (_, newer) => newer,
    hold: (values, older) => older?.taking(values) ?? values,
    make: changeOf,
  })
}

/** The integer that a key is looked up by, where it is one. */
function spelled(key: Key): Key | number {
  const [part] = keyParts(key)
  return typeof part === 'number' && Number.isInteger(part) && part >= 0 && part < 1e9 ? part : key
}

/** All that a fold tells. */
function told(fold: LatestFold<Reused>, at: number | null) {
  const known = at === null ? null : truncateAt(at)
  const taken = fold.keys.map((key, slot) => [
    key,
    drawn(fold.takeover(slot, known)?.change ?? null),
  ])
  return { taken, late: fold.late, ties: fold.ties }
}

function drawn(change: KeyChange | null) {
  if (change === null) return null
  const { op, sequence, stream, number } = change
  return { op, sequence, stream: stream.name, number, row: op === 'upsert' ? change.row : null }
}

function truncateAt(sequence: number): Truncate {
  const stamp = { rank: 0, system: null, stream: STREAMS[0] as Stream, number: 0, part: 0 }
  return { ...stamp, sequence: encoded(sequence), op: 'truncate', reach: 'target', time: null }
}

function encoded(sequence: number): Sequence {
  return changeOf(keyOf([0]), {
    sequence,
    stream: STREAMS[0] as Stream,
    number: 0,
    values: null,
    order: ORDER,
  }).sequence
}
