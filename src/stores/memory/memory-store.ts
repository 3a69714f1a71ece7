import { compareChanges, type Stream, type Truncate } from '../../core/change.ts'
import { compareCodePoints } from '../../core/code-points.ts'
import { BugError, TidemarkError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import { encodeSequence, type Sequence } from '../../core/sequence.ts'
import { asciiLowerCase } from '../../core/sql-tokens.ts'
import { ENGINE_TIME, type TargetFacts } from '../../core/target.ts'
import { microsOf, timestampFromMicros } from '../../core/temporal.ts'
import type { Tagged } from '../../core/value.ts'
import { compareSnapshots } from '../../core/snapshot.ts'
import type { FingerprintDraft, Fingerprints, FingerprintsHead } from '../../ports/fingerprints.ts'
import type { UnsettledMove } from '../../ports/moves.ts'
import type { AppliedSnapshot, SnapshotRecord } from '../../ports/snapshots.ts'
import type { Checkpoint } from '../../ports/source.ts'
import type { Stage } from '../../ports/stage.ts'
import type {
  AsOf,
  Commit,
  FlowRecord,
  HistoryTable,
  LatestTable,
  Quarantined,
  RegistersTable,
  Store,
  StoredRow,
  StoredTruncate,
  TableFault,
} from '../../ports/store.ts'
import { blank, MemoryLatestTable, MemoryRegistersTable } from './current-tables.ts'
import { fingerprintsOf, MemoryFingerprintDraft, type SavedFingerprints } from './fingerprints.ts'
import { MemoryHistoryTable } from './history-table.ts'
import { Journal, JournaledMap } from './journal.ts'
import { MemoryStage } from './stage.ts'
import { countCurrent, emptyTarget, rowsOf, truncatesOf, type MemoryTarget } from './target.ts'

/**
 * A store that lives as long as its process: plain maps, for tests and for trying a flow out.
 *
 * Simple rather than fast: a change costs as much as the history of its key is long.
 */
export class MemoryStore implements Store {
  private readonly journal = new Journal()
  private readonly targetMap = this.map<string, MemoryTarget>()
  private readonly commits = this.map<number, Tagged>()
  private readonly streams = this.map<string, Stream>()
  private readonly checkpointMap = this.map<string, readonly Checkpoint[]>()
  private readonly flows = this.map<string, FlowRecord>()
  private readonly applied = this.map<string, readonly AppliedSnapshot[]>()
  private readonly looked = this.map<number, SnapshotRecord>()
  private readonly printed = this.map<string, SavedFingerprints>()
  private readonly commitFlows = this.map<number, string>()
  private readonly writerMap = this.map<string, readonly string[]>()
  private readonly moves = this.map<string, readonly Into[]>()
  private readonly setAsideMap = this.map<number, Quarantined>()

  transact<T>(work: () => T): T {
    return this.journal.transact(work)
  }

  commit(flow: string, clockMicros: bigint): Commit {
    const last = this.commits.get(this.commits.size)
    const floor = last === undefined ? 0n : microsOf(last) + 1n
    const time = timestampFromMicros(clockMicros > floor ? clockMicros : floor)
    const id = this.commits.size + 1
    this.commits.set(id, time)
    this.commitFlows.set(id, flow)
    return { id, time, now: nowOf(time) }
  }

  changed(target: string, commit: Commit): number {
    const stored = this.stored(target)
    const flow = this.commitFlows.get(commit.id) ?? ''
    this.writerMap.set(target, [...new Set([...(this.writerMap.get(target) ?? []), flow])])
    const version = stored.version + 1
    this.targetMap.set(target, { ...stored, version })
    return version
  }

  timeOf(commit: number): Sequence {
    const time = this.commits.get(commit)
    if (time === undefined) throw new BugError(`there is no commit ${commit}`)
    return nowOf(time)
  }

  targets(): readonly TargetFacts[] {
    return this.targetMap.values().map(({ facts }) => facts)
  }

  target(name: string): TargetFacts | null {
    return this.targetMap.get(name)?.facts ?? null
  }

  currentRows(target: string): number {
    return countCurrent(this.stored(target))
  }

  version(target: string): number {
    return this.stored(target).version
  }

  define(facts: TargetFacts): void {
    const known = this.targetMap.get(facts.name)
    if (known === undefined) {
      this.refuseOccupied(facts.name)
      this.targetMap.set(facts.name, emptyTarget(facts, this.journal))
      return
    }
    const gone = facts.excluded.filter((name) => !known.facts.excluded.includes(name))
    if (gone.length > 0) {
      blank(
        known.kept,
        gone.map((name) => facts.columns.indexOf(name)),
      )
    }
    this.targetMap.set(facts.name, { ...known, facts })
  }

  latestTable(target: string): LatestTable {
    return new MemoryLatestTable(this.stored(target).kept)
  }

  registersTable(target: string): RegistersTable {
    return new MemoryRegistersTable(this.stored(target).kept)
  }

  historyTable(target: string): HistoryTable {
    const { histories, facts } = this.stored(target)
    const truncates = () => truncatesOf(this.stored(target))
    return new MemoryHistoryTable(histories, truncates, facts.kind === 'bitemporal')
  }

  truncates(target: string): readonly StoredTruncate[] {
    return this.stored(target).truncates
  }

  addTruncate(target: string, truncate: Truncate, commit: Commit): void {
    const stored = this.stored(target)
    const truncates = [...stored.truncates, { truncate, commit: commit.id }].toSorted((a, b) =>
      compareChanges(a.truncate, b.truncate),
    )
    this.targetMap.set(target, { ...stored, truncates })
  }

  snapshots(target: string): readonly AppliedSnapshot[] {
    return this.applied.get(target) ?? []
  }

  addSnapshot(target: string, applied: AppliedSnapshot): void {
    const all = [...this.snapshots(target), applied]
    this.applied.set(
      target,
      all.toSorted((a, b) => compareSnapshots(a.snapshot, b.snapshot)),
    )
  }

  noteSnapshot(record: SnapshotRecord): void {
    this.looked.set(this.looked.size, record)
  }

  snapshotRecords(flow: string | null): readonly SnapshotRecord[] {
    return this.looked.values().filter((record) => flow === null || record.flow === flow)
  }

  stage(): Stage {
    return new MemoryStage()
  }

  fingerprints(target: string): Fingerprints | null {
    const saved = this.printed.get(target)
    return saved?.version === this.version(target) ? saved.fingerprints : null
  }

  fingerprintDraft(): FingerprintDraft {
    return new MemoryFingerprintDraft()
  }

  saveFingerprints(target: string, head: FingerprintsHead, draft: FingerprintDraft): void {
    const fingerprints = fingerprintsOf(head, draft)
    this.printed.set(target, { version: this.version(target), fingerprints })
  }

  writers(target: string): readonly Stream[] {
    const flows = this.writerMap.get(target) ?? []
    return this.streams.values().filter(({ flow }) => flows.includes(flow))
  }

  move(target: string, to: Key, sequence: Sequence): UnsettledMove | null {
    return this.into(target, to).find((each) => each.sequence === sequence)?.move ?? null
  }

  movesTo(target: string, to: Key): readonly UnsettledMove[] {
    return this.into(target, to).map(({ move }) => move)
  }

  saveMove(target: string, to: Key, sequence: Sequence, move: UnsettledMove | null): void {
    const others = this.into(target, to).filter((each) => each.sequence !== sequence)
    const all = move === null ? others : [...others, { sequence, move }]
    const inOrder = all.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1))
    this.moves.set(JSON.stringify([target, to]), inOrder)
  }

  rows(target: string, asOf: AsOf, key: Key | null): Iterable<StoredRow> {
    return rowsOf(this.stored(target), asOf, key)
  }

  stream(flow: string, name: string, partition: number): Stream {
    const id = JSON.stringify([flow, name, partition])
    const known = this.streams.get(id)
    if (known !== undefined) return known
    const stream = { id: this.streams.size + 1, flow, name, partition }
    this.streams.set(id, stream)
    return stream
  }

  checkpoints(flow: string): readonly Checkpoint[] {
    return this.checkpointMap.get(flow) ?? []
  }

  saveCheckpoints(flow: string, checkpoints: readonly Checkpoint[]): void {
    const others = this.checkpoints(flow).filter(
      (known) => !checkpoints.some((moved) => compareNames(known, moved) === 0),
    )
    this.checkpointMap.set(flow, [...others, ...checkpoints].toSorted(compareNames))
  }

  flow(name: string): FlowRecord | null {
    return this.flows.get(name) ?? null
  }

  saveFlow(record: FlowRecord): void {
    this.flows.set(record.name, record)
  }

  setAside(records: readonly Omit<Quarantined, 'id'>[]): void {
    for (const record of records) {
      const id = this.setAsideMap.size + 1
      this.setAsideMap.set(id, { ...record, id })
    }
  }

  quarantine(flow: string | null): Iterable<Quarantined> {
    return this.setAsideMap.values().filter((record) => flow === null || record.flow === flow)
  }

  integrity(): readonly string[] {
    return []
  }

  /** Memory spells nothing: values are kept as they are. */
  tableFaults(_target: string): readonly TableFault[] {
    return []
  }

  [Symbol.dispose](): void {
    // Nothing outlives the process, and nothing has to be closed.
  }

  private into(target: string, to: Key): readonly Into[] {
    return this.moves.get(JSON.stringify([target, to])) ?? []
  }

  private map<K, V>(): JournaledMap<K, V> {
    return new JournaledMap(this.journal)
  }

  private stored(target: string): MemoryTarget {
    const stored = this.targetMap.get(target)
    if (stored !== undefined) return stored
    throw new TidemarkError('NOT_FOUND', `the store has no target "${target}"`, { target })
  }

  /** The names that a store in a file could not take either. */
  private refuseOccupied(name: string): void {
    const folded = asciiLowerCase(name)
    const reserved = folded.startsWith('__tidemark_') || folded.startsWith('sqlite_')
    const taken = this.targets().some((other) => asciiLowerCase(other.name) === folded)
    if (!reserved && !taken) return
    const reason = reserved ? 'is reserved' : 'is the name of another one'
    throw new TidemarkError(
      'TARGET_OCCUPIED',
      `the target "${name}" cannot be made: the name ${reason}; choose another`,
      { target: name },
    )
  }
}

function nowOf(time: Tagged): Sequence {
  const now = encodeSequence(time, ENGINE_TIME)
  if (now === null) throw new BugError(`no time: ${time.text}`)
  return now
}

function compareNames(a: Checkpoint, b: Checkpoint): number {
  return compareCodePoints(a.name, b.name) || a.partition - b.partition
}

/** A change of keys that is not settled, of those into one key. */
type Into = { readonly sequence: Sequence; readonly move: UnsettledMove }
