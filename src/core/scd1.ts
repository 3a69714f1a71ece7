import {
  compareChanges,
  compareStamps,
  ofOneRecord,
  sameStamp,
  type Change,
  type KeyChange,
  type Stamp,
  type Truncate,
} from './change.ts'
import { BugError } from './errors.ts'
import { keyOf, type Key } from './key.ts'
import { KeySlots } from './key-slots.ts'
import {
  PlainChanges,
  plainSequence,
  type CellValues,
  type Hold,
  type PlainChange,
} from './plain-changes.ts'

/** Where the latest change of a key stands in the order, and whether the key exists after it. */
export type Latest = { readonly stamp: Stamp; readonly exists: boolean }

/** Whether a key of which something is kept exists. */
export type Kept = Pick<Latest, 'exists'>

/** A change that takes its key over from what was kept of it, null if nothing was. */
export type Takeover = { readonly kept: Kept | null; readonly change: KeyChange }

/** What is held of changes that are newer than others. */
export type Holding<V> = {
  /** What is held of a change that is newer than another one, null for none; may use the memory of the older one. */
  readonly replace: (older: KeyChange | null, newer: KeyChange) => KeyChange
  /** The same of the values of a plain change. */
  readonly hold: Hold<V>
  /** Makes a change of a plain one. */
  readonly make: (key: Key, plain: PlainChange<V>) => KeyChange
}

/** The newest of all changes of a key, and which it is if it is none that is kept. */
type Newest = { readonly kept: Kept | null; stamp: Stamp | null; change: KeyChange | null }

/**
 * The SCD type 1 view where every event writes every column (semantics 4): the latest change of a
 * key decides alone, unless a later truncate does. Where columns have writers of their own, see
 * registers.ts.
 *
 * What is older is counted and let go as it arrives, so that memory is of the number of keys, not
 * of changes. Plain changes of a key are held in tables of numbers until one comes that is not plain.
 */
export class LatestFold<V extends CellValues = CellValues> {
  readonly truncates: Truncate[] = []
  /** Changes that came after a newer one of their key. */
  late = 0
  /** Changes that found another one at the newest sequence of their key. */
  ties = 0
  private readonly slots = new KeySlots()
  /** By the number of the key; null where its newest change is a plain one. */
  private readonly newest: (Newest | null)[] = []
  private readonly plain: PlainChanges<V>
  /** What is kept of keys whose newest change is a plain one. */
  private readonly keptBeside = new Map<number, Kept>()
  private readonly kept: (key: Key) => Latest | null
  private readonly holding: Holding<V>

  /** @param kept what is kept of a key, null for nothing; asked once for each key, at its first change */
  constructor(kept: (key: Key) => Latest | null, holding: Holding<V> = asTheyCome()) {
    this.kept = kept
    this.holding = holding
    this.plain = new PlainChanges((values, older) => holding.hold(values, older))
  }

  get isEmpty(): boolean {
    return this.newest.length === 0 && this.truncates.length === 0
  }

  /** The keys that have changes, in the order in which they came. */
  get keys(): readonly Key[] {
    return this.slots.keys
  }

  /** Adds a change; changes may arrive in any order, and more than once. */
  add(change: Change): void {
    if (change.op === 'truncate') this.truncates.push(change)
    else this.take(this.newestOf(change.key), change)
  }

  /** Adds a change that is plain; false where it has to come as a change. @param key or its only part, if `isSlotInteger` says so */
  addPlain(key: Key | number, change: PlainChange<V>): boolean {
    const slot = typeof key === 'number' ? this.slots.findInteger(key) : this.slots.find(key)
    if (slot < 0) return this.isFirst(typeof key === 'number' ? keyOf([key]) : key, change)
    const { sequence } = change
    const newest = this.plain.sequence(slot)
    if (sequence > newest) this.plain.put(slot, change)
    else if (sequence < newest) this.late += 1
    else if (sequence === newest) this.addTied(slot, change)
    else return false
    return true
  }

  /**
   * The change that takes a key over, given where it is among {@link keys}; null if none does.
   *
   * @param truncate the latest one that is known
   */
  takeover(slot: number, truncate: Truncate | null): Takeover | null {
    const key = this.keys[slot]
    if (key === undefined) return null
    const plain = this.plain.at(slot)
    const { kept = null, change = null } =
      plain === null ? (this.newest[slot] ?? {}) : this.ofPlain(slot, key, plain)
    if (change === null) return null
    if (truncate !== null && compareChanges(truncate, change) > 0) return null
    return { kept, change }
  }

  private newestOf(key: Key): Newest {
    const slot = this.slots.find(key)
    const known = this.newest[slot]
    if (known !== undefined && known !== null) return known
    return slot < 0 ? this.firstOf(key) : this.noLongerPlain(slot, key)
  }

  private firstOf(key: Key, kept = this.kept(key)): Newest {
    const newest: Newest = { kept, stamp: kept?.stamp ?? null, change: null }
    this.newest[this.slots.add(key)] = newest
    this.plain.add(null)
    return newest
  }

  private noLongerPlain(slot: number, key: Key): Newest {
    const plain = this.plain.take(slot)
    if (plain === null) throw new BugError(`no change of the key ${key}`)
    const newest = this.ofPlain(slot, key, plain)
    this.newest[slot] = newest
    return newest
  }

  private ofPlain(slot: number, key: Key, plain: PlainChange<V>): Newest & Takeover {
    const change = this.holding.make(key, plain)
    return { kept: this.keptBeside.get(slot) ?? null, stamp: change, change }
  }

  /** Takes the first change of a key, unless it may not be newer than what is kept of it. */
  private isFirst(key: Key, change: PlainChange<V>): boolean {
    const kept = this.kept(key)
    if (kept !== null && kept.stamp.sequence >= plainSequence(change.sequence)) {
      this.firstOf(key, kept)
      return false
    }
    const slot = this.slots.add(key)
    this.newest[slot] = null
    this.plain.add(change)
    if (kept !== null) this.keptBeside.set(slot, kept.exists ? ALIVE : DEAD)
    return true
  }

  private addTied(slot: number, change: PlainChange<V>): void {
    if (!this.plain.isSameRecord(change, slot)) this.ties += 1
    if (this.plain.isAfter(change, slot)) this.plain.put(slot, change)
  }

  private take(newest: Newest, change: KeyChange): void {
    const { stamp } = newest
    if (stamp !== null && change.sequence < stamp.sequence) {
      this.late += 1
      return
    }
    if (stamp !== null && change.sequence === stamp.sequence) {
      if (!sameStamp(change, stamp) && !ofOneRecord(change, stamp)) this.ties += 1
      if (compareStamps(change, stamp) <= 0) return
    }
    newest.change = this.holding.replace(newest.change, change)
    newest.stamp = newest.change
  }
}

/** Of very many keys no more is held. */
const ALIVE: Kept = { exists: true }
const DEAD: Kept = { exists: false }

/** Changes are held as they come, and none is plain. */
function asTheyCome<V>(): Holding<V> {
  return {
    replace: (_, newer) => newer,
    hold: (values) => values,
    make: () => {
      throw new BugError('no plain changes were to come')
    },
  }
}
