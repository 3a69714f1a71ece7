import type { Key } from './key.ts'

/**
 * Numbers keys from 0 on in the order in which they come.
 *
 * Most keys are one integer that is not large: those are found in a table of plain numbers, for a
 * map of very many texts looks at several of them, far apart in memory, for each that it is asked for.
 */
export class KeySlots {
  readonly keys: Key[] = []
  readonly #others = new Map<Key, number>()
  /** By the hash of an integer, and the places after it: the integer, and its slot plus one, 0 where the place is free. */
  #integers = new Int32Array(FEWEST)
  #slots = new Uint32Array(FEWEST)
  #taken = 0

  get size(): number {
    return this.keys.length
  }

  /** The number of a key; -1 where it has none. */
  find(key: Key): number {
    const integer = smallInteger(key)
    if (integer < 0) return this.#others.get(key) ?? -1
    return this.findInteger(integer)
  }

  /** The number of the key that is this integer alone, see {@link isSlotInteger}; -1 where it has none. */
  findInteger(integer: number): number {
    return (this.#slots[this.#placeOf(integer)] ?? 0) - 1
  }

  /** Numbers a key that has no number yet. */
  add(key: Key): number {
    const slot = this.keys.push(key) - 1
    const integer = smallInteger(key)
    if (integer < 0) this.#others.set(key, slot)
    else this.#put(integer, slot + 1)
    return slot
  }

  #put(integer: number, slot: number): void {
    if (2 * this.#taken >= this.#slots.length) this.#grow()
    const place = this.#placeOf(integer)
    this.#integers[place] = integer
    this.#slots[place] = slot
    this.#taken += 1
  }

  /** Where an integer is, or belongs. */
  #placeOf(integer: number): number {
    const integers = this.#integers
    const slots = this.#slots
    const last = slots.length - 1
    let place = (Math.imul(integer, GOLDEN) >>> 8) & last
    while (slots[place] !== 0 && integers[place] !== integer) place = (place + 1) & last
    return place
  }

  #grow(): void {
    const integers = this.#integers
    const slots = this.#slots
    this.#integers = new Int32Array(2 * slots.length)
    this.#slots = new Uint32Array(2 * slots.length)
    this.#taken = 0
    for (let i = 0; i < slots.length; i += 1) {
      const slot = slots[i] ?? 0
      if (slot !== 0) this.#put(integers[i] ?? 0, slot)
    }
  }
}

/** A power of two. */
const FEWEST = 1024

/** Spreads neighbours over the table. */
const GOLDEN = 0x9e3779b1

const MOST_DIGITS = 9

/** Whether a number is an integer that keys of one part are looked up by. */
export function isSlotInteger(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number < 10 ** MOST_DIGITS
}

/** The integer of at most nine digits that is a key, as keys spell it; -1 for every other key. */
function smallInteger(key: Key): number {
  const { length } = key
  if (length < 2 || length > MOST_DIGITS + 1 || key.charCodeAt(0) !== LOWER_N) return -1
  if (length > 2 && key.charCodeAt(1) === ZERO) return -1
  let integer = 0
  for (let i = 1; i < length; i += 1) {
    const digit = key.charCodeAt(i) - ZERO
    if (digit < 0 || digit > 9) return -1
    integer = integer * 10 + digit
  }
  return integer
}

const LOWER_N = 0x6e
const ZERO = 0x30
