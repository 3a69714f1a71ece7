import { compareStamps, type KeyChange, type Stamp, type Truncate, type Upsert } from './change.ts'
import { BugError } from './errors.ts'
import {
  forget,
  isBefore,
  merge,
  replace,
  UNWRITTEN,
  valueOf,
  writersOf,
  writtenBy,
  type Deletion,
  type Register,
} from './register.ts'
import type { Sequence } from './sequence.ts'
import { cell, type Row, type Value } from './value.ts'
import { isWritten } from './writes.ts'

/**
 * The SCD type 1 view where columns have writers of their own (semantics 3): one version per
 * column, per leaf of nested objects that merge. A join-semilattice: changes may come in any
 * order and any number of times.
 *
 * - `written`: the latest upsert after `deleted`; null where the key does not exist.
 * - `deleted`: the latest delete or truncate. Everything older is forgotten.
 * - `base`: the latest event that wrote every column but listed ones. It gives all columns
 *   without a register their value and version, columns yet to come included (as null).
 * - `columns`: the registers of the other columns, by ordinal. What they hold is complete: it
 *   includes the write of `base` where that wrote them.
 */
export type Registers = {
  /**
   * Where sequences name changes: the events that were told at the sequences that still have a say,
   * as digests of what they said. Absent where what is held is one event, whole.
   */
  readonly told?: Told
  readonly written: Stamp | null
  readonly deleted: Deletion | null
  readonly base: { readonly stamp: Stamp; readonly row: Row } | null
  readonly columns: ReadonlyMap<number, Register>
}

/** Digests (content-digest.ts) of the events of a key, by their sequence. */
export type Told = ReadonlyMap<Sequence, readonly string[]>

/** Nothing known. */
export const EMPTY: Registers = {
  written: null,
  deleted: null,
  base: null,
  columns: new Map(),
}

/**
 * Joins one change. For many changes of a key, {@link RegisterFile} does not copy between them.
 *
 * @throws BugError for a truncate with reach `flow`, which only a timeline can decide
 */
export function joinChange(registers: Registers, change: KeyChange | Truncate): Registers {
  const file = new RegisterFile(registers)
  file.join(change)
  return file.registers()
}

/** The current row; null where the key does not exist. */
export function rowOf({ written, base, columns }: Registers): Row | null {
  if (written === null) return null
  if (base !== null && columns.size === 0) return base.row

  const row: Value[] = base === null ? [] : [...base.row]
  for (const [column, register] of columns) {
    while (row.length < column) row.push(null)
    row[column] = valueOf(register)
  }
  return row
}

/**
 * Whether nothing need be kept: the key does not exist, and no delete of its own says so.
 * Truncates are kept elsewhere, and join when a key is read.
 */
export function isEmpty({ written, deleted }: Registers): boolean {
  return written === null && (deleted === null || deleted.truncate)
}

/** What a store keeps of a key: a row, a tombstone, or nothing. */
export type KeptAs = 'nothing' | 'row' | 'tombstone'

/** What is kept of a key with these registers, null for none. */
export function keptAs(kept: Registers | null): KeptAs {
  if (kept === null) return 'nothing'
  return kept.written === null ? 'tombstone' : 'row'
}

/** The upserts and the delete of the key that are still known of, each once, in no order; truncates are not the key's. */
export function stampsOf({ written, deleted, base, columns }: Registers): readonly Stamp[] {
  const stamps = new Set([...columns.values()].flatMap(writersOf))
  if (written !== null) stamps.add(written)
  if (base !== null) stamps.add(base.stamp)
  if (deleted !== null && !deleted.truncate) stamps.add(deleted.stamp)
  return [...stamps]
}

/**
 * Whether a change could still fall before the deletion and be heard: not if every column was
 * replaced since.
 */
export function doesDeletionMatter({ base, columns }: Registers): boolean {
  return base === null || [...columns.values()].some(({ replaced }) => replaced === null)
}

/**
 * Joins the changes of one key in place; {@link joinChange} is the plain form.
 *
 * Columns are shared with the registers given and handed out, and copied before the next write.
 */
export class RegisterFile {
  #written: Stamp | null
  #deleted: Deletion | null
  #base: Registers['base']
  #columns: ReadonlyMap<number, Register>
  /** The same as `#columns`, where nobody else has it. */
  #owned: Map<number, Register> | null = null

  constructor({ written, deleted, base, columns }: Registers = EMPTY) {
    this.#written = written
    this.#deleted = deleted
    this.#base = base
    this.#columns = columns
  }

  /** All that was joined. */
  registers(): Registers {
    this.#owned = null
    return {
      written: this.#written,
      deleted: this.#deleted,
      base: this.#base,
      columns: this.#columns,
    }
  }

  /** Joins one change; it may be late, or have come before. @throws BugError see {@link joinChange} */
  join(change: KeyChange | Truncate): void {
    switch (change.op) {
      case 'upsert':
        return this.#upsert(change)
      case 'delete':
        return this.#delete({ stamp: stampOf(change), truncate: false })
      case 'truncate':
        if (change.reach === 'flow') throw new BugError('registers do not know whose a key is')
        return this.#delete({ stamp: stampOf(change), truncate: true })
    }
  }

  #upsert(upsert: Upsert): void {
    if (this.#deleted !== null && isBefore(upsert, this.#deleted)) return
    const stamp = stampOf(upsert)
    const isLatest = this.#written === null || compareStamps(this.#written, stamp) < 0
    if (isLatest) this.#written = stamp

    const { row, writes } = upsert
    if (writes === 'all' && isLatest) {
      this.#base = { stamp, row }
      this.#clear()
    } else if (writes === 'all' || writes.mode === 'except') {
      this.#writeAllBut(upsert, stamp)
    } else {
      for (const column of writes.columns) this.#write(upsert, stamp, column)
    }
  }

  #write(upsert: Upsert, stamp: Stamp, column: number): void {
    const register = this.#columns.get(column)
    if (register === undefined && this.#isPastBase(stamp)) return
    this.#set(column, afterWrite(register ?? this.#fromBase(column), upsert, stamp, column))
  }

  #writeAllBut(upsert: Upsert, stamp: Stamp): void {
    const isBase = !this.#isPastBase(stamp)
    if (isBase) {
      this.#spare(upsert)
      this.#base = { stamp, row: upsert.row }
    }

    for (const [column, register] of this.#columns) {
      if (!isWritten(upsert.writes, column)) continue
      const next = afterWrite(register, upsert, stamp, column)
      if (isBase && isOnlyBy(next, stamp)) this.#remove(column)
      else this.#set(column, next)
    }
  }

  /** Gives the columns that a new base does not replace registers of their own. */
  #spare({ writes }: Upsert): void {
    if (writes === 'all') return
    for (const column of [...writes.columns, ...writes.merge]) {
      if (!this.#columns.has(column)) this.#set(column, this.#fromBase(column))
    }
  }

  #delete(deletion: Deletion): void {
    if (this.#deleted !== null && !isEarlier(this.#deleted, deletion)) return
    this.#deleted = deletion
    if (this.#written === null) return
    if (isBefore(this.#written, deletion)) {
      this.#written = null
      this.#base = null
      this.#clear()
      return
    }

    if (this.#base !== null && isBefore(this.#base.stamp, deletion)) this.#base = null
    for (const [column, register] of this.#columns) {
      const next = forget(register, deletion)
      // A register that holds nothing still says that the base did not write the column.
      if (next === UNWRITTEN && this.#base === null) this.#remove(column)
      else this.#set(column, next)
    }
  }

  #set(column: number, register: Register): void {
    this.#own().set(column, register)
  }

  #remove(column: number): void {
    this.#own().delete(column)
  }

  #clear(): void {
    this.#owned = null
    this.#columns = EMPTY.columns
  }

  #own(): Map<number, Register> {
    if (this.#owned === null) {
      this.#owned = new Map(this.#columns)
      this.#columns = this.#owned
    }
    return this.#owned
  }

  /** Whether the base is as late as an event, which then says nothing about the base's columns. */
  #isPastBase(stamp: Stamp): boolean {
    return this.#base !== null && compareStamps(this.#base.stamp, stamp) >= 0
  }

  #fromBase(column: number): Register {
    return this.#base === null
      ? UNWRITTEN
      : writtenBy(this.#base.stamp, cell(this.#base.row, column))
  }
}

/** A column's register after an event that writes the column. */
function afterWrite(
  register: Register,
  { row, writes }: Upsert,
  stamp: Stamp,
  column: number,
): Register {
  const value = cell(row, column)
  const merges = writes !== 'all' && writes.merge.includes(column)
  return merges ? merge(register, stamp, value) : replace(register, stamp, value)
}

/** Whether a register says what the base at this stamp says. */
function isOnlyBy({ replaced, merged }: Register, stamp: Stamp): boolean {
  return merged === null && replaced !== null && compareStamps(replaced.stamp, stamp) === 0
}

function isEarlier(a: Deletion, b: Deletion): boolean {
  if (a.truncate === b.truncate) return compareStamps(a.stamp, b.stamp) < 0
  return b.truncate ? isBefore(a.stamp, b) : a.stamp.sequence <= b.stamp.sequence
}

/** Only the place of a change, so that registers do not keep its row alive. */
function stampOf({ sequence, rank, system, stream, number, part }: Stamp): Stamp {
  return { sequence, rank, system, stream, number, part }
}
