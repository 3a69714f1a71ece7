import { RegistersFold } from '../core/registers-fold.ts'
import type { LatestFold } from '../core/scd1.ts'
import type { Values } from '../ports/source.ts'
import type { Fold } from './gathering.ts'
import { KeptBytes } from './kept-bytes.ts'
import { LaterUpsert } from './later-upsert.ts'

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
  if (fold === null) return new ListedMemory()
  return fold instanceof RegistersFold ? new JoinedMemory(fold) : new LatestMemory(fold)
}

/** What a change among all of its key takes, while it is merged too. */
const LISTED_BYTES = 800

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

/** If so many of the records since brought new keys, looking for what is not needed is not worth it. */
const MOSTLY_NEW = 0.75

/** What the newest change of a key takes beside the bytes of its record. */
const FOLDED_BYTES = 200

class LatestMemory implements GatheredMemory {
  readonly enough = 0.8
  private readonly fold: LatestFold<Values>
  /** Bytes of records that are held whole, whether or not anything of them is still needed. */
  private held = 0
  /** Bytes of records that were needed when that was last looked at. */
  private needed = 0
  private records = 0
  /** How many keys there were then. */
  private keys = 0

  constructor(fold: LatestFold<Values>) {
    this.fold = fold
  }

  get bytes(): number {
    return this.held + this.needed + this.fold.keys.length * FOLDED_BYTES
  }

  read(records: number, bytes: number): void {
    this.records += records
    this.held += bytes
  }

  tidy(): void {
    const { length } = this.fold.keys
    // Where most records have a key of their own, most are needed.
    if (length - this.keys > MOSTLY_NEW * this.records) return
    this.records = 0
    this.keys = length
    const room = new KeptBytes()
    this.held = 0
    this.needed = 0
    for (const each of this.fold.held()) {
      if (!('op' in each) || each instanceof LaterUpsert) this.needed += each.moveTo?.(room) ?? 0
    }
  }
}

/** Joined changes leave nothing of their records behind. */
class JoinedMemory implements GatheredMemory {
  readonly enough = 0.95
  private readonly fold: RegistersFold

  constructor(fold: RegistersFold) {
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
