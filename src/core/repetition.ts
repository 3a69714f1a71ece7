import type { KeyChange, Stamp, Upsert } from './change.ts'
import { UNWRITTEN, valueOf, writtenBy, type Register } from './register.ts'
import type { Registers } from './registers.ts'
import { cell, sameValue } from './value.ts'
import { isWritten } from './writes.ts'

/**
 * Whether a feed whose sequences name changes repeats itself with this one: the registers hold an
 * event of the same sequence that did all that this one does, as far as it has not been overwritten.
 *
 * What has been overwritten makes no difference, whatever it was: then leaving the change out
 * changes nothing that anybody can see.
 */
export function isRepetition(registers: Registers, change: KeyChange): boolean {
  const { deleted } = registers
  if (change.op === 'delete') {
    return deleted !== null && !deleted.truncate && isAt(change, deleted.stamp)
  }
  const { row, writes } = change
  if (writes !== 'all' && writes.merge.length > 0) return false
  if (deleted !== null && deleted.stamp.sequence > change.sequence) return false

  let isKnown = registers.written !== null && isAt(change, registers.written)
  for (let column = widthOf(registers, change); column >= 0; column -= 1) {
    const register = registerOf(registers, column)
    if (register.merged !== null) return false
    const writer = register.replaced?.stamp ?? null
    const isFromThere = writer !== null && isAt(change, writer)
    if (isFromThere !== isWritten(writes, column)) {
      // Written by a later event, or by none at all, as a column is that came to be since.
      if (isFromThere || writer === null || writer.sequence < change.sequence) return false
    }
    if (!isFromThere) continue
    if (!sameValue(valueOf(register), cell(row, column))) return false
    isKnown = true
  }
  return isKnown
}

function isAt(change: KeyChange, stamp: Stamp): boolean {
  return stamp.sequence === change.sequence && stamp.rank === change.rank
}

function registerOf({ base, columns }: Registers, column: number): Register {
  const own = columns.get(column)
  if (own !== undefined) return own
  return base === null ? UNWRITTEN : writtenBy(base.stamp, cell(base.row, column))
}

/** The last column that either has something to say of. */
function widthOf({ base, columns }: Registers, { row }: Upsert): number {
  return Math.max(base?.row.length ?? 0, row.length, ...columns.keys())
}
