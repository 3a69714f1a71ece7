import { compareChanges } from '../core/change.ts'
import { keyParts, type Key } from '../core/key.ts'
import { entriesOf, type KeyHistory } from '../core/key-history.ts'
import type { Version } from '../core/scd2.ts'
import type { Sequence } from '../core/sequence.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Store } from '../ports/store.ts'
import { currentLife } from './current-life.ts'
import type { KeyLife, LifeVersion } from './key-life.ts'
import { lifeEvents } from './life-events.ts'
import { ownColumns, type Writers } from './origin.ts'
import { originsOf } from './snapshot-origins.ts'
import { systemBound, targetInfo, validBound } from './rows.ts'
import { learntAt, type Known } from './system-times.ts'
import { WriterFinder } from './writers.ts'

export type { KeyLife, LifeEvent, LifeVersion } from './key-life.ts'

/**
 * The life of a key, as far as it is kept: SCD type 1 keeps the last event only, and nothing of
 * a key that a truncate ended. Empty for a key of which nothing is known.
 */
export function keyLife(store: Store, facts: TargetFacts, key: Key): KeyLife {
  const life = facts.layout === 'timeline' ? timelineLife : currentLife
  return {
    target: targetInfo(facts),
    key: { names: facts.keys, values: keyParts(key) },
    ...life(store, facts, key),
  }
}

function timelineLife(
  store: Store,
  facts: TargetFacts,
  key: Key,
): Pick<KeyLife, 'events' | 'versions'> {
  const history = store.historyTable(facts.name).history(key)
  const inOrder = [
    ...store.truncates(facts.name).map(({ truncate, commit }) => ({ change: truncate, commit })),
    ...entriesOf(history),
  ].toSorted((a: Known, b: Known) => compareChanges(a.change, b.change))
  const learnt = facts.kind === 'bitemporal' ? learntAt(store, facts) : null
  const originOf = originsOf(store, facts)
  const finder = new WriterFinder(facts, inOrder, learnt, originOf)
  return {
    events: lifeEvents(facts, inOrder, originOf),
    versions: [
      ...shownVersions(facts, history).map((version) =>
        lifeVersion(facts, version, finder.after(version.entry.change, null)),
      ),
      ...history.disbelieved.map((version) => ({
        // Events that came later may have taken over columns that its own last event left alone.
        ...lifeVersion(facts, version, finder.after(version.entry.change, version.since)),
      })),
    ],
  }
}

/** SCD type 1 shows the current row, also where it keeps the whole timeline. */
function shownVersions({ kind }: TargetFacts, { versions }: KeyHistory): readonly Version[] {
  return kind === 1 ? versions.filter(({ endAt }) => endAt === null) : versions
}

function lifeVersion(
  facts: TargetFacts,
  version: Version & { readonly until?: Sequence | null },
  writers: Writers,
): LifeVersion {
  const { until = null } = version
  // A row of SCD type 1 has no bounds, whatever is hidden behind it.
  const startAt = facts.kind === 1 ? null : version.startAt
  return {
    startAt: validBound(facts, startAt),
    endAt: validBound(facts, version.endAt),
    systemStartAt: systemBound(facts, version.since),
    systemEndAt: systemBound(facts, until),
    order: { startAt, endAt: version.endAt, systemStartAt: version.since, systemEndAt: until },
    startTime: version.startTime,
    endTime: version.endTime,
    row: ownColumns(facts, version.entry.row),
    writers,
  }
}
