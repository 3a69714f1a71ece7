import type { BitemporalVersion } from '../core/bitemporal.ts'
import type { Sequence } from '../core/sequence.ts'

/**
 * Whether two of a key's rectangles overlap on both axes; none of them may have zero width.
 *
 * Sweeps along system time over the rows that are believed, which are disjoint in valid time
 * until the first overlap is found: n log n comparisons.
 */
export function overlaps(all: readonly BitemporalVersion[]): boolean {
  const steps = all.flatMap((version): Step[] => {
    const begin = { at: version.since, begins: true, version }
    return version.until === null ? [begin] : [begin, { at: version.until, begins: false, version }]
  })
  const held: BitemporalVersion[] = []
  for (const { begins, version } of steps.toSorted(compareSteps)) {
    const place = placeIn(held, version.startAt)
    if (!begins) {
      held.splice(place, 1)
      continue
    }
    if (reaches(held[place - 1], version) || reaches(version, held[place])) return true
    held.splice(place, 0, version)
  }
  return false
}

/** A row begins to be believed, or ends. */
type Step = { readonly at: Sequence; readonly begins: boolean; readonly version: BitemporalVersion }

/** At one time what ends goes first. */
function compareSteps(a: Step, b: Step): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  return Number(a.begins) - Number(b.begins)
}

/** Whether a row goes on beyond the start of the next. */
function reaches(a: BitemporalVersion | undefined, b: BitemporalVersion | undefined): boolean {
  return a !== undefined && b !== undefined && (a.endAt === null || a.endAt > b.startAt)
}

/** Where among rows in order of their start one with this start belongs. */
function placeIn(held: readonly BitemporalVersion[], startAt: Sequence): number {
  let from = 0
  let to = held.length
  while (from < to) {
    const middle = (from + to) >> 1
    const there = held[middle]
    if (there !== undefined && there.startAt < startAt) from = middle + 1
    else to = middle
  }
  return from
}
