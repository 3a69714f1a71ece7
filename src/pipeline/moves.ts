import { isWritten, type Writes } from '../core/writes.ts'
import type { KeyChange, Upsert } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import type { Row } from '../core/value.ts'
import type { HalfMove } from '../ports/moves.ts'
import type { Store } from '../ports/store.ts'
import type { KeyPast } from './key-past.ts'

/** What a change has to do with a row that gets another key. */
export type Move =
  | { readonly half: 'leaves'; readonly to: Key }
  | {
      readonly half: 'arrives'
      /** The columns whose values the record lacks and the old key's row has. */
      readonly lacking: Writes
    }

/**
 * Carries values from the old key of a row to its new one (semantics 3). The deletion of the old
 * key says where its row went; the two may stand in different partitions, so either can come first,
 * a batch or a restart before the other. The half that comes first is kept until the other is there;
 * then what the new row lacks is one more event, right behind the one that made it.
 *
 * What is carried is the row as the old key's own stream had told it up to the deletion, whichever
 * half comes first. A null is not carried: no feed marks one as unavailable.
 */
export class Moves {
  private readonly store: Store
  private readonly target: string
  private readonly past: KeyPast

  constructor(store: Store, target: string, past: KeyPast) {
    this.store = store
    this.target = target
    this.past = past
  }

  /** Takes note of an accepted change that is half of a move; gives the event that the move is complete with, if any. */
  follow(change: KeyChange, move: Move, part: number): Upsert | null {
    if (this.past.knows(change)) return null
    return move.half === 'leaves'
      ? this.leave(change, move.to)
      : this.arrive(change, move.lacking, part)
  }

  private leave({ key, sequence }: KeyChange, to: Key): Upsert | null {
    const row = this.past.rowBefore(key, sequence)
    if (row === 'overtaken') return null
    const other = this.store.move(this.target, to, sequence)
    if (other?.half === 'arrived') {
      this.store.saveMove(this.target, to, sequence, null)
      return carried(to, row, other)
    }
    this.store.saveMove(this.target, to, sequence, { half: 'left', row })
    return null
  }

  private arrive(change: KeyChange, lacking: Writes, part: number): Upsert | null {
    const { key, sequence, rank, system, stream, number, time } = change
    const stamp = { sequence, rank, system, stream, number, part }
    const arrived: Arrived = { half: 'arrived', stamp, time, lacking }
    const other = this.store.move(this.target, key, sequence)
    if (other?.half === 'left') {
      this.store.saveMove(this.target, key, sequence, null)
      return carried(key, other.row, arrived)
    }
    this.store.saveMove(this.target, key, sequence, arrived)
    return null
  }
}

type Arrived = HalfMove & { readonly half: 'arrived' }

function carried(key: Key, row: Row | null, { stamp, time, lacking }: Arrived): Upsert | null {
  const values = (row ?? []).map((value, column) => (isWritten(lacking, column) ? value : null))
  const columns = values.flatMap((value, column) => (value === null ? [] : [column]))
  if (columns.length === 0) return null
  const writes: Writes = { mode: 'only', columns, merge: [] }
  return { ...stamp, op: 'upsert', key, row: values, writes, time }
}
