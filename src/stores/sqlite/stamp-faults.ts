import { BugError } from '../../core/errors.ts'
import {
  decodeSequenceParts,
  encodeSequenceParts,
  storedSequence,
  type SequenceType,
} from '../../core/sequence.ts'
import { systemTypeOf } from '../../core/target.ts'
import type { SqlValue } from './connection.ts'
import { cellText } from './cell-text.ts'
import { numberOf, ofTypedText, typedText } from './stamp-codec.ts'
import type { StoredTarget } from './target.ts'

/**
 * What of a row's change cannot have been written by the store: parts of its stamp, its commit, its
 * time, and what is kept as JSON. `columns` name the cells; those that it does not name are not
 * looked at.
 */
export function stampFaults(
  target: StoredTarget,
  columns: readonly string[],
  cells: readonly SqlValue[],
): string[] {
  return columns.flatMap((column, i): string[] => {
    const rule = RULES.get(column)
    const cell = cells[i] ?? null
    if (rule === undefined || rule.holds(cell, target, columns)) return []
    return [`the ${rule.name} of its change is ${cellText(cell)}`]
  })
}

type Rule = {
  readonly name: string
  readonly holds: (cell: SqlValue, target: StoredTarget, columns: readonly string[]) => boolean
}

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    's',
    {
      name: 'sequence',
      // A version that begins with the change that it shows leaves its sequence out.
      holds: (cell, { facts }, columns) =>
        cell === null ? columns.includes('a') : isSequence(cell, facts.sequenceType),
    },
  ],
  ['r', { name: 'rank', holds: (cell) => cell === null || (isInteger(cell) && cell !== 0n) }],
  [
    'y',
    {
      name: 'system time',
      holds: (cell, { facts }) =>
        cell === null || (facts.systemTime === 'data' && isSequence(cell, systemTypeOf(facts))),
    },
  ],
  [
    'src',
    {
      name: 'stream',
      holds: (cell, { streamOf }) =>
        isInteger(cell) && reads(() => streamOf(numberOf(cell)).id > 0),
    },
  ],
  ['n', { name: 'record number', holds: (cell) => isInteger(cell) && cell >= 0n }],
  ['p', { name: 'part', holds: (cell) => cell === null || (isInteger(cell) && cell > 0n) }],
  ['cm', { name: 'commit', holds: isInteger }],
  [
    'tm',
    {
      name: 'time',
      holds: (cell) => isText(cell) && reads(() => typedText(ofTypedText(cell)) === cell),
    },
  ],
  ['patch', { name: 'list of written columns', holds: isText }],
  ['versions', { name: 'list of writers', holds: isText }],
  ['reach', { name: 'reach', holds: (cell) => cell === 'flow' || cell === 'target' }],
])

/** Whether a cell is a sequence as this type spells it. */
function isSequence(cell: SqlValue, type: SequenceType | null): boolean {
  if (typeof cell !== 'string' || type === null) return false
  return reads(
    () => encodeSequenceParts(decodeSequenceParts(storedSequence(cell), type), type) === cell,
  )
}

/** Whether something can be read, and holds. */
function reads(holds: () => boolean): boolean {
  try {
    return holds()
  } catch (error) {
    if (error instanceof BugError || error instanceof SyntaxError) return false
    throw error
  }
}

function isInteger(cell: SqlValue): cell is bigint {
  return typeof cell === 'bigint'
}

function isText(cell: SqlValue): boolean {
  return cell === null || typeof cell === 'string'
}
