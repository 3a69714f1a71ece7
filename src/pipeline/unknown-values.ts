import type { KeyChange } from '../core/change.ts'
import { compareChanges } from '../core/change.ts'
import { entriesOf } from '../core/key-history.ts'
import type { TargetFacts } from '../core/target.ts'
import { isWritten } from '../core/writes.ts'
import type { SourceRecord } from '../ports/source.ts'
import type { Store } from '../ports/store.ts'
import type { Unavailable } from './batch-reading.ts'

/** A value that nothing supplies: the feed did not have it, and no older event of the key did. */
export type UnknownValue = { readonly record: SourceRecord; readonly column: string }

/** Which of the values that a batch's records marked as unavailable nothing supplies, now that it is merged. */
export function unknownValues(
  store: Store,
  facts: TargetFacts,
  unavailable: readonly Unavailable[],
): readonly UnknownValue[] {
  return unavailable.flatMap(({ record, change, columns }) =>
    columns
      .filter((column) => isUnsupplied(store, facts, change, facts.columns.indexOf(column)))
      .map((column) => ({ record, column })),
  )
}

function isUnsupplied(
  store: Store,
  facts: TargetFacts,
  change: KeyChange,
  column: number,
): boolean {
  if (column < 0) return false
  if (facts.layout !== 'timeline') {
    const registers = store.registersTable(facts.name).registers(change.key)
    // Without a row there is nothing that could be unknown.
    if ((registers?.written ?? null) === null || registers === null) return false
    const register = registers.columns.get(column)
    return register === undefined ? registers.base === null : register.replaced === null
  }

  const entries = entriesOf(store.historyTable(facts.name).history(change.key))
  const truncates = store.truncates(facts.name).map(({ truncate }) => truncate)
  const before = [...entries.map((entry) => entry.change), ...truncates]
    .filter((other) => compareChanges(other, change) < 0)
    .toSorted(compareChanges)
  const start = before.findLastIndex(({ op }) => op !== 'upsert')
  return !before.slice(start + 1).some((other) => {
    return other.op === 'upsert' && isWritten(other.writes, column)
  })
}
