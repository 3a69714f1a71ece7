import { TidemarkError } from '../core/errors.ts'
import { isNumeric } from '../core/number.ts'
import {
  describeSequenceType,
  readSequence,
  sameSequenceType,
  sequenceTypeOf,
  type SequenceType,
} from '../core/sequence.ts'
import { parseTimestamp } from '../core/temporal.ts'
import type { Value } from '../core/value.ts'
import type { StoredRow } from '../ports/store.ts'

/**
 * Whether a row held at this time, by the `time_by` values of the changes that open and end it.
 * A row whose times are of another type than `at`, or that has none, did not.
 */
export function heldAtTime({ startTime, endTime, endAt }: StoredRow, at: Value): boolean {
  const type = sequenceTypeOf(startTime)
  if (type === null) return false
  const start = readSequence(startTime, type)
  const time = readSequence(at, type)
  if (start === null || time === null || start > time) return false
  if (endAt === null) return true
  const end = endTime === null ? null : readSequence(endTime, type)
  return end !== null && time < end
}

/**
 * Refuses a time that none of the rows could have: nothing would be found, and that looks like an
 * answer. The values of `time_by` decide of what type it is to be; without any, a timestamp or a
 * number will do. Reads no further than to the first row that takes it.
 *
 * @throws TidemarkError `USAGE`
 */
export function refuseNoTime(rows: Iterable<StoredRow>, at: Value): void {
  const types: SequenceType[] = []
  for (const { startTime } of rows) {
    const type = sequenceTypeOf(startTime)
    if (type === null || types.some((known) => sameSequenceType(known, type))) continue
    if (readSequence(at, type) !== null) return
    types.push(type)
  }
  if (types.length === 0 && isTimeByForm(at)) return
  const wanted =
    types.length === 0 ? 'timestamp or number' : types.map(describeSequenceType).join(' or ')
  throw new TidemarkError('USAGE', `--as-of-time wants a ${wanted}`)
}

function isTimeByForm(at: Value): boolean {
  if (typeof at === 'string') return parseTimestamp(at) !== null
  return isNumeric(at) || sequenceTypeOf(at)?.parts[0] === 'timestamp'
}
