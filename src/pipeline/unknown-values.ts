import { compareChanges, type KeyChange } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { entriesOf } from '../core/key-history.ts'
import type { TargetFacts } from '../core/target.ts'
import { cell, type Row } from '../core/value.ts'
import { isWritten } from '../core/writes.ts'
import type { SourceRecord } from '../ports/source.ts'
import type { HistoryTable, Store } from '../ports/store.ts'
import type { Unavailable } from './batch-reading.ts'

/** A value that nothing supplies: the feed did not have it, and no older event of the key did. */
export type UnknownValue = { readonly record: SourceRecord; readonly column: string }

/**
 * Which of the values that a batch's records marked as unavailable nothing supplies, now that it is
 * merged: in the rows just after those records, or where a target keeps only current rows in those.
 */
export function unknownValues(
  store: Store,
  facts: TargetFacts,
  unavailable: readonly Unavailable[],
): readonly UnknownValue[] {
  const now = unknownNow(store, facts)
  return unavailable.flatMap(({ record, change, columns }) => {
    const ordinals = columns
      .map((column) => ({ column, ordinal: facts.columns.indexOf(column) }))
      .filter(({ ordinal }) => ordinal >= 0)
    const isUnknown =
      facts.layout === 'timeline' ? unknownThen(store, facts, change) : now(change.key)
    return ordinals
      .filter(({ ordinal }) => isUnknown(ordinal))
      .map(({ column }) => ({ record, column }))
  })
}

/** A key is looked up once, however many records of a batch lack values of its row. */
function unknownNow(store: Store, { name, layout }: TargetFacts) {
  const table = layout === 'registers' ? store.registersTable(name) : null
  const known = new Map<Key, (column: number) => boolean>()
  return (key: Key): ((column: number) => boolean) => {
    const before = known.get(key)
    if (before !== undefined) return before
    const registers = table?.registers(key) ?? null
    const isUnknown = (column: number): boolean => {
      if ((registers?.written ?? null) === null || registers === null) return false
      const register = registers.columns.get(column)
      return register === undefined ? registers.base === null : register.replaced === null
    }
    known.set(key, isUnknown)
    return isUnknown
  }
}

function unknownThen(store: Store, facts: TargetFacts, change: KeyChange) {
  const table = store.historyTable(facts.name)
  // What its record made of it counts as well: a row may bring values along from its old key.
  const end: KeyChange = { ...change, part: Infinity }
  const row = rowAt(table, end)
  return (column: number): boolean => {
    // Without a row there is nothing that could be unknown.
    if (row === null || cell(row, column) !== null) return false
    // A null was written, or nothing was: only the events before it can tell.
    return !isSupplied(store, facts, end, column)
  }
}

/** The row of a key just after a place in the order. */
function rowAt(table: HistoryTable, end: KeyChange): Row | null {
  const newest = table.newest(end.key)
  if (newest !== null && compareChanges(newest.change, end) < 0) return newest.row
  const { before, after } = table.near(end.key, end.sequence)
  let last = before
  for (const { entry } of after) {
    if (entry.change.sequence !== end.sequence) break
    const isThere = compareChanges(entry.change, end) < 0
    const isLater = last === null || compareChanges(last.change, entry.change) < 0
    if (isThere && isLater) last = entry
  }
  return last?.row ?? null
}

function isSupplied(store: Store, facts: TargetFacts, end: KeyChange, column: number): boolean {
  const entries = entriesOf(store.historyTable(facts.name).history(end.key))
  const truncates = store.truncates(facts.name).map(({ truncate }) => truncate)
  const before = [...entries.map((entry) => entry.change), ...truncates]
    .filter((other) => compareChanges(other, end) < 0)
    .toSorted(compareChanges)
  const start = before.findLastIndex(({ op }) => op !== 'upsert')
  return before.slice(start + 1).some((other) => {
    return other.op === 'upsert' && isWritten(other.writes, column)
  })
}
