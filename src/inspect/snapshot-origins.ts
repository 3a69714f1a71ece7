import type { Stamp } from '../core/change.ts'
import { jsonText } from '../core/display.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Store } from '../ports/store.ts'
import { originText } from './origin.ts'
import { validBound } from './rows.ts'

/**
 * Names where the events of a target stand: records by their place, rows of a snapshot by its name,
 * a file or query, since what it says of a key is said by no one record.
 */
export function originsOf(store: Store, facts: TargetFacts): (stamp: Stamp) => string {
  const applied = store.snapshots(facts.name).map(({ snapshot }) => snapshot)
  const names = new Map<string, string>()
  return (stamp) => {
    const { sequence, stream } = stamp
    const isOfSnapshot = applied.some(
      ({ version, stream: own }) => version === sequence && own.id === stream.id,
    )
    if (!isOfSnapshot) return originText(stamp)
    const version = jsonText(validBound(facts, sequence))
    const place = `${stream.flow} ${version}`
    const known = names.get(place) ?? nameOf(store, facts, stream.flow, version)
    names.set(place, known)
    return known
  }
}

/** What the snapshot of a version was called; several of one version, by their scopes, go by that. */
function nameOf(
  store: Store,
  { name: target }: TargetFacts,
  flow: string,
  version: string,
): string {
  const told = store
    .snapshotRecords(flow)
    .filter((record) => record.outcome === 'applied' && record.target === target)
    .filter((record) => record.version === version)
  const [name, ...others] = new Set(told.map((record) => record.name))
  return name === undefined || others.length > 0 ? `snapshot ${version}` : name
}
