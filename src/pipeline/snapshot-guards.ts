import type { FaultCode } from '../core/errors.ts'
import type { Verdict } from '../ports/snapshots.ts'
import type { GuardsSpec } from './flow-spec-type.ts'
import type { DiffCounts } from './snapshot-diff.ts'

/** Guards that `--force` can lift. */
export const FORCIBLE = ['empty', 'deletes', 'changes', 'column_missing'] as const

/** What guards know of a snapshot. What the rows tell costs more, so it is asked for last. */
export type Evidence = {
  /** Whether a newer snapshot of an overlapping scope was applied before. */
  readonly isLate: boolean
  readonly rows: number
  readonly declaredRows: number | null
  /** Why not all of it could be read, null if it could. */
  readonly broken: string | null
  readonly nullKeys: number
  /** A key with two rows, as people write it; null if there is none. */
  readonly conflicting: string | null
  readonly repeated: string | null
  readonly outOfScope: string | null
  readonly isEmpty: boolean
  readonly missingColumns: () => readonly string[]
  readonly counts: () => DiffCounts
}

/** Why a snapshot is not applied. */
export type GuardRefusal = { readonly code: FaultCode; readonly message: string }

/** What all guards said: the first refusal, and a verdict each. */
export type Judgement = {
  readonly refusal: GuardRefusal | null
  readonly verdicts: Readonly<Record<string, Verdict>>
}

/** Judges a snapshot by its guards, in the order of semantics 7; the first that refuses decides. */
export function judge(
  evidence: Evidence,
  guards: GuardsSpec,
  force: ReadonlySet<string>,
): Judgement {
  const verdicts: Record<string, Verdict> = {}
  let refusal: GuardRefusal | null = null
  for (const { code, fault, isLifted } of GUARDS) {
    if (refusal !== null) {
      verdicts[code] = 'not judged'
      continue
    }
    const message = fault(evidence, guards, force)
    if (message === null) verdicts[code] = 'passed'
    else if (isLifted(guards, force, evidence)) verdicts[code] = 'lifted'
    else {
      verdicts[code] = 'refused'
      refusal = { code, message }
    }
  }
  return { refusal, verdicts }
}

/** A guard: what is wrong, null if nothing is, and whether that is accepted. */
type Guard = {
  readonly code: FaultCode
  readonly fault: (
    evidence: Evidence,
    guards: GuardsSpec,
    force: ReadonlySet<string>,
  ) => string | null
  readonly isLifted: (guards: GuardsSpec, force: ReadonlySet<string>, evidence: Evidence) => boolean
}

const GUARDS: readonly Guard[] = [
  {
    code: 'OUT_OF_ORDER_SNAPSHOT',
    // Inserting late ones is what is done without being asked to: nobody lifts anything.
    fault: ({ isLate }, { out_of_order }) =>
      isLate && out_of_order !== 'insert' ? 'a newer snapshot was applied before' : null,
    isLifted: () => false,
  },
  {
    code: 'INCOMPLETE_SNAPSHOT',
    fault: ({ broken, rows, declaredRows }) => {
      if (broken !== null) return broken
      const isShort = declaredRows !== null && declaredRows !== rows
      return isShort ? `it has ${rows} rows and declares ${declaredRows}` : null
    },
    // A count may be wrong; what cannot be read is not there, whatever was counted.
    isLifted: ({ row_count }, _, { broken }) => row_count === 'ignore' && broken === null,
  },
  {
    code: 'NULL_KEY',
    fault: ({ nullKeys }) => (nullKeys === 0 ? null : `a key is null in ${nullKeys} of its rows`),
    isLifted: ({ null_key }) => null_key === 'quarantine',
  },
  {
    code: 'DUPLICATE_KEY',
    fault: ({ conflicting, repeated }, { duplicate_key }) => {
      const key = duplicate_key === 'refuse' ? (repeated ?? conflicting) : conflicting
      return key === null ? null : `it has more than one row of the key ${key}`
    },
    isLifted: ({ duplicate_key }) => duplicate_key === 'first' || duplicate_key === 'last',
  },
  {
    code: 'ROW_OUT_OF_SCOPE',
    fault: ({ outOfScope }) =>
      outOfScope === null ? null : `the row of the key ${outOfScope} is outside its scope`,
    isLifted: () => false,
  },
  {
    code: 'COLUMN_MISSING',
    fault: ({ missingColumns }) => {
      const names = missingColumns().map((name) => `"${name}"`)
      return names.length === 0 ? null : `it has no column ${names.join(', ')}`
    },
    isLifted: ({ column_missing }, force) =>
      column_missing === 'allow' || force.has('column_missing'),
  },
  {
    code: 'EMPTY_SNAPSHOT',
    fault: ({ isEmpty, counts }) => {
      if (!isEmpty) return null
      const { deleted } = counts()
      return deleted === 0 ? null : `it is empty and would delete ${deleted} rows`
    },
    isLifted: isEmptyAllowed,
  },
  {
    code: 'DELETE_THRESHOLD',
    fault: ({ counts, isEmpty }, guards, force) => {
      if (isEmpty && isEmptyAllowed(guards, force)) return null
      const { deleted, existing } = counts()
      return beyond(deleted, existing, guards.max_delete_fraction, guards)
        ? `it would delete ${deleted} of ${existing} rows, max_delete_fraction is ${guards.max_delete_fraction}`
        : null
    },
    isLifted: (_, force) => force.has('deletes'),
  },
  {
    code: 'CHANGE_THRESHOLD',
    fault: ({ counts }, guards) => {
      const { updated, existing } = counts()
      return beyond(updated, existing, guards.max_change_fraction, guards)
        ? `it would change ${updated} of ${existing} rows, max_change_fraction is ${guards.max_change_fraction}`
        : null
    },
    isLifted: (_, force) => force.has('changes'),
  },
]

/** Allowing or forcing an empty snapshot lifts the threshold for deletions too. */
function isEmptyAllowed({ empty }: GuardsSpec, force: ReadonlySet<string>): boolean {
  return empty === 'allow' || force.has('empty')
}

/** Exactly the share passes, and few rows are not judged. */
function beyond(
  rows: number,
  existing: number,
  most: number | null,
  { min_rows_for_fraction }: GuardsSpec,
): boolean {
  if (most === null || existing === 0 || existing < min_rows_for_fraction) return false
  return rows / existing > most
}
