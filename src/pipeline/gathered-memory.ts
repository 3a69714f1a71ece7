import type { Fold } from './gathering.ts'

/** About how much memory gathered changes take. */
export interface GatheredMemory {
  /** So many records of so many bytes were read. */
  read(records: number, bytes: number): void
  readonly bytes: number
  /** Lets go of what is not needed any more. */
  tidy(): void
  /** If that much of what may be held is held after tidying, doing it again soon would find nothing. */
  readonly enough: number
}

/** The memory of changes that a fold takes, or that are all kept where there is none. */
export function memoryOf(fold: Fold | null): GatheredMemory {
  return fold === null ? new ListedMemory() : new FoldedMemory(fold)
}

/** What a change among all of its key takes, while it is merged too, and until that is collected. */
const LISTED_BYTES = 1200

class ListedMemory implements GatheredMemory {
  readonly enough = 0
  bytes = 0

  read(records: number, bytes: number): void {
    this.bytes += bytes + records * LISTED_BYTES
  }

  tidy(): void {
    // All of it is needed.
  }
}

/** Folded changes leave nothing of their records behind. */
class FoldedMemory implements GatheredMemory {
  readonly enough = 0.95
  private readonly fold: Fold

  constructor(fold: Fold) {
    this.fold = fold
  }

  get bytes(): number {
    return this.fold.bytes
  }

  read(): void {
    // What is held of them is the fold's to tell.
  }

  tidy(): void {
    this.fold.tidy()
  }
}
