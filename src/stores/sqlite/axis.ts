import { decodeSequence, type Sequence, type SequenceType } from '../../core/sequence.ts'
import { isTagged } from '../../core/value.ts'
import { fractionDigits, padFraction, sqlOf } from './cells.ts'
import type { SqlValue } from './connection.ts'
import { roundedDigits, type ColumnShape } from './row-codec.ts'

/** How the bounds and the `time_by` columns of a target are spelled. */
export type AxisShapes = {
  readonly validDigits: number
  readonly systemDigits: number
  readonly times: ColumnShape[]
}

/**
 * How the bounds of one time axis read: `__START_AT` and `__END_AT`, or `__SYSTEM_START_AT` and
 * `__SYSTEM_END_AT`. Beside each encoded bound, which the engine compares, stands its natural
 * value, which people do.
 */
export class Axis {
  digits: number
  learnt = false
  private type: SequenceType | null
  private readonly widen: (digits: number) => void

  constructor(type: SequenceType | null, digits: number, widen: (digits: number) => void) {
    this.type = type
    this.digits = digits
    this.widen = widen
  }

  /** The type is known from the first record on. */
  typed(type: SequenceType | null): void {
    this.type = type
  }

  /** Both bounds of an interval, spelled alike even where the second one has more digits than any before. */
  naturals(from: Sequence | null, to: Sequence | null): readonly [SqlValue, SqlValue] {
    const start = this.natural(from)
    const { digits } = this
    const end = this.natural(to)
    return [digits === this.digits ? start : this.natural(from), end]
  }

  private natural(bound: Sequence | null): SqlValue {
    if (bound === null || this.type === null) return null
    const value = decodeSequence(bound, this.type)
    if (!isTagged(value) || value.type !== 'timestamp') return sqlOf(value)

    const digits = roundedDigits(fractionDigits(value))
    if (digits > this.digits) {
      this.widen(digits)
      this.digits = digits
      this.learnt = true
    }
    return padFraction(value.text, this.digits)
  }
}
