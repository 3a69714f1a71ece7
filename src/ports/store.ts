import type { Delete, Stream, Truncate, Upsert } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import type { PackedRow } from '../core/packed-registers.ts'
import type { KeptAs, Registers } from '../core/registers.ts'
import type { RefusalCode } from '../core/refusal.ts'
import type { KeyHistory } from '../core/key-history.ts'
import type { Kept, Latest } from '../core/scd1.ts'
import type { Sequence } from '../core/sequence.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Entry } from '../core/timeline.ts'
import type { Row, Tagged } from '../core/value.ts'
import type { Neighbourhood } from '../core/neighbourhood.ts'
import type { Edits } from '../core/edits.ts'
import type { Counts } from '../core/counts.ts'
import type { AppliedSnapshot, SnapshotRecord } from './snapshots.ts'
import type { FingerprintDraft, Fingerprints, FingerprintsHead } from './fingerprints.ts'
import type { UnsettledMove } from './moves.ts'
import type { Checkpoint, StreamName } from './source.ts'
import type { Stage } from './stage.ts'

export type { Counts } from '../core/counts.ts'
export type { KeyHistory } from '../core/key-history.ts'

/** One commit: its number in the store, and its system time as a timestamp and as a sequence. */
export type Commit = { readonly id: number; readonly time: Tagged; readonly now: Sequence }

/** SCD type 1 rows where every event writes every column. */
export interface LatestTable {
  /** The stamp of the latest change of a key that is kept: of its row or its tombstone. */
  latest(key: Key): Latest | null
  /** The commit that brought it; 0 for a key of which nothing is kept. */
  commitOf(key: Key): number
  /** Whether a key has a row and a tombstone, which is never right. */
  isBuriedAlive(key: Key): boolean
  /** @param kept what `latest` said of the key since it was last written */
  put(upsert: Upsert, commit: Commit, kept: Kept | null): void
  /** Replaces the row, if any, by a tombstone. @param kept what `latest` said of the key since it was last written */
  bury(change: Delete, commit: Commit, kept: Kept | null): void
  /** Removes every row and tombstone older than a truncate. */
  truncate(truncate: Truncate): void
}

/** SCD type 1 rows where columns have writers of their own. */
export interface RegistersTable {
  registers(key: Key): Registers | null
  /** The commit that brought the latest change; 0 for a key of which nothing is kept. */
  commitOf(key: Key): number
  /** @param kept what `registers` said of the key since it was last written */
  put(key: Key, registers: Registers, commit: Commit, kept: KeptAs): void
  /** The same of registers that are packed already. */
  putPacked(key: Key, packed: PackedRow, commit: Commit, kept: KeptAs): void
  /** Every key that is kept, in any order; the table may be written while it is walked. */
  keys(): Iterable<Key>
}

/** SCD type 2 and bitemporal rows with what a late change needs. */
export interface HistoryTable {
  /** What is stored near a change at `first`; valid until the next write to the key. */
  near(key: Key, first: Sequence): Neighbourhood
  /** Stores what weave (core/weave.ts) found; bitemporal tables archive what is disbelieved as of the commit. */
  apply(key: Key, edits: Edits, commit: Commit): void
  /** Whether a key exists after all that is known. */
  exists(key: Key): boolean
  /** Keys that exist just before a sequence; the table may be written while they are walked. */
  keysAliveBefore(sequence: Sequence): Iterable<Key>
  history(key: Key): KeyHistory
  /** Puts another history in the place of all that is kept of a key. */
  replace(key: Key, history: KeyHistory): void
  /** The last in order of all entries of a key. */
  newest(key: Key): Entry | null
  /** Every key of which anything is kept. */
  keys(): Iterable<Key>
}

/** A truncate as it is kept. */
export type StoredTruncate = { readonly truncate: Truncate; readonly commit: number }

/** Which rows of a target a reader asks for; null: all along that axis. */
export type AsOf = {
  /** Valid time: rows with `__START_AT <= at < __END_AT`. */
  readonly valid: Sequence | null
  /** System time, of bitemporal targets. */
  readonly system: Sequence | null
}

/** One row as a reader gets it. Sequences are natural values only after decoding by the target's type. */
export type StoredRow = {
  readonly row: Row
  readonly startAt: Sequence | null
  readonly endAt: Sequence | null
  readonly startTime: Row[number]
  readonly endTime: Row[number]
  readonly systemStartAt: Sequence | null
  readonly systemEndAt: Sequence | null
}

/** What is remembered of a flow. `spec` is its configuration when it last ran, as canonical JSON. */
export type FlowRecord = {
  readonly name: string
  readonly target: string
  readonly spec: string
  readonly counts: Counts
  /** Violations per expectation. */
  readonly violations: Readonly<Record<string, number>>
  /** A `once` flow that has run to its end. */
  readonly done: boolean
  readonly lastRunAt: string | null
  readonly lastSystemTime: string | null
  /** How the last run ended: null while it runs or when it was killed, '' for well, else the code of its fault. */
  readonly lastFault: string | null
  /** Of its streams of messages. */
  readonly tails: readonly StreamTail[]
  /** Of a flow whose pattern completes the names of targets: the topics that it found. */
  readonly topics?: readonly FoundTopic[]
}

/** A topic, and whether it came after the first look at its pattern, and so begins at its oldest record. */
export type FoundTopic = { readonly topic: string; readonly isNew: boolean }

/** How far a stream of messages was read, and which key its last record deleted, null if it did not. */
export type StreamTail = StreamName & { readonly read: number; readonly deleted: Key | null }

/** A record set aside. */
export type Quarantined = {
  readonly id: number
  readonly flow: string
  readonly stream: string
  readonly partition: number
  readonly number: number
  readonly code: RefusalCode | 'EXPECTATION'
  readonly reason: string
  readonly bytes: Uint8Array
  readonly at: string
}

/** A fault in the form of a target's tables; `key` is null where it is no single row's. */
export type TableFault = { readonly key: Key | null; readonly message: string }

/**
 * Keeps targets, what is hidden behind them, and the bookkeeping of flows.
 *
 * The implementer must keep: all writes between the start and the end of `transact` appear
 * together or not at all, whatever happens to the process; a second writer is refused with
 * `STORE_BUSY`; readers see the last commit while a writer works. Values come out equal by
 * type and content. The caller must keep: writes only inside `transact`, no await inside.
 * spec/stores/store-contract.ts checks this of every store.
 *
 * @throws TidemarkError `STORE_BUSY`, `STORE_FULL`, `STORE_UNKNOWN`
 */
export interface Store extends Disposable {
  transact<T>(work: () => T): T
  /** Opens the next commit: its time is the later of the clock and the last one plus a microsecond. */
  commit(flow: string, clockMicros: bigint): Commit
  /** Notes that the commit changed a target; gives the version number of the target. */
  changed(target: string, commit: Commit): number
  /** System time of an earlier commit. */
  timeOf(commit: number): Sequence

  targets(): readonly TargetFacts[]
  target(name: string): TargetFacts | null
  /** How many rows hold now: the current ones, believed ones of a bitemporal target. */
  currentRows(target: string): number
  /** How many commits changed the target. */
  version(target: string): number
  /** Creates the target, or widens it to more columns, types, facts. @throws `TARGET_OCCUPIED` */
  define(facts: TargetFacts): void
  latestTable(target: string): LatestTable
  registersTable(target: string): RegistersTable
  historyTable(target: string): HistoryTable
  truncates(target: string): readonly StoredTruncate[]
  addTruncate(target: string, truncate: Truncate, commit: Commit): void
  /** Snapshots that were applied, in order. */
  snapshots(target: string): readonly AppliedSnapshot[]
  addSnapshot(target: string, applied: AppliedSnapshot): void
  /** Adds to the record of snapshots, refused ones included. */
  noteSnapshot(record: SnapshotRecord): void
  /** The record of a flow's snapshots, the oldest first; null: of all flows. */
  snapshotRecords(flow: string | null): readonly SnapshotRecord[]
  /** A place for the rows of a snapshot. */
  stage(): Stage
  /** The fingerprints that were saved of a target; null once anything has changed it since. */
  fingerprints(target: string): Fingerprints | null
  /** A place for the fingerprints of a snapshot. */
  fingerprintDraft(): FingerprintDraft
  /** Keeps fingerprints of records whose rows are, all together, what the target now holds. */
  saveFingerprints(target: string, head: FingerprintsHead, draft: FingerprintDraft): void
  /** Every stream of the flows whose commits changed a target. */
  writers(target: string): readonly Stream[]
  /** A change of keys that is not settled, by the new key and the sequence of the change. */
  move(target: string, to: Key, sequence: Sequence): UnsettledMove | null
  /** All of those into a key, in order of their sequences. */
  movesTo(target: string, to: Key): readonly UnsettledMove[]
  /** Keeps a change of keys until it is settled; null forgets it. */
  saveMove(target: string, to: Key, sequence: Sequence, move: UnsettledMove | null): void
  /** Rows in key order, then by start. */
  rows(target: string, asOf: AsOf, key: Key | null): Iterable<StoredRow>

  /** The one object for a stream. */
  stream(flow: string, name: string, partition: number): Stream
  checkpoints(flow: string): readonly Checkpoint[]
  saveCheckpoints(flow: string, checkpoints: readonly Checkpoint[]): void
  flow(name: string): FlowRecord | null
  saveFlow(record: FlowRecord): void
  setAside(records: readonly Omit<Quarantined, 'id'>[]): void
  quarantine(flow: string | null): Iterable<Quarantined>
  /** What the store itself finds wrong with its file, a line each. */
  integrity(): readonly string[]
  /**
   * What is wrong with the form of a target's tables: tables, columns or a view that are missing,
   * cells that are not as the store spells their values. Where a table is missing, nothing else.
   */
  tableFaults(target: string): Iterable<TableFault>
}
