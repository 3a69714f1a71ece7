import type { Truncate } from '../../core/change.ts'
import type { Key } from '../../core/key.ts'
import type { KeyHistory } from '../../core/key-history.ts'
import { rowOf } from '../../core/registers.ts'
import type { Version } from '../../core/scd2.ts'
import type { Sequence } from '../../core/sequence.ts'
import type { TargetFacts } from '../../core/target.ts'
import type { Row } from '../../core/value.ts'
import type { AsOf, StoredRow, StoredTruncate } from '../../ports/store.ts'
import type { Kept } from './current-tables.ts'
import { JournaledMap, type Journal } from './journal.ts'
import { inKeyOrder } from './key-order.ts'

/** A target in memory. The maps are written in place, through the journal; the rest is replaced. */
export type MemoryTarget = {
  readonly facts: TargetFacts
  /** How many commits changed it. */
  readonly version: number
  readonly truncates: readonly StoredTruncate[]
  /** Keys of SCD type 1 targets without a timeline. */
  readonly kept: JournaledMap<Key, Kept>
  /** Keys of all other targets. */
  readonly histories: JournaledMap<Key, KeyHistory>
}

/** A target that nothing was written to. */
export function emptyTarget(facts: TargetFacts, journal: Journal): MemoryTarget {
  return {
    facts,
    version: 0,
    truncates: [],
    kept: new JournaledMap(journal),
    histories: new JournaledMap(journal),
  }
}

/** The truncates of a target without their commits, in order. */
export function truncatesOf({ truncates }: MemoryTarget): readonly Truncate[] {
  return truncates.map(({ truncate }) => truncate)
}

/** How many rows hold now. */
export function countCurrent(target: MemoryTarget): number {
  if (isPlain(target)) {
    return target.kept.values().filter(({ registers }) => registers.written !== null).length
  }
  return target.histories.values().filter(({ versions }) => versions.at(-1)?.endAt === null).length
}

/** Rows in key order, then by start, then by when they were believed. */
export function* rowsOf(target: MemoryTarget, asOf: AsOf, key: Key | null): Iterable<StoredRow> {
  const all = isPlain(target) ? target.kept.keys() : target.histories.keys()
  for (const each of key === null ? inKeyOrder(all) : [key]) {
    if (isPlain(target)) yield* currentRow(target, each)
    else yield* versionRows(target, asOf, each)
  }
}

function isPlain({ facts }: MemoryTarget): boolean {
  return facts.kind === 1 && facts.layout !== 'timeline'
}

function* currentRow({ kept }: MemoryTarget, key: Key): Iterable<StoredRow> {
  const registers = kept.get(key)?.registers
  const row = registers === undefined ? null : rowOf(registers)
  if (row !== null) yield plain(row)
}

function* versionRows({ facts, histories }: MemoryTarget, asOf: AsOf, key: Key) {
  const { versions, disbelieved } = histories.get(key) ?? { versions: [], disbelieved: [] }
  if (facts.kind === 1) {
    const current = versions.findLast(({ endAt }) => endAt === null)
    if (current !== undefined) yield plain(current.entry.row)
    return
  }
  const believed = versions.map((version) => dated(version, null))
  const past = disbelieved.map((version) => dated(version, version.until))
  yield* [...past, ...believed]
    .filter((row) => holds(row.startAt, row.endAt, asOf.valid))
    .filter((row) => holds(row.systemStartAt, row.systemEndAt, asOf.system))
    .toSorted(
      (a, b) =>
        compare(a.startAt, b.startAt) || compare(a.systemStartAt ?? '', b.systemStartAt ?? ''),
    )
}

function plain(row: Row): StoredRow {
  return {
    row,
    startAt: null,
    endAt: null,
    startTime: null,
    endTime: null,
    systemStartAt: null,
    systemEndAt: null,
  }
}

function dated(version: Version, until: Sequence | null) {
  const { entry, startAt, endAt, startTime, endTime, since } = version
  return {
    row: entry.row,
    startAt,
    endAt,
    startTime,
    endTime,
    systemStartAt: since,
    systemEndAt: until,
  }
}

function holds(from: Sequence | null, to: Sequence | null, at: Sequence | null): boolean {
  if (at === null) return true
  return from !== null && from <= at && (to === null || at < to)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
