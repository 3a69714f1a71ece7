import { addCounts, NO_COUNTS, type Counts } from '../core/counts.ts'
import { jsonText } from '../core/display.ts'
import { BugError } from '../core/errors.ts'
import {
  describeSequenceType,
  encodeSequence,
  sequenceTypeOf,
  type Sequence,
} from '../core/sequence.ts'
import { overlap, sameScope, type Snapshot } from '../core/snapshot.ts'
import type { Value } from '../core/value.ts'
import type { AppliedSnapshot, SnapshotRecord } from '../ports/snapshots.ts'
import type { FlowRecord, Store } from '../ports/store.ts'
import type { BatchFigures } from './batch-figures.ts'
import type { RunTotals } from './flow-tools.ts'
import { addViolations } from './flow-totals.ts'
import { lackingColumns } from './lacking-columns.ts'
import { RecordReader } from './record-reader.ts'
import { isTargetColumn, writesEverything } from './row-builder.ts'
import { SnapshotDiff, type DiffCounts, type DiffRow } from './snapshot-diff.ts'
import { judge } from './snapshot-guards.ts'
import type { Judging, Looking, LookingWith, Seen } from './snapshot-looking.ts'
import { SnapshotReading } from './snapshot-reading.ts'
import { SnapshotRecords } from './snapshot-records.ts'
import { contextOf, keepKnown, knownOf, mayBeKnown } from './snapshot-known.ts'
import { partOf, scopeOf } from './snapshot-scope.ts'
import { SnapshotSieve } from './snapshot-sieve.ts'
import type { SnapshotTask } from './snapshot-task.ts'

/** What became of a snapshot, and what the flow has counted with it. */
export type SnapshotResult = {
  readonly record: SnapshotRecord
  readonly totals: RunTotals
  readonly flowRecord: FlowRecord
  /** Of one that was applied, what its rows came to. */
  readonly figures: BatchFigures | null
}

/** Applies one snapshot, or finds out what it would do. */
export class SnapshotRun {
  private readonly task: SnapshotTask
  private readonly store: Store
  private readonly reader: RecordReader
  private readonly records: SnapshotRecords

  /** @throws TidemarkError `EXPRESSION_INVALID` */
  constructor(task: SnapshotTask) {
    this.task = task
    this.store = task.tools.store
    this.reader = new RecordReader(task.flow, task.draft, task.tools.expressions)
    this.records = new SnapshotRecords(task)
  }

  /** Reads, judges and applies the snapshot; a refusal leaves nothing but its record. */
  async apply(flowRecord: FlowRecord, signal: AbortSignal): Promise<SnapshotResult | null> {
    return this.look(signal, {
      onAccepted: (seen) => this.commit(seen, flowRecord),
      onOther: (record) => {
        this.store.transact(() => {
          this.store.noteSnapshot(record)
        })
        return { record, totals: NO_TOTALS, flowRecord, figures: null }
      },
    })
  }

  /** What the snapshot would do, or would do if the guard that refuses it did not; writes nothing. */
  async plan(signal: AbortSignal, onRow: (row: DiffRow) => void): Promise<SnapshotRecord> {
    const record = await this.look(signal, {
      onAccepted: ({ reading, counts, verdicts, late }) => {
        const rows = reading.counts.read
        return this.records.record({ outcome: 'applied', counts: counts(), verdicts, late, rows })
      },
      onOther: (refused, counts) => ({ ...refused, ...changesOf(counts?.() ?? null) }),
      onRow,
    })
    return record ?? this.records.record({ outcome: 'refused' })
  }

  private async look<T>(signal: AbortSignal, looking: Looking<T>): Promise<T | null> {
    const { onOther } = looking
    const { version } = this.task
    if (version === null)
      return onOther(this.records.refused('NULL_VERSION', 'no version was found'))
    const sequence = this.sequence(version)
    if (sequence === null) {
      const type = this.task.draft.facts.sequenceType
      const what =
        type === null ? 'nothing that orders' : `not of type ${describeSequenceType(type)}`
      return onOther(
        this.records.refused('SEQUENCE_TYPE', `the version ${jsonText(version)} is ${what}`),
      )
    }

    const snapshot = this.snapshot(sequence)
    const first = await this.lookWith({ ...looking, snapshot, knows: true }, signal)
    if (first !== 'start over') return first
    const again = await this.lookWith({ ...looking, snapshot, knows: false }, signal)
    if (again === 'start over') throw new BugError('a snapshot is read for the third time')
    return again
  }

  /** Reads the snapshot and judges it; all that is kept of it meanwhile is gone afterwards. */
  private async lookWith<T>(
    { snapshot, knows, ...looking }: LookingWith<T>,
    signal: AbortSignal,
  ): Promise<T | null | 'start over'> {
    const { store, task } = this
    const { flow, draft } = task
    const mayKnow = mayBeKnown(flow, snapshot, store)
    const known = mayKnow && knows ? knownOf(draft.facts, store) : null
    using stage = store.stage()
    using prints = mayKnow ? store.fingerprintDraft() : null
    const contextOfRecords = (readWith: string) => contextOf(flow, draft.facts, readWith)
    const sieve =
      prints === null
        ? null
        : new SnapshotSieve({ known, draft: prints, contextOf: contextOfRecords })
    const reading = await this.read({ snapshot, stage, sieve }, signal)
    if (signal.aborted) return null
    // Another flow may have written meanwhile.
    const isKnown = mayKnow && mayBeKnown(flow, snapshot, store)
    const recognised = sieve?.recognised ?? null
    const diff = new SnapshotDiff({ store, facts: draft.facts, snapshot, stage, recognised })
    const isPlain = reading.broken === null && sieve?.mustStartOver !== true && diff.isSound()
    if (known !== null && !(isPlain && isKnown)) return 'start over'
    return this.judge({ ...looking, snapshot, stage, reading, sieve: isKnown ? sieve : null, diff })
  }

  private judge<T>({ snapshot, stage, reading, sieve, diff, ...looking }: Judging<T>): T {
    const { onAccepted, onOther, onRow } = looking
    const { draft, source, offer, force } = this.task
    const rows = reading.counts.read
    const applied = this.store
      .snapshots(draft.facts.name)
      .filter((each) => each.snapshot.stream === snapshot.stream)
    const seen = applied.find(
      (each) =>
        each.snapshot.version === snapshot.version && overlap(each.snapshot.scope, snapshot.scope),
    )
    if (seen !== undefined) {
      const isSame = stage.hasDigest(seen.digest) && sameScope(seen.snapshot.scope, snapshot.scope)
      if (isSame && reading.broken === null)
        return onOther(this.records.record({ outcome: 'replayed', rows }))
      const what = 'the version was applied before with other rows or another scope'
      return onOther(this.records.refused('VERSION_CONFLICT', what, rows))
    }

    const late = applied.some(
      (each) =>
        each.snapshot.version > snapshot.version && overlap(each.snapshot.scope, snapshot.scope),
    )
    let known: DiffCounts | null = null
    const counts = () => (known ??= diff.judge(onRow))
    const columns = this.columns(sieve)
    const isEmpty = stage.size === 0 && (sieve?.recognised ?? null) === null
    const { refusal, verdicts } = judge(
      {
        isLate: late,
        rows,
        declaredRows: offer.declaredRows,
        broken: reading.broken,
        nullKeys: reading.nullKeys,
        conflicting: reading.conflicting,
        repeated: reading.repeated,
        outOfScope: reading.outOfScope,
        isEmpty,
        missingColumns: () => (isEmpty ? [] : this.missingColumns(snapshot, columns)),
        counts,
      },
      source.guards,
      new Set([...force, ...offer.force]),
    )
    if (refusal !== null) {
      return onOther(this.records.ofRefusal(refusal, verdicts, { rows, late }), counts)
    }
    return onAccepted({ snapshot, reading, sieve, diff, counts, verdicts, late, columns })
  }

  private async read(
    { snapshot, stage, sieve }: Pick<Judging<unknown>, 'snapshot' | 'stage' | 'sieve'>,
    signal: AbortSignal,
  ): Promise<SnapshotReading> {
    const { flow, source, offer, version } = this.task
    const reading = new SnapshotReading({
      flow,
      spec: source,
      reader: this.reader,
      stage,
      stream: snapshot.stream,
      scope: snapshot.scope,
      version,
      sieve,
    })
    await reading.read(offer, signal)
    return reading
  }

  /** The target's columns that rows of the snapshot have. */
  private columns(sieve: SnapshotSieve | null): readonly string[] {
    const { flow } = this.task
    const own = (sieve?.recognisedColumns() ?? []).filter((name) => isTargetColumn(flow, name))
    return [...new Set([...this.reader.acceptedColumns(), ...own])]
  }

  private commit(seen: Seen, before: FlowRecord): SnapshotResult {
    const { flow, draft, offer, tools } = this.task
    const { store } = this
    return store.transact(() => {
      const commit = store.commit(flow.name, tools.clock.micros())
      const counted = seen.counts()
      const { facts } = draft
      if (store.target(facts.name) !== facts) store.define(facts)
      const { snapshot, columns, diff, reading, sieve } = seen
      const digest = diff.digest()
      const changes = diff.apply(commit)
      const applied: AppliedSnapshot = { snapshot, digest, columns }
      store.addSnapshot(facts.name, applied)
      if (changes > 0) store.changed(facts.name, commit)
      if (sieve !== null) keepKnown(sieve, { store, target: facts.name, digest })

      const record = this.records.record({
        outcome: 'applied',
        counts: counted,
        verdicts: seen.verdicts,
        late: seen.late,
        rows: reading.counts.read,
      })
      const at = commit.time.text
      store.noteSnapshot(record)
      store.setAside(reading.aside.map((each) => ({ ...each, flow: flow.name, at })))
      store.saveCheckpoints(flow.name, offer.checkpoints)
      const counts: Counts = {
        ...reading.counts,
        changes,
        batches: 1,
        late: seen.late ? changes : 0,
      }
      const flowRecord: FlowRecord = {
        ...before,
        counts: addCounts(before.counts, counts),
        violations: addViolations(before.violations, reading.violations),
        lastSystemTime: at,
      }
      store.saveFlow(flowRecord)
      const violations = Object.fromEntries(reading.violations)
      const { ignoredBy, aside, bytes } = reading
      const figures = { counts, ignoredBy, aside, unknown: 0, bytes, at }
      return { record, totals: { counts, violations, systemTime: at }, flowRecord, figures }
    })
  }

  private snapshot(version: Sequence): Snapshot {
    const { flow, draft, source, ownersMatter } = this.task
    const scope = scopeOf(this.task)
    const time = flow.time_by === null ? null : draft.ordinal(flow.time_by)
    const timeIsKept = flow.time_by === null || isTargetColumn(flow, flow.time_by)
    const deletes = source.missing_rows === 'delete'
    return {
      version,
      stream: this.store.stream(flow.name, 'snapshot', 0),
      part: scope === null ? 0 : partOf(scope),
      scope,
      reach: flow.reach,
      deletes,
      after: source.delete_after,
      explicit: !deletes || ownersMatter || !timeIsKept || !writesEverything(flow),
      time,
    }
  }

  private sequence(version: Value): Sequence | null {
    const type = this.task.draft.facts.sequenceType ?? sequenceTypeOf(version)
    const sequence = type === null ? null : encodeSequence(version, type)
    // An empty snapshot has no row that would fix the type.
    if (type !== null && sequence !== null && this.task.draft.facts.sequenceType === null) {
      this.task.draft.fixSequenceType(type)
    }
    return sequence
  }

  private missingColumns(snapshot: Snapshot, columns: readonly string[]): readonly string[] {
    const { flow, draft } = this.task
    return lackingColumns(this.store, draft.facts.name, snapshot, columns).filter((name) =>
      isTargetColumn(flow, name),
    )
  }
}

const NO_TOTALS: RunTotals = { counts: NO_COUNTS, violations: {}, systemTime: null }

function changesOf(counts: DiffCounts | null): Partial<SnapshotRecord> {
  if (counts === null) return {}
  const { inserted, updated, deleted, unchanged } = counts
  return { inserted, updated, deleted, unchanged }
}
