import { storedKey, type Key } from './key.ts'
import { storedJson } from './stored-json.ts'

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
  /** The key of each record, as a JSON array of texts; to take it apart costs, and not every page needs it. */
  readonly keys: string
}

/** The key of each record of a page. */
export function keysOnPage({ keys }: FingerprintPage): readonly Key[] {
  return storedJson<readonly string[]>(keys).map(storedKey)
}

/** Puts fingerprints together to pages. */
export class FingerprintPacker {
  private words = new Uint32Array(FINGERPRINT_PAGE * FINGERPRINT_WORDS)
  private shapes = new Uint8Array(FINGERPRINT_PAGE)
  private keys: Key[] = []

  /** Takes the fingerprint at a place of `words`; gives the page that is full with it. */
  add(words: Uint32Array, at: number, shape: number, key: Key): FingerprintPage | null {
    const i = this.keys.length
    for (let word = 0; word < FINGERPRINT_WORDS; word += 1) {
      this.words[i * FINGERPRINT_WORDS + word] = words[at + word] ?? 0
    }
    this.shapes[i] = shape
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
      keys: JSON.stringify(this.keys),
    }
    this.keys = []
    return page
  }
}
