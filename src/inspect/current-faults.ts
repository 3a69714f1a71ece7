import { compareChanges, compareStamps, type Stamp, type Truncate } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { writersOf } from '../core/register.ts'
import { rowOf, type Registers } from '../core/registers.ts'
import type { TargetFacts } from '../core/target.ts'
import { sameRow, type Row } from '../core/value.ts'
import type { Store } from '../ports/store.ts'
import { UNFOUND, type KeyFault } from './key-fault.ts'
import { rowFaults } from './row-faults.ts'

/** What is wrong with what an SCD type 1 target keeps of a key. */
export function currentFaults(store: Store, facts: TargetFacts, key: Key): readonly KeyFault[] {
  const registers = store.registersTable(facts.name).registers(key)
  if (registers === null) return [UNFOUND]
  const [stored] = [...store.rows(facts.name, { valid: null, system: null }, key)]
  const truncate = store.truncates(facts.name).at(-1)?.truncate ?? null
  return [
    ...(stored === undefined ? [] : rowFaults(facts, key, stored.row)),
    ...agreementFaults(facts, registers, stored?.row ?? null),
    ...stampFaults(key, registers, truncate),
    ...(store.latestTable(facts.name).isBuriedAlive(key)
      ? [fault('1', 'the key has a row and a tombstone')]
      : []),
  ]
}

/** The row is what the writers of its columns wrote. */
function agreementFaults(facts: TargetFacts, registers: Registers, stored: Row | null): KeyFault[] {
  const row = rowOf(registers)
  if (stored === null || row === null) {
    const agrees = stored === row
    return agrees ? [] : [fault('3', 'the row and what is hidden behind it disagree')]
  }
  if (sameShown(stored, row, facts)) return []
  return [fault('3', 'the row is not what its writers wrote')]
}

/** Nothing that is kept is older than a deletion of the key, and no writer newer than the row. */
function stampFaults(key: Key, registers: Registers, truncate: Truncate | null): KeyFault[] {
  const { written, deleted, base, columns } = registers
  const writers = [base?.stamp, ...[...columns.values()].flatMap(writersOf)]
  const upserts = [written, ...writers].filter((stamp) => stamp !== null && stamp !== undefined)
  const own = deleted === null || deleted.truncate ? null : deleted.stamp
  const kept = own === null ? upserts : [...upserts, own]
  return [
    ...(truncate !== null && kept.some((stamp) => precedes(key, stamp, truncate))
      ? [fault('1', 'what is kept is older than the latest truncate')]
      : []),
    ...(own !== null && upserts.some((stamp) => compareStamps(stamp, own) < 0)
      ? [fault('1', 'what is kept is older than the deletion of its key')]
      : []),
    ...(written !== null && upserts.some((stamp) => compareStamps(stamp, written) > 0)
      ? [fault('1', 'a column is newer than the latest change of its row')]
      : []),
  ]
}

/** Whether two rows are one to a reader: what is kept of excluded columns is nobody's any more. */
function sameShown(a: Row, b: Row, { columns, excluded }: TargetFacts): boolean {
  if (excluded.length === 0) return sameRow(a, b)
  const shown = (row: Row) =>
    row.map((value, i) => (excluded.includes(columns[i] ?? '') ? null : value))
  return sameRow(shown(a), shown(b))
}

function precedes(key: Key, stamp: Stamp, truncate: Truncate): boolean {
  return compareChanges({ ...stamp, op: 'delete', key, time: null }, truncate) < 0
}

function fault(law: string, message: string): KeyFault {
  return { law, message }
}
