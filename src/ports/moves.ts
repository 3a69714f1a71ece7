import type { Stamp } from '../core/change.ts'
import type { Row, Value } from '../core/value.ts'
import type { Writes } from '../core/writes.ts'

/**
 * One half of a change of keys whose other half has not come: the row that the old key left behind
 * (null where nothing was known of it), or what the row under the new key still lacks.
 */
export type HalfMove =
  | { readonly half: 'left'; readonly row: Row | null }
  | {
      readonly half: 'arrived'
      /** Where what is lacking belongs: right behind the event that made the row. */
      readonly stamp: Stamp
      readonly time: Value
      readonly lacking: Writes
    }
