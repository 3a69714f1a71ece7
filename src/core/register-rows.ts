import type { Stamp, Upsert } from './change.ts'
import { BugError } from './errors.ts'
import type { PackedRow } from './packed-registers.ts'
import { grown } from './grown.ts'
import { plainSequence, type PlainStamp } from './plain-changes.ts'
import { UNWRITTEN, valueOf, writtenBy, type Deletion, type Register } from './register.ts'
import { EMPTY, type Registers } from './registers.ts'
import type { Sequence } from './sequence.ts'
import { StampTable } from './stamp-table.ts'
import { cell, isTagged, type Value } from './value.ts'

/**
 * The registers of many keys side by side, in a small part of the memory that {@link Registers} take:
 * a row of values, and for each the number of the stamp that wrote it.
 *
 * Registers with objects that merged do not fit; they are held as they are.
 */
export class RegisterRows {
  #stamps = new StampTable()
  /** Of each row its `#width` cells. */
  #values: Value[] = []
  /** For each cell the number of its writer; `BASE` where it is the base's, or nobody's without one. */
  #writers = new Uint32Array(0)
  #width = 0
  #size = 0
  /** The numbers of the stamps of `written` and of `base`, 0 for none. */
  #written = new Uint32Array(0)
  #base = new Uint32Array(0)
  readonly #deleted = new Map<number, Deletion>()
  /** Rows that do not fit. */
  readonly #others = new Map<number, Registers>()
  #valueBytes = 0

  /** About how much memory is held, in bytes. */
  get bytes(): number {
    const cells = this.#size * (ROW_BYTES + this.#width * CELL_BYTES)
    const others = this.#others.size * OTHER_BYTES + this.#deleted.size * DELETION_BYTES
    return cells + this.#valueBytes + this.#stamps.size * STAMP_BYTES + others
  }

  /** Adds a row of which nothing is known; rows are numbered from 0 on. */
  add(): void {
    const row = this.#size
    this.#size += 1
    if (row >= this.#written.length) {
      this.#written = grown(this.#written, this.#size)
      this.#base = grown(this.#base, this.#size)
    }
    for (let i = 0; i < this.#width; i += 1) this.#values.push(null)
    const cells = this.#values.length
    if (cells > this.#writers.length) this.#writers = grown(this.#writers, cells)
  }

  /** The sequence of the latest upsert; undefined where there is none. */
  writtenAt(row: number): Sequence | undefined {
    const written = this.#written[row] ?? 0
    return written === 0 ? undefined : this.#stamps.sequence(written)
  }

  /** The latest upsert; undefined where there is none. */
  written(row: number): Stamp | undefined {
    return this.#stamps.at(this.#written[row] ?? 0)
  }

  deletion(row: number): Deletion | null {
    return this.#deleted.get(row) ?? null
  }

  /** Writes the listed columns of an upsert that is newer than all else of a row; false where the row does not fit. */
  write(row: number, upsert: Upsert, columns: readonly number[]): boolean {
    if (this.#others.size > 0 && this.#others.has(row)) return false
    const writer = this.#stamps.add(upsert)
    this.#written[row] = writer
    for (const column of columns) this.#set(row, column, upsert.row[column] ?? null, writer)
    return true
  }

  /** Writes the columns that there are values for; false where that may not be the newest of a row, or does not fit. */
  writePlain(row: number, stamp: PlainStamp, values: readonly Value[]): boolean {
    const written = this.#written[row] ?? 0
    if (written !== 0 && !(this.#stamps.integer(written) < stamp.sequence)) return false
    const deleted = this.#deleted.get(row)
    if (deleted !== undefined && deleted.stamp.sequence >= plainSequence(stamp.sequence))
      return false
    if (this.#others.has(row)) return false
    const writer = this.#stamps.addPlain(stamp)
    this.#written[row] = writer
    for (let column = 0; column < values.length; column += 1) {
      const value = values[column] ?? null
      if (value !== null) this.#set(row, column, value, writer)
    }
    return true
  }

  /** Puts other registers in the place of a row. */
  put(row: number, registers: Registers): void {
    const { written, deleted, base, columns } = registers
    const isKnown = new Map<Stamp, number>()
    const numberOf = (stamp: Stamp): number => {
      const known = isKnown.get(stamp)
      if (known !== undefined) return known
      const number = this.#stamps.add(stamp)
      isKnown.set(stamp, number)
      return number
    }
    this.#written[row] = written === null ? 0 : numberOf(written)
    this.#base[row] = base === null ? 0 : numberOf(base.stamp)
    if (deleted === null) this.#deleted.delete(row)
    else this.#deleted.set(row, deleted)
    if (![...columns.values()].every(fits)) {
      this.#others.set(row, registers)
      return
    }
    this.#others.delete(row)
    for (let column = 0; column < this.#width; column += 1) {
      if (!columns.has(column)) this.#set(row, column, cell(base?.row ?? NO_VALUES, column), BASE)
    }
    for (let column = this.#width; column < (base?.row.length ?? 0); column += 1) {
      this.#set(row, column, cell(base?.row ?? NO_VALUES, column), BASE)
    }
    for (const [column, register] of columns) {
      const { replaced } = register
      const writer = replaced === null ? NOBODY : numberOf(replaced.stamp)
      this.#set(row, column, valueOf(register), writer)
    }
  }

  registers(row: number): Registers {
    const other = this.#others.get(row)
    if (other !== undefined) return other
    const deleted = this.deletion(row)
    const written = this.#written[row] ?? 0
    if (written === 0) return { ...EMPTY, deleted }

    // The registers of one event share its stamp.
    const stamps = new Map<number, Stamp>()
    const stampOf = (number: number): Stamp => {
      const stamp = stamps.get(number) ?? this.#stamps.at(number)
      if (stamp === undefined) throw new BugError(`no stamp ${number}`)
      stamps.set(number, stamp)
      return stamp
    }
    const start = row * this.#width
    const base = this.#base[row] ?? 0
    const columns = new Map<number, Register>()
    const values: Value[] = []
    for (let column = 0; column < this.#width; column += 1) {
      const value = this.#values[start + column] ?? null
      const writer = this.#writers[start + column] ?? BASE
      if (base !== 0) values.push(value)
      if (writer === NOBODY) columns.set(column, UNWRITTEN)
      else if (writer !== BASE) columns.set(column, writtenBy(stampOf(writer), value))
    }
    return {
      written: stampOf(written),
      deleted,
      base: base === 0 ? null : { stamp: stampOf(base), row: values },
      columns,
    }
  }

  /**
   * The same as `packedRow` of the registers, without them; null where only they can tell: where the
   * key was ever deleted, or a base left columns out that nobody wrote.
   */
  packed(row: number): PackedRow | null {
    const written = this.#written[row] ?? 0
    const latest = this.#stamps.at(written)
    if (latest === undefined || this.#deleted.has(row) || this.#others.has(row)) return null
    const base = this.#base[row] ?? 0
    const numbers = [written]
    const stamps: Stamp[] = []
    const versionOf = (writer: number): number => {
      const known = numbers.indexOf(writer)
      if (known >= 0) return known
      const stamp = this.#stamps.at(writer)
      if (stamp !== undefined) stamps.push(stamp)
      return numbers.push(writer) - 1
    }
    const baseVersion = base === 0 ? null : versionOf(base)
    const start = row * this.#width
    const columns: [number, number][] = []
    for (let column = 0; column < this.#width; column += 1) {
      const writer = this.#writers[start + column] ?? BASE
      if (writer === NOBODY) return null
      if (writer === BASE) continue
      const isImplied = writer === written && base === 0 && this.#values[start + column] !== null
      if (!isImplied) columns.push([column, versionOf(writer)])
    }
    const values = this.#values.slice(start, start + this.#width)
    if (baseVersion === 0 && columns.length === 0) return { latest, versions: null, row: values }
    const versions = { stamps, deleted: null, truncate: false, base: baseVersion, columns }
    return { latest, versions, row: values }
  }

  /** Lets go of stamps that have no say any more. */
  tidy(): void {
    const before = this.#stamps
    const after = new StampTable()
    const numbers = new Uint32Array(before.size + 1)
    const kept = (writer: number): number => {
      const known = numbers[writer] ?? 0
      if (known !== 0) return known
      const number = after.addFrom(before, writer)
      numbers[writer] = number
      return number
    }
    for (const each of [this.#written, this.#base, this.#writers]) {
      for (let i = 0; i < each.length; i += 1) {
        const writer = each[i] ?? BASE
        if (writer !== BASE && writer !== NOBODY) each[i] = kept(writer)
      }
    }
    this.#stamps = after
  }

  #set(row: number, column: number, value: Value, writer: number): void {
    if (column >= this.#width) this.#widen(column + 1)
    const at = row * this.#width + column
    this.#valueBytes += bytesOf(value) - bytesOf(this.#values[at] ?? null)
    this.#values[at] = value
    this.#writers[at] = writer
  }

  /** Makes place for more columns. */
  #widen(width: number): void {
    const before = this.#width
    const values: Value[] = []
    const writers = new Uint32Array(Math.max(1024, this.#size * width))
    for (let row = 0; row < this.#size; row += 1) {
      for (let column = 0; column < width; column += 1) {
        const at = row * before + column
        values.push(column < before ? (this.#values[at] ?? null) : null)
        writers[row * width + column] = column < before ? (this.#writers[at] ?? BASE) : BASE
      }
    }
    this.#width = width
    this.#values = values
    this.#writers = writers
  }
}

/** The writer of what the base wrote. */
const BASE = 0

/** The writer of what nobody wrote, not even the base. */
const NOBODY = 0xff_ff_ff_ff

const NO_VALUES: readonly Value[] = []

const ROW_BYTES = 8
const CELL_BYTES = 14
const STAMP_BYTES = 46

const DELETION_BYTES = 200

/** A guess: registers with objects that merged. */
const OTHER_BYTES = 4_000

/** Whether a register is a value and its writer, or nothing. */
function fits({ merged, leaves }: Register): boolean {
  return merged === null && leaves.size === 0
}

/** About what a value takes beside its place. */
function bytesOf(value: Value): number {
  if (typeof value === 'string') return 20 + value.length
  // Small integers need no more than their place.
  if (typeof value === 'number') return (value | 0) === value ? 0 : 16
  return isTagged(value) ? 64 + value.text.length : 0
}
