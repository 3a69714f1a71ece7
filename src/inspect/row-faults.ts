import { isCanonical } from '../core/canonical.ts'
import { jsonText } from '../core/display.ts'
import { keyOf, type Key } from '../core/key.ts'
import type { TargetFacts } from '../core/target.ts'
import { cell, isTagged, type Row, type Value } from '../core/value.ts'
import type { KeyFault } from './key-fault.ts'

/** What is wrong with one row of a key: cells that hold no value, and another key's columns. */
export function rowFaults({ keys, columns }: TargetFacts, key: Key, row: Row): KeyFault[] {
  const faults = row.flatMap((value, i): KeyFault[] => {
    if (isCanonical(value)) return []
    const name = JSON.stringify(columns[i] ?? i)
    return [{ law: 'readable', message: `the column ${name} holds ${spoken(value)}` }]
  })
  const own = keys.map((name) => cell(row, columns.indexOf(name)))
  if (own.includes(null) || keyOf(own) !== key) {
    faults.push({ law: '11', message: 'a row stands under another key than its own' })
  }
  return faults
}

/** What is wrong with the `time_by` values of a row. */
export function timeFaults(...times: readonly Value[]): KeyFault[] {
  return times
    .filter((value) => !isCanonical(value))
    .map((value) => ({ law: 'readable', message: `a time of a row is ${spoken(value)}` }))
}

function spoken(value: Value): string {
  const type = isTagged(value) ? value.type : typeof value
  return `${jsonText(value)}, which is no ${type}`
}
