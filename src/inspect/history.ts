import type { BitemporalVersion } from '../core/bitemporal.ts'
import { keyParts, type Key } from '../core/key.ts'
import { entriesOf, type KeyHistory } from '../core/key-history.ts'
import type { Version } from '../core/scd2.ts'
import type { Sequence } from '../core/sequence.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Store } from '../ports/store.ts'
import { currentLife } from './current-life.ts'
import type { KeyLife, LifeVersion } from './key-life.ts'
import { ownColumns } from './origin.ts'
import { systemBound, targetInfo, validBound } from './rows.ts'
import { learntAt, type Known } from './system-times.ts'
import { toldBy, type Teller } from './teller.ts'

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
  const truncates = store.truncates(facts.name)
  const known: Known[] = [
    ...truncates.map(({ truncate, commit }) => ({ change: truncate, commit })),
    ...entriesOf(history),
  ]
  const teller = toldBy(facts, known)
  const past = new PastBeliefs(facts, history.disbelieved, known, learntAt(store, facts))
  return {
    events: teller.events,
    versions: [
      ...shownVersions(facts, history).map((version) => lifeVersion(facts, version, teller)),
      ...history.disbelieved.map((version) => past.tell(version)),
    ],
  }
}

/** SCD type 1 shows the current row, also where it keeps the whole timeline. */
function shownVersions({ kind }: TargetFacts, { versions }: KeyHistory): readonly Version[] {
  return kind === 1 ? versions.filter(({ endAt }) => endAt === null) : versions
}

/**
 * What a bitemporal target no longer believes. Who wrote a row is told by what was known then:
 * events that came later may have taken over columns that its own last event left alone.
 */
class PastBeliefs {
  private readonly facts: TargetFacts
  private readonly disbelieved: readonly BitemporalVersion[]
  private readonly known: readonly Known[]
  private readonly learnt: (known: Known) => Sequence
  private readonly tellers = new Map<Sequence, Teller>()

  constructor(
    facts: TargetFacts,
    disbelieved: readonly BitemporalVersion[],
    known: readonly Known[],
    learnt: (known: Known) => Sequence,
  ) {
    this.facts = facts
    this.disbelieved = disbelieved
    this.known = known
    this.learnt = learnt
  }

  tell(version: BitemporalVersion): LifeVersion {
    const told = lifeVersion(this.facts, version, this.tellerAt(version.since))
    return { ...told, systemEndAt: systemBound(this.facts, version.until) }
  }

  private tellerAt(time: Sequence): Teller {
    const ready = this.tellers.get(time)
    if (ready !== undefined) return ready
    // A late change can make a snapshot's own event needless: then only the row still has it.
    const shown = this.disbelieved
      .filter(({ since, until }) => since <= time && (until === null || time < until))
      .map(({ entry }) => entry)
    const known = this.known.filter((each) => this.learnt(each) <= time)
    const teller = toldBy(this.facts, [...shown, ...known])
    this.tellers.set(time, teller)
    return teller
  }
}

function lifeVersion(facts: TargetFacts, version: Version, teller: Teller): LifeVersion {
  const { change, row } = version.entry
  // A row of SCD type 1 has no bounds, whatever is hidden behind it.
  const startAt = facts.kind === 1 ? null : version.startAt
  return {
    startAt: validBound(facts, startAt),
    endAt: validBound(facts, version.endAt),
    systemStartAt: systemBound(facts, version.since),
    systemEndAt: null,
    startTime: version.startTime,
    endTime: version.endTime,
    row: ownColumns(facts, row),
    writers: teller.writersAfter(change),
  }
}
