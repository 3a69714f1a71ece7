import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compareChanges,
  compareStamps,
  type Change,
  type KeyChange,
  type Stamp,
  type Stream,
  type Truncate,
} from '../src/core/change.ts'
import { keyOf, type Key } from '../src/core/key.ts'
import { pack, unpack, type PackedRegisters } from '../src/core/packed-registers.ts'
import { EMPTY, isEmpty, joinChange, RegisterFile, rowOf } from '../src/core/registers.ts'
import type { Registers } from '../src/core/registers.ts'
import { RegistersFold, type FoldedKey } from '../src/core/registers-fold.ts'
import { LatestFold, type Latest } from '../src/core/scd1.ts'
import { storedSequence } from '../src/core/sequence.ts'
import { NOTHING, step, timelineOf } from '../src/core/timeline.ts'
import { cell, type Row, type Value } from '../src/core/value.ts'
import { isWritten, type Writes } from '../src/core/writes.ts'

const RUNS = { numRuns: Number(process.env['FC_RUNS'] ?? 300) }

const COLUMNS = [0, 1, 2, 3]
const KEY = keyOf([1])
const KEYS = [KEY, keyOf([2]), keyOf(['x'])]
const STREAMS: readonly Stream[] = [
  { id: 2, flow: 'f', name: 'a', partition: 0 },
  { id: 1, flow: 'f', name: 'b', partition: 0 },
]

// Few values and one name per depth, so that objects meet objects, scalars and nulls below them.
const scalar: fc.Arbitrary<Value> = fc.constantFrom<Value[]>(null, 1, 'x', json('[null,1]'))
const nested: fc.Arbitrary<Value> = fc
  .constantFrom(
    '{}',
    '{"z":3}',
    '{"a":null}',
    '{"a":1}',
    '{"a":[2]}',
    '{"a":2,"z":{"z":4}}',
    '{"b":null}',
    '{"b":5}',
    '{"b":{}}',
    '{"b":{"c":6}}',
    '{"b":{"c":{"d":7}}}',
    '{"b":{"d":8},"z":null}',
    '{"a":3,"b":{"c":null}}',
    '{"a":4,"b":{"c":9,"d":null}}',
  )
  .map(json)

const columns = fc.subarray(COLUMNS)
const writes: fc.Arbitrary<Writes> = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Writes>('all') },
  {
    weight: 4,
    arbitrary: fc.record({
      mode: fc.constantFrom('only', 'except'),
      columns,
      // Most feeds merge nothing.
      merge: fc.oneof(fc.constant<number[]>([]), columns),
    }),
  },
)

// Four sequences for up to a dozen changes: most tie with another one.
const place = fc.record({
  sequence: fc.constantFrom(...['1', '2', '3', '4'].map(storedSequence)),
  rank: fc.nat({ max: 1 }),
  system: fc.constant(null),
  stream: fc.constantFrom(...STREAMS),
  time: fc.constant(null),
})

const upserts = fc.record({
  op: fc.constant('upsert' as const),
  key: fc.constant(KEY),
  // Short rows stand for columns yet to come.
  row: fc.array(fc.oneof({ weight: 1, arbitrary: scalar }, { weight: 2, arbitrary: nested }), {
    maxLength: COLUMNS.length,
  }),
  writes,
})
const deletes = fc.record({ op: fc.constant('delete' as const), key: fc.constant(KEY) })
const truncates = fc.record({
  op: fc.constant('truncate' as const),
  reach: fc.constant('target' as const),
})

/** Changes of one key and truncates, each with a place of its own. */
const history: fc.Arbitrary<readonly Change[]> = fc
  .array(
    fc.tuple(
      place,
      fc.oneof(
        { weight: 8, arbitrary: upserts },
        { weight: 1, arbitrary: deletes },
        { weight: 1, arbitrary: truncates },
      ),
    ),
    { maxLength: 12, size: 'max' },
  )
  .map((parts) => parts.map(([at, change], number) => ({ ...at, number, part: 0, ...change })))

/** A history, and its changes as they arrive: in any order, some again. */
const arrivals = history.chain((all) =>
  fc.tuple(
    fc.constant(all),
    fc
      .tuple(fc.shuffledSubarray([...all], { minLength: all.length }), fc.subarray([...all]))
      .map(([once, again]) => [...once, ...again]),
  ),
)

test('R1 changes in any order, some of them again, give the row that replaying them in order gives', () => {
  fc.assert(
    fc.property(arrivals, ([all, arrived]) => {
      const file = new RegisterFile()
      for (const change of arrived) file.join(change)
      expect(shown(rowOf(file.registers()))).toEqual(shown(replayed(all)))
    }),
    RUNS,
  )
})

test('R2 packing the registers between any two changes does not show', () => {
  fc.assert(
    fc.property(arrivals, fc.array(fc.boolean()), ([, arrived], packs) => {
      let kept = EMPTY
      for (const [i, change] of arrived.entries()) {
        kept = joinChange(kept, change)
        if (packs[i] !== false) kept = unpack(stored(pack(kept)), rowOf(kept))
        expect(shown(rowOf(kept))).toEqual(shown(replayed(arrived.slice(0, i + 1))))
      }
    }),
    RUNS,
  )
})

test('R3 packed registers depend on the changes alone, not on their order or on packing in between', () => {
  fc.assert(
    fc.property(arrivals, fc.array(fc.boolean()), ([all, arrived], packs) => {
      let kept = EMPTY
      for (const [i, change] of arrived.entries()) {
        kept = joinChange(kept, change)
        if (packs[i] === true) kept = unpack(stored(pack(kept)), rowOf(kept))
      }
      const inOrder = joinAll(EMPTY, all.toSorted(compareChanges))
      expect([kept].filter(isKnown).map(pack)).toEqual([inOrder].filter(isKnown).map(pack))
    }),
    RUNS,
  )
})

test('R4 registers that are empty can be forgotten, as long as the truncates are not', () => {
  fc.assert(
    fc.property(arrivals, ([all, arrived]) => {
      let kept = EMPTY
      for (const [i, change] of arrived.entries()) {
        const truncate = latestTruncate(arrived.slice(0, i + 1))
        const known = truncate === null ? [] : [truncate]
        kept = joinAll(isEmpty(kept) ? EMPTY : kept, [...known, change])
      }
      expect(shown(rowOf(kept))).toEqual(shown(replayed(all)))
    }),
    RUNS,
  )
})

test('R5 a column has the value of the latest upsert that wrote it, after the latest deletion', () => {
  fc.assert(
    fc.property(arrivals, ([all, arrived]) => {
      const joined = joinAll(EMPTY, arrived.map(withoutMerge))
      expect(shown(rowOf(joined))).toEqual(shown(stated(all.map(withoutMerge))))
    }),
    RUNS,
  )
})

test('R6 what comes before the latest deletion changes nothing', () => {
  fc.assert(
    fc.property(arrivals, ([, arrived]) => {
      const last = latestDeletion(arrived)
      const since = arrived.filter((change) => last === null || compareChanges(change, last) >= 0)
      expect(shown(rowOf(joinAll(EMPTY, arrived)))).toEqual(shown(rowOf(joinAll(EMPTY, since))))
    }),
    RUNS,
  )
})

test('R7 where every event writes every column, registers need no version but the latest', () => {
  fc.assert(
    fc.property(arrivals, ([, arrived]) => {
      const whole = arrived.map(writingAll).filter(isOfKey)
      const last = whole.toSorted(compareStamps).at(-1)
      const expected = last === undefined ? [] : [{ latest: placeOf(last), versions: null }]
      const joined = joinAll(EMPTY, whole)
      expect(isEmpty(joined) ? [] : [pack(joined)]).toEqual(expected)
    }),
    RUNS,
  )
})

test('R8 the latest change alone decides where every event writes every column', () => {
  fc.assert(
    fc.property(arrivals, fc.nat({ max: 12 }), ([all, arrived], cut) => {
      const whole = arrived.map(writingAll)
      const batches = [whole.slice(0, cut), whole.slice(cut)]

      let row: Row | null = null
      let latest: Latest | null = null
      for (const [i, batch] of batches.entries()) {
        const truncate = latestTruncate(batches.slice(0, i + 1).flat())
        if (truncate !== null && latest !== null && latest.stamp.sequence < truncate.sequence) {
          row = null
          latest = null
        }
        const kept: Latest | null = latest
        const fold: LatestFold = new LatestFold(() => kept)
        for (const change of batch) fold.add(change)
        const winner: KeyChange | undefined = fold.takeover(0, truncate)?.change
        if (winner === undefined) continue
        row = winner.op === 'upsert' ? winner.row : null
        latest = { stamp: winner, exists: winner.op === 'upsert' }
      }
      expect(shown(row)).toEqual(shown(replayed(all.map(writingAll))))
    }),
    RUNS,
  )
})

test('R9 folding batches of changes of several keys gives what joining each key alone gives', () => {
  fc.assert(
    fc.property(
      arrivals,
      fc.array(fc.nat({ max: 2 })),
      fc.nat({ max: 12 }),
      fc.array(fc.boolean()),
      ([, arrived], owners, cut, tidies) => {
        const changes = arrived.map((change, i) => ownedBy(KEYS[owners[i] ?? 0] ?? KEY, change))
        const kept = new Map<Key, Registers>()
        for (const end of [cut, changes.length]) {
          const fold = new RegistersFold((key) => kept.get(key) ?? null)
          for (const [i, change] of changes.slice(end === cut ? 0 : cut, end).entries()) {
            fold.add(change)
            if (tidies[i] === true) fold.tidy()
          }
          const truncate = latestTruncate(changes.slice(0, end))
          for (const key of fold.keys()) kept.set(key, registersOf(fold.folded(key, truncate)))
        }

        for (const [key, registers] of kept) {
          const own = changes.filter((change) => change.op === 'truncate' || change.key === key)
          // The truncates after its last change are joined when the store is told of them.
          const truncate = latestTruncate(changes)
          const known = truncate === null ? [] : [truncate]
          expect(pack(joinAll(registers, known))).toEqual(pack(joinAll(EMPTY, own)))
        }
      },
    ),
    RUNS,
  )
})

/** The plain form: replay in order. */
function replayed(changes: readonly Change[]): Row | null {
  return timelineOf(changes, 'ordered').reduce(step, NOTHING).row
}

/** The statement of semantics 3, word by word. */
function stated(changes: readonly Change[]): Row | null {
  const last = latestDeletion(changes)
  const alive = changes
    .filter((change) => change.op === 'upsert')
    .filter((change) => last === null || compareChanges(last, change) < 0)
    .toSorted(compareStamps)
  if (alive.length === 0) return null
  return COLUMNS.map((column) => {
    const writer = alive.findLast((change) => isWritten(change.writes, column))
    return writer === undefined ? null : cell(writer.row, column)
  })
}

function latestDeletion(changes: readonly Change[]): Change | null {
  return (
    changes
      .filter(({ op }) => op !== 'upsert')
      .toSorted(compareChanges)
      .at(-1) ?? null
  )
}

function latestTruncate(changes: readonly Change[]): Truncate | null {
  return (
    changes
      .filter((change) => change.op === 'truncate')
      .toSorted(compareChanges)
      .at(-1) ?? null
  )
}

function isOfKey(change: Change): change is KeyChange {
  return change.op !== 'truncate'
}

function isKnown({ written, deleted }: Registers): boolean {
  return written !== null || deleted !== null
}

function joinAll(registers: Registers, changes: readonly Change[]): Registers {
  return changes.reduce(joinChange, registers)
}

function registersOf(folded: FoldedKey): Registers {
  const { packed } = folded
  return packed === null ? folded.registers : unpack(stored(packed), packed.row)
}

function ownedBy(key: Key, change: Change): Change {
  return change.op === 'truncate' ? change : { ...change, key }
}

function withoutMerge(change: Change): Change {
  if (change.op !== 'upsert' || change.writes === 'all') return change
  return { ...change, writes: { ...change.writes, merge: [] } }
}

function writingAll(change: Change): Change {
  return change.op === 'upsert' ? { ...change, writes: 'all' } : change
}

/** As a store gives it back: everything but the stamps went through JSON. */
function stored({ latest, versions }: PackedRegisters): PackedRegisters {
  if (versions === null) return { latest, versions }
  const { stamps, ...numbers } = versions
  const read = JSON.parse(JSON.stringify(numbers)) as typeof numbers
  return { latest, versions: { ...read, stamps } }
}

/** Cells past the end of a row are null. */
function shown(row: Row | null): Row | null {
  return row === null ? null : COLUMNS.map((column) => cell(row, column))
}

function placeOf({ sequence, rank, system, stream, number, part }: Stamp): Stamp {
  return { sequence, rank, system, stream, number, part }
}

function json(text: string): Value {
  return { type: 'json', text }
}
