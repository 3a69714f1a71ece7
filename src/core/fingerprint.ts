import { storedKey, type Key } from './key.ts'

/** A fingerprint is 128 bits of a cryptographic digest, as so many unsigned integers. */
export const FINGERPRINT_WORDS = 4

/** So many records are kept together. */
export const FINGERPRINT_PAGE = 4096

/** Records of a snapshot that follow each other, each by the fingerprint of its bytes. */
export type FingerprintPage = {
  readonly count: number
  /** {@link FINGERPRINT_WORDS} for each record, one after the other. */
  readonly words: Uint32Array
  /** Which shape each record has, by number. */
  readonly shapes: Uint8Array
  /** The keys of the records, one behind the other: only few of them are ever taken apart. */
  readonly keys: string
  /** Where the key of each record ends. */
  readonly ends: Uint32Array
}

/** The key of a record of a page. */
export function keyOnPage({ keys, ends }: FingerprintPage, index: number): Key {
  return storedKey(keys.slice(index === 0 ? 0 : ends[index - 1], ends[index]))
}

/** Puts fingerprints together to pages. */
export class FingerprintPacker {
  private readonly words = new Uint32Array(FINGERPRINT_PAGE * FINGERPRINT_WORDS)
  private readonly shapes = new Uint8Array(FINGERPRINT_PAGE)
  private readonly ends = new Uint32Array(FINGERPRINT_PAGE)
  private keys: Key[] = []
  private length = 0

  /** Takes the fingerprint at a place of `words`; gives the page that is full with it. */
  add(words: Uint32Array, at: number, shape: number, key: Key): FingerprintPage | null {
    const i = this.keys.length
    for (let word = 0; word < FINGERPRINT_WORDS; word += 1) {
      this.words[i * FINGERPRINT_WORDS + word] = words[at + word] ?? 0
    }
    this.shapes[i] = shape
    this.length += key.length
    this.ends[i] = this.length
    return this.keys.push(key) === FINGERPRINT_PAGE ? this.take() : null
  }

  /** The page that is not full yet; null if it is empty. */
  rest(): FingerprintPage | null {
    return this.keys.length === 0 ? null : this.take()
  }

  private take(): FingerprintPage {
    const count = this.keys.length
    const page = {
      count,
      words: this.words.slice(0, count * FINGERPRINT_WORDS),
      shapes: this.shapes.slice(0, count),
      keys: this.keys.join(''),
      ends: this.ends.slice(0, count),
    }
    this.keys = []
    this.length = 0
    return page
  }
}
