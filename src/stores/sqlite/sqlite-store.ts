import type { Stream, Truncate } from '../../core/change.ts'
import { TidemarkError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { Sequence } from '../../core/sequence.ts'
import type { TargetFacts } from '../../core/target.ts'
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
import { Catalog } from './catalog.ts'
import { Commits } from './commits.ts'
import { Connection } from './connection.ts'
import { SqliteFingerprintDraft } from './fingerprint-draft.ts'
import { fingerprintsOf, saveFingerprints } from './fingerprints.ts'
import { SqliteHistoryTable } from './history-table.ts'
import { UnsettledMoves } from './unsettled-moves.ts'
import { keyCell } from './key-cell.ts'
import { SqliteLatestTable } from './latest-table.ts'
import { Ledger } from './ledger.ts'
import { countCurrent, readRows } from './reader.ts'
import { SqliteRegistersTable } from './registers-table.ts'
import { bringSchema } from './schema.ts'
import { Snapshots } from './snapshots.ts'
import { SqliteStage } from './stage.ts'
import { Streams } from './streams.ts'
import type { StoredTarget } from './target.ts'
import { tableFaults } from './table-faults.ts'
import { Truncates } from './truncates.ts'

/**
 * The embedded store: one SQLite file in WAL mode, written by one process at a time. Opened to
 * `read`, it shows the commit that was the last one then, whatever is committed later.
 */
export class SqliteStore implements Store {
  private readonly connection: Connection
  private readonly streams: Streams
  private readonly catalog: Catalog
  private readonly commits: Commits
  private readonly ledger: Ledger
  private readonly cut: Truncates
  private readonly extracts: Snapshots
  private readonly unsettled: UnsettledMoves
  private readonly tables = new Map<StoredTarget, Tables>()

  /** @throws TidemarkError `STORE_BUSY`, `STORE_UNKNOWN`, `NOT_FOUND` */
  constructor(path: string, mode: 'write' | 'read' = 'write') {
    this.connection = new Connection(path, mode)
    try {
      // A reader asks many questions; a run that goes on meanwhile must not change the answers.
      if (mode === 'read') this.connection.run('BEGIN')
      bringSchema(this.connection, mode)
      this.streams = new Streams(this.connection)
      this.catalog = new Catalog(this.connection, (id) => this.streams.of(id))
      this.commits = new Commits(this.connection)
      this.ledger = new Ledger(this.connection)
      this.cut = new Truncates(this.connection, (id) => this.streams.of(id))
      this.extracts = new Snapshots(this.connection, (id) => this.streams.of(id))
      this.unsettled = new UnsettledMoves(this.connection, (id) => this.streams.of(id))
    } catch (error) {
      this.connection[Symbol.dispose]()
      throw error
    }
  }

  transact<T>(work: () => T): T {
    try {
      return this.connection.transact(() => {
        const result = work()
        this.catalog.settle()
        return result
      })
    } catch (error) {
      this.forget()
      throw error
    }
  }

  commit(flow: string, clockMicros: bigint): Commit {
    return this.commits.open(flow, clockMicros)
  }

  changed(target: string, commit: Commit): number {
    const stored = this.stored(target)
    const version = this.commits.changed(stored, commit)
    this.catalog.save(stored)
    return version
  }

  timeOf(commit: number): Sequence {
    return this.commits.timeOf(commit)
  }

  targets(): readonly TargetFacts[] {
    return this.catalog.targets.map(({ facts }) => facts)
  }

  target(name: string): TargetFacts | null {
    return this.catalog.find(name)?.facts ?? null
  }

  currentRows(target: string): number {
    return countCurrent(this.stored(target))
  }

  integrity(): readonly string[] {
    return this.connection
      .all('PRAGMA integrity_check')
      .map(([line]) => String(line))
      .filter((line) => line !== 'ok')
  }

  tableFaults(target: string): Iterable<TableFault> {
    return tableFaults(this.stored(target))
  }

  version(target: string): number {
    return this.stored(target).version
  }

  define(facts: TargetFacts): void {
    this.catalog.define(facts)
    this.tables.clear()
  }

  latestTable(target: string): LatestTable {
    return this.tablesOf(target).latest
  }

  registersTable(target: string): RegistersTable {
    return this.tablesOf(target).registers
  }

  historyTable(target: string): HistoryTable {
    return this.tablesOf(target).history
  }

  truncates(target: string): readonly StoredTruncate[] {
    return this.cut.of(this.stored(target).id)
  }

  addTruncate(target: string, truncate: Truncate, commit: Commit): void {
    this.cut.add(this.stored(target).id, truncate, commit)
  }

  snapshots(target: string): readonly AppliedSnapshot[] {
    return this.extracts.of(target)
  }

  addSnapshot(target: string, applied: AppliedSnapshot): void {
    this.extracts.add(target, applied)
  }

  noteSnapshot(record: SnapshotRecord): void {
    this.extracts.note(record)
  }

  snapshotRecords(flow: string | null): readonly SnapshotRecord[] {
    return this.extracts.records(flow)
  }

  stage(): Stage {
    return new SqliteStage()
  }

  fingerprints(target: string): Fingerprints | null {
    return fingerprintsOf(this.stored(target))
  }

  fingerprintDraft(): FingerprintDraft {
    return new SqliteFingerprintDraft()
  }

  saveFingerprints(target: string, head: FingerprintsHead, draft: FingerprintDraft): void {
    saveFingerprints(this.stored(target), head, draft)
  }

  writers(target: string): readonly Stream[] {
    return this.commits.writersOf(target).flatMap((flow) => this.streams.ofFlow(flow))
  }

  move(target: string, to: Key, sequence: Sequence): UnsettledMove | null {
    return this.unsettled.of(target, to, sequence)
  }

  movesTo(target: string, to: Key): readonly UnsettledMove[] {
    return this.unsettled.into(target, to)
  }

  saveMove(target: string, to: Key, sequence: Sequence, move: UnsettledMove | null): void {
    this.unsettled.save({ target, to, sequence }, move)
  }

  rows(target: string, asOf: AsOf, key: Key | null = null): Iterable<StoredRow> {
    return readRows(this.stored(target), asOf, key === null ? null : keyCell(key))
  }

  stream(flow: string, name: string, partition: number): Stream {
    return this.streams.named(flow, name, partition)
  }

  checkpoints(flow: string): readonly Checkpoint[] {
    return this.ledger.checkpoints(flow)
  }

  saveCheckpoints(flow: string, checkpoints: readonly Checkpoint[]): void {
    this.ledger.saveCheckpoints(flow, checkpoints)
  }

  flow(name: string): FlowRecord | null {
    return this.ledger.flow(name)
  }

  saveFlow(record: FlowRecord): void {
    this.ledger.saveFlow(record)
  }

  setAside(records: readonly Omit<Quarantined, 'id'>[]): void {
    this.ledger.setAside(records)
  }

  quarantine(flow: string | null): Iterable<Quarantined> {
    return this.ledger.quarantine(flow)
  }

  [Symbol.dispose](): void {
    this.connection[Symbol.dispose]()
  }

  private stored(target: string): StoredTarget {
    const stored = this.catalog.find(target)
    if (stored === null) {
      throw new TidemarkError('NOT_FOUND', `the store has no target "${target}"`, { target })
    }
    return stored
  }

  private tablesOf(target: string): Tables {
    const stored = this.stored(target)
    let tables = this.tables.get(stored)
    if (tables === undefined) {
      tables = new Tables(stored, () => this.cut.of(stored.id))
      this.tables.set(stored, tables)
    }
    return tables
  }

  /** A rolled back transaction leaves no trace in memory either. */
  private forget(): void {
    this.connection.schemaChanged()
    this.streams.reload()
    this.catalog.reload()
    this.cut.reload()
    this.extracts.reload()
    this.tables.clear()
  }
}

/** The tables of one target, made as they are asked for. */
class Tables {
  private readonly target: StoredTarget
  private readonly truncates: () => readonly StoredTruncate[]
  private readonly made: {
    latest?: LatestTable
    registers?: RegistersTable
    history?: HistoryTable
  } = {}

  constructor(target: StoredTarget, truncates: () => readonly StoredTruncate[]) {
    this.target = target
    this.truncates = truncates
  }

  get latest(): LatestTable {
    return (this.made.latest ??= new SqliteLatestTable(this.target))
  }

  get registers(): RegistersTable {
    return (this.made.registers ??= new SqliteRegistersTable(this.target))
  }

  get history(): HistoryTable {
    return (this.made.history ??= new SqliteHistoryTable(this.target, this.truncates))
  }
}
