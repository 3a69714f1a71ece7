import { compareChanges, type Stamp, type Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { keyOf } from '../core/key.ts'
import { rowOf } from '../core/registers.ts'
import type { TargetFacts } from '../core/target.ts'
import { cell, sameRow, type Row } from '../core/value.ts'
import type { Store } from '../ports/store.ts'
import type { KeyFault } from './key-fault.ts'

/** What is wrong with what an SCD type 1 target keeps of a key. */
export function currentFaults(store: Store, facts: TargetFacts, key: Key): readonly KeyFault[] {
  const registers = store.registersTable(facts.name).registers(key)
  if (registers === null) return []
  const faults: KeyFault[] = []
  const [stored] = [...store.rows(facts.name, { valid: null, system: null }, key)]
  const row = rowOf(registers)

  if ((stored === undefined) !== (row === null)) {
    faults.push({ law: '3', message: 'the row and what is hidden behind it disagree' })
  }
  if (stored !== undefined && row !== null && !sameShown(stored.row, row, facts)) {
    faults.push({ law: '3', message: 'the row is not what its writers wrote' })
  }
  if (stored !== undefined && keyOf(facts.keys.map((_, i) => cell(stored.row, i))) !== key) {
    faults.push({ law: '11', message: 'the row stands under another key' })
  }
  const truncate = store.truncates(facts.name).at(-1)?.truncate ?? null
  if (truncate !== null && registers.written !== null && isOlder(registers.written, truncate)) {
    faults.push({ law: '1', message: 'the row is older than the latest truncate' })
  }
  if (store.latestTable(facts.name).isBuriedAlive(key)) {
    faults.push({ law: '1', message: 'the key has a row and a tombstone' })
  }
  return faults
}

/** Whether two rows are one to a reader: what is kept of excluded columns is nobody's any more. */
function sameShown(a: Row, b: Row, { columns, excluded }: TargetFacts): boolean {
  if (excluded.length === 0) return sameRow(a, b)
  const shown = (row: Row) =>
    row.map((value, i) => (excluded.includes(columns[i] ?? '') ? null : value))
  return sameRow(shown(a), shown(b))
}

function isOlder(stamp: Stamp, truncate: Truncate): boolean {
  return compareChanges({ ...stamp, op: 'delete', key: keyOf([0]), time: null }, truncate) < 0
}
