import type { KeyChange, Upsert } from '../core/change.ts'
import { both, hasColumn, isNone, without } from '../core/column-set.ts'
import type { ColumnSet } from '../core/column-set.ts'
import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import type { TargetFacts } from '../core/target.ts'
import { cell, type Row, type Value } from '../core/value.ts'
import type { ArrivedRow, DepartedRow } from '../ports/moves.ts'
import type { Store } from '../ports/store.ts'
import { departing } from './departing-row.ts'
import type { KeyPast } from './key-past.ts'

/** What a change has to do with a row that gets another key. */
export type Move =
  | { readonly half: 'leaves'; readonly to: Key }
  | {
      readonly half: 'arrives'
      /** The columns whose values the record lacks and the old key's row has. */
      readonly lacking: ColumnSet
    }

/**
 * Carries values from the old key of a row to its new one (semantics 3). The deletion of the old
 * key says where its row went; the two may stand in different partitions, so either can come first,
 * a batch or a restart before the other. The half that comes first is kept until the other is there;
 * then what the new row lacks is one more event, right behind the one that made it.
 *
 * A row may have moved on by then. The later move is an heir of the earlier one: it waits for the
 * columns that show what the row lacks, and gets them, as do its own heirs, once they are known.
 *
 *     read:    2 arrives lacking v · 2 leaves to 3 · 3 arrives lacking v · 1 leaves with v
 *     events:                                                              2 v · 3 v
 *
 * What is carried is the row as the old key's own stream had told it up to the deletion, whichever
 * half comes first. A null is not carried: no feed marks one as unavailable.
 */
export class Moves {
  private readonly store: Store
  private readonly facts: () => TargetFacts
  private readonly past: KeyPast

  constructor(store: Store, facts: () => TargetFacts, past: KeyPast) {
    this.store = store
    this.facts = facts
    this.past = past
  }

  /**
   * Takes note of an accepted change that is half of a move; gives the events that bring what is
   * known by it.
   *
   * @param parts how many changes the record of the change makes
   */
  follow(change: KeyChange, move: Move, parts: number): readonly Upsert[] {
    if (this.past.hasSeen(change)) return NONE
    if (this.past.isTruncatedAfter(change)) return this.drop(change, move)
    return move.half === 'leaves'
      ? this.leave(change, move.to)
      : this.arrive(change, move.lacking, parts)
  }

  private leave({ key, sequence }: KeyChange, to: Key): readonly Upsert[] {
    const other = this.store.move(this.target, to, sequence)
    if (other !== null && other.half !== 'arrived') return NONE
    const { columns } = this.facts()
    const waiting = this.store.movesTo(this.target, key)
    const gone = departing(waiting, { key, sequence, width: columns.length }, this.past)
    if (gone === 'overtaken') return NONE

    for (const { half, columns: owed } of gone.lenders) {
      const heirs = [...half.heirs, { to, sequence, columns: owed }]
      this.store.saveMove(this.target, key, half.stamp.sequence, { ...half, heirs })
    }
    const left: DepartedRow = { half: 'left', row: gone.row, owed: gone.owed }
    if (other !== null) return this.meet(left, { to, sequence, half: other })
    this.store.saveMove(this.target, to, sequence, left)
    return NONE
  }

  private arrive(change: KeyChange, lacking: ColumnSet, parts: number): readonly Upsert[] {
    const { key, sequence, rank, system, stream, number, time } = change
    const stamp = { sequence, rank, system, stream, number, part: parts + change.part }
    const half: ArrivedRow = { half: 'arrived', stamp, parts, time, lacking, heirs: [] }
    const other = this.store.move(this.target, key, sequence)
    if (other?.half === 'left') return this.meet(other, { to: key, sequence, half })
    if (other === null) this.store.saveMove(this.target, key, sequence, half)
    return NONE
  }

  /** What the old key waits for is carried as it is, and waited for. */
  private meet({ row, owed }: DepartedRow, { half, ...place }: Arrival): readonly Upsert[] {
    const { lacking } = half
    const met: ArrivedRow = { ...half, half: 'met' }
    const told = { ...place, columns: lacking, certain: without(lacking, owed), half: met }
    return this.tell(told, row ?? [])
  }

  /** Tells a move, and the later ones that wait for it, the values of some columns. */
  private tell(first: Told, row: Row): readonly Upsert[] {
    const out: Upsert[] = []
    const open = [first]
    // Grows while it is walked: a row may have moved on many times.
    for (const { to, sequence, columns, certain, ...known } of open) {
      const half = known.half ?? this.store.move(this.target, to, sequence)
      if (half === null) continue
      if (half.half === 'left') {
        const left = filled(half.row ?? [], columns, row)
        const owed = without(half.owed, certain)
        this.store.saveMove(this.target, to, sequence, { half: 'left', row: left, owed })
        continue
      }
      const brought = both(half.lacking, columns)
      out.push(...carried(to, row, half, brought))
      open.push(...heirsOf(half, { columns: brought, certain: both(brought, certain) }))
      this.store.saveMove(this.target, to, sequence, rest(half, certain))
    }
    return out
  }

  /** Of a row that a truncate ended nothing is carried, and nobody waits for it any more. */
  private drop({ key, sequence }: KeyChange, move: Move): readonly Upsert[] {
    const open: Place[] = [{ to: move.half === 'leaves' ? move.to : key, sequence }]
    for (const each of open) {
      const half = this.store.move(this.target, each.to, each.sequence)
      if (half === null) continue
      if (half.half !== 'left') open.push(...half.heirs)
      this.store.saveMove(this.target, each.to, each.sequence, null)
    }
    return NONE
  }

  private get target(): string {
    return this.facts().name
  }
}

type Place = { readonly to: Key; readonly sequence: Sequence }

type Arrival = Place & { readonly half: ArrivedRow }

/** The columns whose values are told, and of these the ones that no earlier move changes any more. */
type Columns = { readonly columns: ColumnSet; readonly certain: ColumnSet }

/** What a move is told; with what is kept of it, where that is at hand. */
type Told = Place & Columns & { readonly half?: ArrivedRow }

function heirsOf({ heirs }: ArrivedRow, { columns, certain }: Columns): readonly Told[] {
  return heirs
    .map(({ columns: awaited, ...place }) => ({
      ...place,
      columns: both(awaited, columns),
      certain: both(awaited, certain),
    }))
    .filter((told) => !isNone(told.columns))
}

/** What is still waited for; null where nothing is. */
function rest(half: ArrivedRow, certain: ColumnSet): ArrivedRow | null {
  const lacking = without(half.lacking, certain)
  if (isNone(lacking)) return null
  const stamp = { ...half.stamp, part: half.stamp.part + half.parts }
  return { ...half, stamp, lacking }
}

/** The values of some columns from another row; nulls say nothing. */
function filled(row: Row, columns: ColumnSet, from: Row): Row {
  const width = Math.max(row.length, from.length)
  return Array.from({ length: width }, (_, column): Value => {
    const value = hasColumn(columns, column) ? cell(from, column) : null
    return value ?? cell(row, column)
  })
}

/** The event that gives a row some columns; none where there are no values. */
function carried(
  key: Key,
  row: Row,
  { stamp, time }: ArrivedRow,
  brought: ColumnSet,
): readonly Upsert[] {
  const values = filled([], brought, row)
  const columns = values.flatMap((value, column) => (value === null ? [] : [column]))
  if (columns.length === 0) return NONE
  const writes = { mode: 'only', columns, merge: [] } as const
  return [{ ...stamp, op: 'upsert', key, row: values, writes, time }]
}

const NONE: readonly Upsert[] = []
