import { compareStamps, type Truncate } from '../../core/change.ts'
import type { KeyHistory } from '../../core/key-history.ts'
import type { Neighbourhood, Placed } from '../../core/neighbourhood.ts'
import type { Sequence } from '../../core/sequence.ts'
import { isLive } from '../../core/timeline.ts'

/** What stands near a change in a history that is all in memory. Linear in the length of the history. */
export function nearIn(
  { versions, hidden }: KeyHistory,
  first: Sequence,
  truncates: readonly Truncate[],
): Neighbourhood {
  const placed: Placed[] = [
    ...versions.map((version) => ({ entry: version.entry, version })),
    ...hidden.map((entry) => ({ entry, version: null })),
  ].toSorted((a, b) => compareStamps(a.entry.change, b.entry.change))

  const before = placed.findLast(({ entry }) => entry.change.sequence < first)?.entry ?? null
  const floor = versions.findLast(({ startAt }) => startAt < first) ?? null
  const after = placed.filter(({ entry }) => entry.change.sequence >= first)
  return {
    before,
    version: before !== null && isLive(before) ? floor : null,
    atEnd: after.length === 0,
    after,
    truncates,
    versionAt: (at) =>
      versions.find(({ startAt, endAt }) => startAt <= at && (endAt === null || at < endAt)) ??
      null,
  }
}
