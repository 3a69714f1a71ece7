import type { Change, Stamp } from '../core/change.ts'
import { placeText } from '../core/place.ts'
import { visibleColumns, type TargetFacts } from '../core/target.ts'
import { cell, type Row } from '../core/value.ts'
import { isWritten } from '../core/writes.ts'
import type { OutputRow } from './rows.ts'

/** Column → where the event stands that wrote its value; columns that nobody wrote have none. */
export type Writers = Readonly<Record<string, string>>

/** Where an event stands in its source: `feed/a.ndjson:12`, or `topic[1]:42`. */
export function originText({ stream, number }: Stamp): string {
  return placeText(stream, number)
}

/** The columns that an event really wrote, of those that readers see; what is no upsert wrote all of them. */
export function writtenNames(facts: TargetFacts, change: Change): 'all' | readonly string[] {
  if (change.op !== 'upsert' || change.writes === 'all') return 'all'
  const { writes } = change
  return visibleColumns(facts).filter((name) => isWritten(writes, facts.columns.indexOf(name)))
}

/** All columns written by one event. */
export function soleWriter(facts: TargetFacts, stamp: Stamp): Writers {
  const origin = originText(stamp)
  // Columns may be called `__proto__`: entries define members, assignments would not.
  return Object.fromEntries(visibleColumns(facts).map((name) => [name, origin]))
}

/** A row as readers see it, without the system columns. */
export function ownColumns(facts: TargetFacts, row: Row): OutputRow {
  const names = visibleColumns(facts)
  return { names, values: names.map((name) => cell(row, facts.columns.indexOf(name))) }
}
