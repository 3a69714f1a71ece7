import { writeSha256 } from '../../formats/sha256.ts'

/** What digests begin with that are sums; those of earlier versions begin with a digit. */
const MARK = 'sum:'

const WORDS = 8
const WHOLE = { at: 0, count: WORDS }

/**
 * The digest of a set of rows that takes and gives up single ones: the sum of their SHA-256, word
 * by word. So it does not matter in which order they come.
 */
export class RowSum {
  private readonly words: Uint32Array
  private readonly row = new Uint32Array(WORDS)

  private constructor(words: Uint32Array) {
    this.words = words
  }

  /** The sum of no row. */
  static empty(): RowSum {
    return new RowSum(new Uint32Array(WORDS))
  }

  /** A sum from its text; null where the text is none. */
  static of(text: string): RowSum | null {
    if (!text.startsWith(MARK)) return null
    const bytes = Buffer.from(text.slice(MARK.length), 'hex')
    return new RowSum(Uint32Array.from({ length: WORDS }, (_, i) => bytes.readUInt32LE(i * 4)))
  }

  add(row: string): void {
    writeSha256(row, this.row, WHOLE)
    for (let i = 0; i < WORDS; i += 1) this.words[i] = (this.words[i] ?? 0) + (this.row[i] ?? 0)
  }

  remove(row: string): void {
    writeSha256(row, this.row, WHOLE)
    for (let i = 0; i < WORDS; i += 1) this.words[i] = (this.words[i] ?? 0) - (this.row[i] ?? 0)
  }

  /** The sum of both. */
  plus({ words }: RowSum): RowSum {
    return new RowSum(this.words.map((word, i) => word + (words[i] ?? 0)))
  }

  toString(): string {
    const bytes = Buffer.alloc(WORDS * 4)
    for (const [i, word] of this.words.entries()) bytes.writeUInt32LE(word, i * 4)
    return MARK + bytes.toString('hex')
  }
}
