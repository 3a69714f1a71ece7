import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bitemporal } from '../src/core/bitemporal.ts'
import {
  compareChanges,
  compareStamps,
  type Change,
  type KeyChange,
  type Stream,
  type Truncate,
} from '../src/core/change.ts'
import { keyOf } from '../src/core/key.ts'
import { replay, type KeyHistory } from '../src/core/key-history.ts'
import { versions, type Tracking, type Version } from '../src/core/scd2.ts'
import { storedSequence, type Sequence } from '../src/core/sequence.ts'
import { timelineOf, type Entry, type SequenceMeaning } from '../src/core/timeline.ts'
import type { Row, Value } from '../src/core/value.ts'
import { weave } from '../src/core/weave.ts'
import type { Edits } from '../src/core/edits.ts'
import type { Writes } from '../src/core/writes.ts'
import { nearIn } from '../src/stores/memory/near.ts'

// The incremental form of SCD 2 and bitemporal views against the plain one, without a store:
// what is woven batch by batch is what the whole timeline, folded at once, says.

const RUNS = { numRuns: Number(process.env['FC_RUNS'] ?? 1000) }

const KEY = keyOf([1])
const STREAMS: readonly Stream[] = [
  { id: 2, flow: 'f', name: 'a', partition: 0 },
  { id: 1, flow: 'g', name: 'a', partition: 0 },
]

// Two values and null, so that neighbours are often equal and runs merge.
const value = fc.constantFrom<Value[]>(1, 1, 2, null)
const writes: fc.Arbitrary<Writes> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Writes>('all') },
  {
    weight: 1,
    arbitrary: fc.record({
      mode: fc.constantFrom('only', 'except'),
      columns: fc.subarray([0, 1, 2]),
      merge: fc.constant([]),
    }),
  },
)

const said = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record({
      op: fc.constant('upsert' as const),
      key: fc.constant(KEY),
      row: fc.tuple(value, value, value),
      writes,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('delete' as const), key: fc.constant(KEY) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('truncate' as const),
      reach: fc.constantFrom('target' as const, 'flow' as const),
    }),
  },
)

/** Six sequences for up to sixteen changes: ties, and runs that late changes cut and join. */
const changes: fc.Arbitrary<readonly Change[]> = fc
  .array(
    fc.tuple(
      fc.record({
        sequence: fc.constantFrom(...['1', '2', '3', '4', '5', '6'].map(storedSequence)),
        rank: fc.oneof(
          { weight: 4, arbitrary: fc.constant(0) },
          { weight: 1, arbitrary: fc.constant(1) },
        ),
        stream: fc.constantFrom(...STREAMS),
        time: fc.constantFrom<Value[]>('08:00', '09:00', null),
      }),
      said,
    ),
    { minLength: 1, maxLength: 16, size: 'max' },
  )
  .map((parts) =>
    parts.map(([at, what], number) => ({ ...at, system: null, number, part: 0, ...what })),
  )

/** Changes in batches, in any order, some of them again. */
const batches: fc.Arbitrary<readonly (readonly Change[])[]> = changes.chain((all) =>
  fc
    .array(fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 2 }), {
      minLength: all.length,
      maxLength: all.length,
    })
    .map((places) => {
      const cut: Change[][] = [[], [], [], [], [], []]
      for (const [i, change] of all.entries()) {
        for (const place of new Set(places[i])) cut[place]?.push(change)
      }
      return cut.filter((batch) => batch.length > 0)
    }),
)

const trackings: fc.Arbitrary<Tracking> = fc.record({
  mode: fc.constantFrom('only', 'except'),
  columns: fc.subarray([0, 1, 2]),
})
const meanings = fc.constantFrom<SequenceMeaning>('ordered', 'named')

test('5 versions woven batch by batch are those of the whole timeline', () => {
  fc.assert(
    fc.property(batches, trackings, meanings, (cut, tracked, means) => {
      const woven = weaveAll(cut, tracked, means, 'scd2')
      const timeline = timelineOf(cut.flat(), means)
      expect(woven.versions.map(shown)).toEqual(versions(timeline, tracked, () => 0).map(shown))
    }),
    RUNS,
  )
})

test('2 what is hidden are the changes that no version shows, each once, with the row it led to', () => {
  fc.assert(
    fc.property(batches, trackings, (cut, tracked) => {
      const woven = weaveAll(cut, tracked, 'ordered', 'scd2')
      const timeline = timelineOf(cut.flat(), 'ordered')
      const kept = [...woven.versions.map(({ entry }) => entry), ...woven.hidden]
      expect(kept.toSorted(byStamp).map(entryText)).toEqual(
        replay(timeline, (change) => firstCommit(cut, change)).map(entryText),
      )
    }),
    RUNS,
  )
})

test('2 weaving any batch again edits nothing', () => {
  fc.assert(
    fc.property(batches, trackings, (cut, tracked) => {
      const weaver = new Weaver(tracked, 'ordered', 'scd2')
      for (const batch of cut) weaver.join(batch)
      const before = weaver.history
      weaver.edited = 0
      for (const batch of cut) weaver.join(batch)
      expect(weaver.edited).toBe(0)
      expect(weaver.history).toEqual(before)
    }),
    RUNS,
  )
})

test('6 rectangles woven batch by batch are those of the whole timeline, each batch one system time', () => {
  fc.assert(
    fc.property(batches, trackings, (cut, tracked) => {
      const woven = weaveAll(cut, tracked, 'ordered', 'bitemporal')
      const plain = bitemporal(timelineOf(cut.flat(), 'ordered'), {
        tracking: tracked,
        commitOf: () => 0,
        systemOf: (change) => systemTime(firstCommit(cut, change)),
      })
      const rectangles = [
        ...woven.disbelieved,
        ...woven.versions.map((version) => ({ ...version, until: null })),
      ]
      expect(rectangles.map(rectangle).toSorted()).toEqual(plain.map(rectangle).toSorted())
    }),
    RUNS,
  )
})

test('the newest change of a key touches its newest version and nothing else', () => {
  fc.assert(
    fc.property(changes, trackings, (all, tracked) => {
      const weaver = new Weaver(tracked, 'ordered', 'scd2')
      for (const change of onePerSequence(all)) {
        const { versions: before } = weaver.history
        const [edits] = weaver.join([change])
        expect(edits?.remove.filter((version) => version !== before.at(-1))).toEqual([])
        expect(edits?.put.length).toBeLessThanOrEqual(2)
        expect(weaver.pulled).toBe(0)
      }
    }),
    RUNS,
  )
})

type Kind = 'scd2' | 'bitemporal'

/** Joins batches into what is kept of one key, as the pipeline does. */
class Weaver {
  history: KeyHistory = { versions: [], hidden: [], disbelieved: [] }
  /** How many versions and entries were written or removed. */
  edited = 0
  /** How many stored entries the last batch looked at. */
  pulled = 0
  private readonly tracking: Tracking
  private readonly meaning: SequenceMeaning
  private readonly kind: Kind
  private truncates: readonly Truncate[] = []
  private commit = 0

  constructor(tracking: Tracking, meaning: SequenceMeaning, kind: Kind) {
    this.tracking = tracking
    this.meaning = meaning
    this.kind = kind
  }

  join(batch: readonly Change[]): Edits[] {
    this.commit += 1
    this.pulled = 0
    const done: Edits[] = []
    const isKnown = (change: Change) => this.truncates.some((other) => isSame(other, change))
    let rest: readonly Change[] = batch
      .filter((change) => !isKnown(change))
      .toSorted(compareChanges)
    const fresh = rest.filter((change) => change.op === 'truncate')
    for (let first = rest[0]; first !== undefined; first = rest[0]) {
      const now = this.kind === 'bitemporal' ? systemTime(this.commit) : null
      const near = nearIn(this.history, first.sequence, this.truncates)
      const edits = weave({ ...near, after: this.counted(near.after) }, rest, {
        tracking: this.tracking,
        meaning: this.meaning,
        commit: this.commit,
        now,
      })
      this.apply(edits, now)
      done.push(edits)
      rest = edits.rest
    }
    this.truncates = [...this.truncates, ...fresh].toSorted(compareChanges)
    return done
  }

  private *counted<T>(entries: Iterable<T>): Iterable<T> {
    for (const entry of entries) {
      this.pulled += 1
      yield entry
    }
  }

  private apply({ remove, put, hide, unhide, disbelieved }: Edits, now: Sequence | null): void {
    this.edited += remove.length + put.length + hide.length + unhide.length
    const kept = this.history.versions.filter((version) => !remove.includes(version))
    const hidden = this.history.hidden.filter((entry) => !unhide.includes(entry))
    const past = disbelieved.flatMap((version) => {
      const { since } = version
      return since === null || now === null || since >= now
        ? []
        : [{ ...version, since, until: now }]
    })
    this.history = {
      versions: [...kept, ...put].toSorted((a, b) => (a.startAt < b.startAt ? -1 : 1)),
      hidden: [...hidden, ...hide],
      disbelieved: [...this.history.disbelieved, ...past],
    }
  }
}

function weaveAll(
  cut: readonly (readonly Change[])[],
  tracked: Tracking,
  means: SequenceMeaning,
  kind: Kind,
): KeyHistory {
  const weaver = new Weaver(tracked, means, kind)
  for (const batch of cut) weaver.join(batch)
  return weaver.history
}

function isOfKey(change: Change): change is KeyChange {
  return change.op !== 'truncate'
}

function isSame(a: Change, b: Change): boolean {
  return compareChanges(a, b) === 0
}

/** The number of the batch, from 1, that brought a change first. */
function firstCommit(cut: readonly (readonly Change[])[], change: Change): number {
  return 1 + cut.findIndex((batch) => batch.some((other) => isSame(other, change)))
}

function systemTime(commit: number): Sequence {
  return storedSequence(String(commit))
}

function byStamp(a: Entry, b: Entry): number {
  return compareStamps(a.change, b.change)
}

/** In order; a tie at the newest sequence would concern the version before it too. */
function onePerSequence(all: readonly Change[]): KeyChange[] {
  const ordered = all.filter(isOfKey).toSorted(compareStamps)
  return ordered.filter(({ sequence }, i) => ordered[i + 1]?.sequence !== sequence)
}

/** What a reader sees of a version, and the change that it shows. */
function shown({ startAt, endAt, startTime, endTime, entry }: Version) {
  return { startAt, endAt, startTime, endTime, ...entryText({ ...entry, commit: 0 }) }
}

function entryText({ change, row, commit }: Entry) {
  return { number: change.number, op: change.op, row: cells(row), commit }
}

function rectangle(version: Version & { readonly until: Sequence | null }): string {
  const { startAt, endAt, startTime, endTime, entry, since, until } = version
  return JSON.stringify([startAt, endAt, startTime, endTime, cells(entry.row), since, until])
}

/** Cells past the end of a row are null. */
function cells(row: Row | null): Row | null {
  return row === null ? null : [0, 1, 2].map((column) => row[column] ?? null)
}
