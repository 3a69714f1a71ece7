import {
  FINGERPRINT_PAGE,
  FINGERPRINT_WORDS,
  keyOnPage,
  type FingerprintPage,
} from '../core/fingerprint.ts'
import type { Key } from '../core/key.ts'
import type { Fingerprints } from '../ports/fingerprints.ts'

/** Keys and shapes of some records, by their number among them; what is new has no key. */
export type Recognised = { readonly keys: (Key | undefined)[]; readonly shapes: Uint8Array }

/** So many keys that no record had are kept in memory; more are read again each time. */
const MOST_UNSEEN = 50_000

/** After so many pages without a match records in order have no more of them. */
const IDLE_PAGES = 2

/** Records are taken to be in the order of those before them if this share of a batch was found. */
const IN_ORDER = 0.8

/**
 * Finds the records of a snapshot among those of the one before, some at a time.
 *
 * Pages are walked in a circle from where the last match was. Records that come in the order of
 * those before them need a few pages; those that do not need all, which is one look at a small
 * table in memory for each record on them. Which ones were found takes a bit each.
 */
export class Recognition {
  readonly known: Fingerprints
  /** How many records were found. */
  count = 0
  /** Whether the records looked for last come in the order of those before; so it is supposed at first. */
  isInOrder = true
  /** The shapes of what was found. */
  readonly shapes = new Set<number>()
  private readonly found: Uint8Array
  private missed: readonly Key[] | null = null
  private page = 0

  constructor(known: Fingerprints) {
    this.known = known
    this.found = new Uint8Array(known.count)
  }

  /** Looks for records; their fingerprints are one after the other in `words`. */
  match(words: Uint32Array, count: number): Recognised {
    const table = new Table(words, count)
    const keys = Array.from({ length: count }, (): Key | undefined => undefined)
    const out = { keys, shapes: new Uint8Array(count) }
    const { pages } = this.known
    let left = count
    let idle = 0
    let last = this.page
    let step = 0
    for (; step < pages && left > 0; step += 1) {
      const index = (this.page + step) % pages
      const matched = this.matchPage(index, table, out)
      left -= matched
      idle = matched === 0 ? idle + 1 : 0
      if (matched > 0) last = index
      if (idle === IDLE_PAGES && left < count * (1 - IN_ORDER)) break
    }
    this.isInOrder = step <= 2 * Math.ceil(count / FINGERPRINT_PAGE) + IDLE_PAGES
    this.page = last
    this.count += count - left
    return out
  }

  /** The keys of the records that were not found, once all were looked for. */
  unseen(): Iterable<Key> {
    if (this.known.count - this.count > MOST_UNSEEN) return this.readUnseen()
    this.missed ??= [...this.readUnseen()]
    return this.missed
  }

  private *readUnseen(): Iterable<Key> {
    for (let index = 0; index < this.known.pages; index += 1) {
      const from = index * FINGERPRINT_PAGE
      const place = this.found.subarray(from, from + FINGERPRINT_PAGE).indexOf(0)
      if (place < 0) continue
      const page = this.known.page(index)
      for (let i = place; i < page.count; i += 1) {
        if (this.found[from + i] === 0) yield keyOnPage(page, i)
      }
    }
  }

  private matchPage(index: number, table: Table, out: Recognised): number {
    const page = this.known.page(index)
    const first = index * FINGERPRINT_PAGE
    let matched = 0
    for (let i = 0; i < page.count; i += 1) {
      const at = table.find(page, i)
      // A record that comes a second time is read.
      if (at < 0 || this.found[first + i] === 1) continue
      this.found[first + i] = 1
      out.keys[at] = keyOnPage(page, i)
      const shape = page.shapes[i] ?? 0
      out.shapes[at] = shape
      this.shapes.add(shape)
      matched += 1
    }
    return matched
  }
}

/** Some fingerprints, each once, by what they are: a table in open addressing. */
class Table {
  private readonly words: Uint32Array
  private readonly slots: Int32Array
  private readonly mask: number

  constructor(words: Uint32Array, count: number) {
    this.words = words
    const size = 2 ** Math.ceil(Math.log2(Math.max(1, count) * 2))
    this.slots = new Int32Array(size).fill(-1)
    this.mask = size - 1
    for (let i = 0; i < count; i += 1) this.add(i)
  }

  /** The number of the record with the same fingerprint as one on a page; -1 if there is none. */
  find({ words }: FingerprintPage, index: number): number {
    const from = index * FINGERPRINT_WORDS
    let slot = (words[from] ?? 0) & this.mask
    for (;;) {
      const i = this.slots[slot] ?? -1
      if (i < 0 || this.equals(i, words, from)) return i
      slot = (slot + 1) & this.mask
    }
  }

  private add(index: number): void {
    const from = index * FINGERPRINT_WORDS
    let slot = (this.words[from] ?? 0) & this.mask
    for (;;) {
      const i = this.slots[slot] ?? -1
      if (i < 0) break
      if (this.equals(i, this.words, from)) return
      slot = (slot + 1) & this.mask
    }
    this.slots[slot] = index
  }

  private equals(index: number, words: Uint32Array, from: number): boolean {
    const at = index * FINGERPRINT_WORDS
    for (let word = 0; word < FINGERPRINT_WORDS; word += 1) {
      if (this.words[at + word] !== words[from + word]) return false
    }
    return true
  }
}
