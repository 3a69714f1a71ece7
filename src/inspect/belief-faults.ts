import type { BitemporalVersion } from '../core/bitemporal.ts'
import type { KeyHistory } from '../core/key-history.ts'
import { sameVersion, versions, type Version } from '../core/scd2.ts'
import type { Sequence } from '../core/sequence.ts'
import type { TargetFacts } from '../core/target.ts'
import { timelineOf } from '../core/timeline.ts'
import type { Store } from '../ports/store.ts'
import type { KeyFault } from './key-fault.ts'
import { overlaps } from './overlaps.ts'
import { learntAt, type Known } from './system-times.ts'

/** At so many system times a key's beliefs are told again; each costs as much as its history is long. */
const MOST_TIMES = 64

/**
 * What is wrong with the beliefs of a bitemporal key: rectangles that overlap (law 4), and times
 * as of which the table is not what had been learnt by then (law 5). With more than 64 system
 * times, law 5 is checked as of so many of them, evenly spread.
 */
export function beliefFaults(
  store: Store,
  facts: TargetFacts,
  history: KeyHistory,
  known: readonly Known[],
): KeyFault[] {
  const believed = history.versions.flatMap(({ since, ...version }): BitemporalVersion[] =>
    since === null ? [] : [{ ...version, since, until: null }],
  )
  if (believed.length < history.versions.length) return [fault('5', 'a row has no system time')]
  const all = [...believed, ...history.disbelieved]
  if (all.some(({ until, since }) => until !== null && until <= since)) {
    return [fault('4', 'a row was believed for no time')]
  }
  if (overlaps(all)) return [fault('4', 'two rows overlap on both axes')]
  // Late changes take back what snapshots said: what was learnt by then is not kept.
  if (store.snapshots(facts.name).length > 0) return []
  return learningFaults(store, facts, all, known)
}

/** Law 5. */
function learningFaults(
  store: Store,
  facts: TargetFacts,
  all: readonly BitemporalVersion[],
  known: readonly Known[],
): KeyFault[] {
  const learnt = learntAt(store, facts)
  const timeOf = new Map(known.map((each) => [each.change, learnt(each)]))
  const timeline = timelineOf([...timeOf.keys()], 'ordered')
  const times = [...new Set(timeOf.values())].toSorted()
  const isTime = new Set(times)
  const changesThen = ({ since, until }: BitemporalVersion) =>
    isTime.has(since) && (until === null || isTime.has(until))
  if (!all.every(changesThen)) return [fault('5', 'beliefs change where nothing was learnt')]

  const isWrongAt = (time: Sequence) => {
    const by = timeline.filter((change) => (timeOf.get(change) ?? time) <= time)
    const told = versions(by, facts.tracking, () => 0)
    return !sameRows(told, heldAt(all, time))
  }
  if (!spread(times, MOST_TIMES).some(isWrongAt)) return []
  return [fault('5', 'what was believed once is not what had been learnt by then')]
}

function heldAt(all: readonly BitemporalVersion[], time: Sequence): BitemporalVersion[] {
  return all
    .filter(({ since, until }) => since <= time && (until === null || time < until))
    .toSorted((a, b) => (a.startAt < b.startAt ? -1 : 1))
}

function sameRows(a: readonly Version[], b: readonly Version[]): boolean {
  return a.length === b.length && a.every((version, i) => isSame(version, b[i]))
}

function isSame(a: Version, b: Version | undefined): boolean {
  return b !== undefined && sameVersion(a, b)
}

/** So many of some values at most, the first and the last among them. */
function spread<T>(values: readonly T[], most: number): readonly T[] {
  if (values.length <= most) return values
  const stride = (values.length - 1) / (most - 1)
  const places = new Set(Array.from({ length: most }, (_, i) => Math.round(i * stride)))
  return values.filter((_, place) => places.has(place))
}

function fault(law: string, message: string): KeyFault {
  return { law, message }
}
