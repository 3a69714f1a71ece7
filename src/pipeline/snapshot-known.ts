import type { FlowSpec } from './flow-spec-type.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Fingerprints } from '../ports/fingerprints.ts'
import type { Store } from '../ports/store.ts'
import { writesEverything } from './row-builder.ts'
import type { SnapshotSieve } from './snapshot-sieve.ts'
import { isVirtual, VERSION_COLUMN } from './virtual-columns.ts'

/** Grows whenever the same bytes come to mean another row. */
const EDITION = 1

/**
 * Whether the rows of a snapshot may be known by the bytes of their records: they follow from them
 * alone, what the snapshot says of a key depends on no other, and it is the newest of the one
 * flow that ever wrote the target, so that the target holds exactly the rows of the last one.
 */
export function mayBeKnown(flow: FlowSpec, snapshot: Snapshot, store: Store): boolean {
  const { target } = flow
  if (!isToldByBytes(flow) || !isWhole(snapshot)) return false
  if (store.target(target) === null) return true
  return (
    store.writers(target).every((stream) => stream === snapshot.stream) &&
    store.truncates(target).length === 0 &&
    store
      .snapshots(target)
      .every(({ snapshot: other }) => other.after === 1 && other.version < snapshot.version)
  )
}

/** What the target is known to hold. */
export function knownOf({ name }: TargetFacts, store: Store): Fingerprints | null {
  return store.target(name) === null ? null : store.fingerprints(name)
}

/** All that decides which row a record is, beside its bytes; no secret is among it. */
export function contextOf(flow: FlowSpec, facts: TargetFacts, readWith: string): string {
  const { keys, columns, column_list, except_column_list, source } = flow
  const { max_record_bytes, max_columns } = source
  const limits = [max_record_bytes, max_columns]
  const lists = [keys, columns, column_list, except_column_list, facts.excluded]
  return JSON.stringify([EDITION, readWith, limits, lists])
}

/**
 * Keeps the fingerprints of a snapshot that was applied, for the next one. If it has the records of the
 * one before, those of that one will do.
 */
export function keepKnown(
  sieve: SnapshotSieve,
  { store, target, digest }: { store: Store; target: string; digest: string },
): void {
  const head = sieve.headOf(digest)
  const { draft, recognised } = sieve
  if (head === null) return
  const isSame = recognised?.count === draft.count && recognised.known.count === draft.count
  if (!isSame) store.saveFingerprints(target, head, draft)
}

function isToldByBytes(flow: FlowSpec): boolean {
  const { select, where, apply_as_deletes, apply_as_truncates, expectations } = flow
  const { keys, time_by, sequence_by, system_sequence_by } = flow
  return (
    select === null &&
    where === null &&
    apply_as_deletes === null &&
    typeof apply_as_truncates !== 'string' &&
    expectations.length === 0 &&
    time_by === null &&
    system_sequence_by === null &&
    sequence_by.parts.every(({ column }) => column === VERSION_COLUMN) &&
    keys.length > 0 &&
    !keys.some(isVirtual) &&
    writesEverything(flow)
  )
}

function isWhole({ scope, reach, deletes, after, explicit }: Snapshot): boolean {
  return scope === null && reach === 'target' && deletes && after === 1 && !explicit
}
