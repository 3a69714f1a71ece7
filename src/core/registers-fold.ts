import { compareStamps, ofOneRecord, sameStamp } from './change.ts'
import type { Change, KeyChange, Stamp, Truncate, Upsert } from './change.ts'
import { isObject } from './columns.ts'
import { keyOf, type Key } from './key.ts'
import type { CellValues, PlainChange } from './plain-changes.ts'
import type { Value } from './value.ts'
import { KeySlots } from './key-slots.ts'
import type { PackedRow } from './packed-registers.ts'
import { isBefore } from './register.ts'
import { RegisterRows } from './register-rows.ts'
import { joinChange, keptAs, RegisterFile, type KeptAs, type Registers } from './registers.ts'

/** What is to be kept of a key after its changes; packed where that is quicker. */
export type FoldedKey = { readonly kept: KeptAs } & (
  { readonly registers: Registers; readonly packed: null } | { readonly packed: PackedRow }
)

/**
 * Joins changes into the registers of their keys as they come, so that each key is read, joined and
 * written once for all of them, and memory is of the number of keys and of writers that still have
 * a say.
 *
 * Nearly every change is the newest of its key, and writes listed columns without merging: those
 * are put straight where they belong. All others take the way of {@link RegisterFile}.
 */
export class RegistersFold {
  readonly truncates: Truncate[] = []
  /** Changes that came after a newer one of their key. */
  late = 0
  /** Changes that found another one at the newest sequence of their key. */
  ties = 0
  readonly #slots = new KeySlots()
  readonly #rows = new RegisterRows()
  readonly #keptAs: KeptAs[] = []
  readonly #kept: (key: Key) => Registers | null
  /** Those of the plain change at hand, by column. */
  readonly #values: Value[] = []

  /** @param kept what is kept of a key, null for nothing; asked once for each key, at its first change */
  constructor(kept: (key: Key) => Registers | null) {
    this.#kept = kept
  }

  get isEmpty(): boolean {
    return this.#slots.size === 0 && this.truncates.length === 0
  }

  /** About how much memory is held, in bytes. */
  get bytes(): number {
    return this.#rows.bytes + this.#slots.size * KEY_BYTES
  }

  /** Adds a change; changes may arrive in any order, and more than once. */
  add(change: Change): void {
    if (change.op === 'truncate') {
      this.truncates.push(change)
      return
    }
    const slot = this.#slotOf(change.key)
    const isNewest = this.#isNewest(slot, change)
    if (isNewest && change.op === 'upsert' && listsColumns(change)) {
      if (this.#rows.write(slot, change, change.writes.columns)) return
    }
    const file = new RegisterFile(this.#rows.registers(slot))
    file.join(change)
    this.#rows.put(slot, file.registers())
  }

  /**
   * Adds a change that is plain, of which the columns are written that it has values for; false where
   * it has to come as a change. @param key or its only part, if `isSlotInteger` says so
   */
  addPlain(key: Key | number, change: PlainChange<CellValues>): boolean {
    const { values, order } = change
    if (values === null || !this.#takeValues(values, order)) return false
    const found = typeof key === 'number' ? this.#slots.findInteger(key) : this.#slots.find(key)
    const slot = found < 0 ? this.#slotOf(typeof key === 'number' ? keyOf([key]) : key) : found
    return this.#rows.writePlain(slot, change, this.#values)
  }

  /** Lets go of what has no say any more. */
  tidy(): void {
    this.#rows.tidy()
  }

  /** Whether a key has changes. */
  has(key: Key): boolean {
    return this.#slots.find(key) >= 0
  }

  /** The keys that have changes, in no order. */
  keys(): readonly Key[] {
    return this.#slots.keys
  }

  /** What is to be kept of a key that has changes; `truncate` is the latest one that is known. */
  folded(key: Key, truncate: Truncate | null): FoldedKey {
    const slot = this.#slotOf(key)
    const kept = this.#keptAs[slot] ?? 'nothing'
    const packed = truncate === null ? this.#rows.packed(slot) : null
    if (packed !== null) return { kept, packed }
    const registers = this.#rows.registers(slot)
    return {
      kept,
      packed,
      registers: truncate === null ? registers : joinChange(registers, truncate),
    }
  }

  /** Whether values can be written as they are: objects may have to merge. */
  #takeValues(values: CellValues, order: readonly number[]): boolean {
    const taken = this.#values
    taken.length = order.length
    for (let column = 0; column < order.length; column += 1) {
      const index = order[column] ?? -1
      const value = index < 0 ? null : (values.at(index) ?? null)
      if (value !== null && isObject(value)) return false
      taken[column] = value
    }
    return true
  }

  #slotOf(key: Key): number {
    const known = this.#slots.find(key)
    if (known >= 0) return known
    const kept = this.#kept(key)
    const slot = this.#slots.add(key)
    this.#rows.add()
    if (kept !== null) this.#rows.put(slot, kept)
    this.#keptAs.push(keptAs(kept))
    return slot
  }

  /** Whether a change is newer than all that is held of its key; counts it where it is late or a tie. */
  #isNewest(slot: number, change: KeyChange): boolean {
    const { sequence } = change
    const written = this.#rows.writtenAt(slot)
    const deleted = this.#rows.deletion(slot)
    const own = deleted === null || deleted.truncate ? null : deleted.stamp
    if (own === null && (written === undefined || written < sequence)) {
      return deleted === null || !isBefore(change, deleted)
    }
    if ((written ?? '') > sequence || (own !== null && own.sequence > sequence)) {
      this.late += 1
      return false
    }
    const tied = [this.#rows.written(slot) ?? null, own].filter((stamp) => stamp !== null)
    const at = tied.filter((stamp) => stamp.sequence === sequence)
    if (isTie(change, at)) this.ties += 1
    return (
      at.every((stamp) => compareStamps(stamp, change) < 0) &&
      (deleted === null || !isBefore(change, deleted))
    )
  }
}

/** What a key and the place of its row take, beside what is in it. */
const KEY_BYTES = 80

function isTie(change: KeyChange, others: readonly Stamp[]): boolean {
  if (others.some((other) => sameStamp(other, change))) return false
  return others.some((other) => !ofOneRecord(other, change))
}

function listsColumns(
  upsert: Upsert,
): upsert is Upsert & { writes: { readonly columns: readonly number[] } } {
  const { writes } = upsert
  return writes !== 'all' && writes.mode === 'only' && writes.merge.length === 0
}
