import { TidemarkError } from '../../core/errors.ts'
import type { StreamName } from '../../ports/source.ts'
import type { RememberedRecord } from './remembered.ts'

/** What to do about a loss; the same for all of them. */
const REMEDY =
  'build the target anew, or give the flow another name to go on from its start position'

/** How messages call a partition. */
export function nameOf({ name, partition }: StreamName): string {
  return `${name}:${partition}`
}

/**
 * Where reading goes on has to lie within the log.
 *
 * @param end behind the last record, whether its transaction is finished or not
 * @throws TidemarkError `DATA_LOST`, `TOPIC_RECREATED_OR_TRUNCATED`
 */
export function checkBounds(
  stream: StreamName,
  next: number,
  { low, end }: { readonly low: number; readonly end: number },
): void {
  const where = { topic: stream.name, partition: stream.partition, checkpoint: next, low, end }
  if (end < next) {
    throw new TidemarkError(
      'TOPIC_RECREATED_OR_TRUNCATED',
      `${nameOf(stream)} ends at ${end}, checkpoint ${next}: it was made anew, or cut short; ${REMEDY}`,
      where,
    )
  }
  if (low > next) {
    throw new TidemarkError(
      'DATA_LOST',
      `${nameOf(stream)} offsets ${next}..${low - 1} are gone and were not applied; ${REMEDY}`,
      where,
    )
  }
}

/**
 * A topic that is deleted and made anew has another id.
 *
 * @param before null where it is not known
 * @throws TidemarkError `TOPIC_RECREATED`
 */
export function checkTopicId(
  { name, partition }: StreamName,
  before: string | null,
  now: string | null,
): void {
  if (before === null || now === null || before === now) return
  throw new TidemarkError(
    'TOPIC_RECREATED',
    `${name} was made anew: its id is no longer the one read before; ${REMEDY}`,
    { topic: name, partition, before, now },
  )
}

/**
 * The record that was applied last has to be there still, or to have been compacted away.
 *
 * @param found what is at its offset now, null if nothing
 * @throws TidemarkError `TOPIC_RECREATED`
 */
export function checkRemembered(
  stream: StreamName,
  before: RememberedRecord,
  found: RememberedRecord | null,
): void {
  if (found === null) return
  const isSame =
    found.sha256 === before.sha256 &&
    (before.timestamp === null || before.timestamp === found.timestamp)
  if (isSame) return
  throw new TidemarkError(
    'TOPIC_RECREATED',
    `${nameOf(stream)} record ${before.offset} is not the one applied before: the topic was made anew; ${REMEDY}`,
    { topic: stream.name, partition: stream.partition, before, found },
  )
}

/** The error for partitions that a checkpoint knows and the topic no longer has. */
export function partitionGone(stream: StreamName, partitions: number): TidemarkError {
  return new TidemarkError(
    'TOPIC_RECREATED_OR_TRUNCATED',
    `${nameOf(stream)} is gone, the topic has ${partitions} partitions now: it was made anew; ${REMEDY}`,
    { topic: stream.name, partition: stream.partition, partitions },
  )
}
