import type { StreamName } from '../../ports/source.ts'

/** A partition and who leads it, -1 for nobody. */
export type Led = { readonly stream: StreamName; readonly leader: number }

/** Where a log begins and ends. */
export type Bounds = {
  /** Offset of the oldest record that may be there. */
  readonly low: number
  /** Behind the last record that counts under the isolation: the last stable offset, or the high watermark. */
  readonly stable: number
  /** Behind the last record, also one of a transaction that is still open. */
  readonly end: number
}
