import type { KeyChange } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { LatestFold, type Holding, type Latest } from '../core/scd1.ts'
import type { Values } from '../ports/source.ts'
import { KeptBytes } from './kept-bytes.ts'
import { keptValues, LaterUpsert } from './later-upsert.ts'
import { changeOf } from './plain-reader.ts'

/** What the newest change of a key takes beside the bytes of its record. */
const FOLDED_BYTES = 200

/** A fold that knows how much memory it holds. */
export class HeldFold extends LatestFold<Values> {
  readonly #room: KeptBytes

  /** See {@link LatestFold}. */
  constructor(kept: (key: Key) => Latest | null) {
    const held = new HeldChanges()
    super(kept, held)
    this.#room = held.room
  }

  /** About how much memory is held, in bytes. */
  get bytes(): number {
    return this.#room.bytes + this.keys.length * FOLDED_BYTES
  }

  tidy(): void {
    // All of it is needed.
  }
}

/**
 * What a fold holds of changes, in memory of its own: of the pieces of a file that records come in, little
 * would be needed, and all would be held.
 */
class HeldChanges implements Holding<Values> {
  readonly room = new KeptBytes()
  readonly make = changeOf

  replace(older: KeyChange | null, newer: KeyChange): KeyChange {
    if (!(newer instanceof LaterUpsert)) return newer
    if (older instanceof LaterUpsert) {
      older.become(newer, this.room)
      return older
    }
    newer.moveTo(this.room)
    return newer
  }

  hold(values: Values, older: Values | null): Values {
    return keptValues(values, older, this.room)
  }
}
