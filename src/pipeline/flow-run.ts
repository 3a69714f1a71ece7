import type { Stream, Truncate } from '../core/change.ts'
import { meaningOf } from '../core/target.ts'
import { compareChanges } from '../core/change.ts'
import type { Checkpoint, Source, SourceBatch, StreamName } from '../ports/source.ts'
import type { Commit, Counts, FlowRecord, Store } from '../ports/store.ts'
import { batchCommitted, type BatchFigures } from './batch-figures.ts'
import { BatchReading, type Unavailable } from './batch-reading.ts'
import { messageFormatOf } from './flow-spec-messages.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { addCounts, NO_COUNTS, unknownCount } from '../core/counts.ts'
import { addViolations } from './flow-totals.ts'
import { CheckpointFence } from './checkpoint-fence.ts'
import { FlowWarnings } from './flow-warnings.ts'
import { limitsOf, mayGather, newFold, plainFold } from './gathering.ts'
import { merge, writeFolded } from './merge.ts'
import { PendingBatch } from './pending-batch.ts'
import { RecordReader } from './record-reader.ts'
import { RefusalMeter } from './refusal-meter.ts'
import { StreamTails } from './stream-tails.ts'
import type { FeedTools, RunObserver, RunTotals, RunWatch } from './flow-tools.ts'
import type { TargetDraft } from './target-draft.ts'
import { TieGuard } from './tie-guard.ts'
import { unknownValues } from './unknown-values.ts'

/**
 * One run of a flow: reads batches and commits each in one transaction.
 *
 * Effects happen in one order only: read, merge, then rows, hidden state, quarantine, counts
 * and checkpoints commit together. A crash before the commit repeats the batch; a crash after
 * it does not; nothing in between is visible (semantics 10).
 */
export class FlowRun {
  totals: RunTotals = { counts: NO_COUNTS, violations: {}, systemTime: null }
  private readonly flow: FlowSpec
  private readonly tools: FeedTools
  private readonly draft: TargetDraft
  private readonly reader: RecordReader
  private readonly meter: RefusalMeter
  private readonly named: FlowWarnings
  private readonly streams = new Map<StreamName, Stream>()
  private readonly observer: RunObserver
  /** Null where the records of the source are no messages. */
  private tails: StreamTails | null = null
  /** Where the run left its streams; null before it reads. */
  private left: CheckpointFence | null = null
  /** What has been read to be committed with what comes next. */
  private pending: PendingBatch | null = null
  private record: FlowRecord

  /** `draft` is shared by all flows into the target. @throws TidemarkError `EXPRESSION_INVALID` */
  constructor(flow: FlowSpec, draft: TargetDraft, record: FlowRecord, tools: FeedTools) {
    this.flow = flow
    this.observer = tools.observer ?? {}
    this.tools = tools
    this.record = record
    this.draft = draft
    this.reader = new RecordReader(flow, this.draft, tools.expressions)
    this.meter = new RefusalMeter(flow.name, flow.max_refused_fraction)
    this.named = new FlowWarnings(flow.name, this.reader)
  }

  /** What was named and not there, a sentence each. */
  warnings(): readonly string[] {
    return this.named.all()
  }

  /** A `once` flow that has run to its end. */
  get isDone(): boolean {
    return this.record.done
  }

  /** Reads until the source ends or the signal aborts, and calls `onBatch` after each commit. */
  async run(source: Source, { mode, signal, telemetry, onBatch }: RunWatch): Promise<void> {
    const { name } = this.flow
    const after = this.tools.store.checkpoints(name)
    this.left = new CheckpointFence(name, after)
    const warn = (messages: readonly string[]) => {
      for (const message of messages) telemetry.tell({ event: 'warning', flow: name, message })
    }
    const tell = (work: () => BatchFigures) => {
      const started = telemetry.seconds()
      const figures = work()
      const seconds = telemetry.seconds() - started
      if (figures.counts.read > 0) telemetry.tell(batchCommitted(name, figures, seconds))
      warn(this.named.found(this.totals.counts.read))
      onBatch(this.totals)
    }
    const isGathering = mode === 'bounded' && mayGather(this.flow, this.draft.facts)
    const batches = source.read(after, mode, limitsOf(this.flow, isGathering), signal)
    if (isGathering) await this.gather(batches, tell)
    else for await (const batch of batches) tell(() => this.commit(batch))
    warn(this.named.last())
  }

  /** Commits batches together, as many as memory allows; those before a fault of the source too. */
  private async gather(
    batches: AsyncIterable<SourceBatch>,
    tell: (work: () => BatchFigures) => void,
  ): Promise<void> {
    const { store, gatherings } = this.tools
    const target = this.draft.facts.name
    const faults: unknown[] = []
    const settle = (): void => {
      const { pending } = this
      this.pending = null
      gatherings.end(target, settleForOther)
      if (pending !== null) tell(() => this.settled(store.transact(() => this.settle(pending))))
    }
    // A fault ends this run too, which would leave out what could not be committed.
    const settleForOther = (): void => {
      try {
        settle()
      } catch (error) {
        faults.push(error)
        throw error
      }
    }
    try {
      for await (const batch of batches) {
        if (faults.length > 0) throw faults[0]
        if (this.pending === null) gatherings.begin(target, settleForOther)
        const pending = this.pending ?? this.newBatch(true)
        // Lost if a record stops the flow, as a batch is.
        this.pending = null
        store.transact(() => {
          pending.add(batch)
        })
        this.pending = pending
        if (pending.isFull) settle()
      }
      if (faults.length > 0) throw faults[0]
    } finally {
      settle()
    }
  }

  /** Notes in the flow's record that it runs: until {@link end} it counts as interrupted. */
  begin(at: string): void {
    this.note({ lastRunAt: at, lastFault: null })
  }

  /** Notes how the run ended: '' for well, else the code of its fault. */
  end(fault: string, done: boolean): void {
    this.note({ lastFault: fault, done: this.record.done || done })
  }

  /**
   * Commits one batch, or nothing of it.
   *
   * @throws TidemarkError the fault that refuses the batch; `CHECKPOINT_MOVED`
   */
  commit(batch: SourceBatch): BatchFigures {
    this.tools.gatherings.begin(this.draft.facts.name)
    return this.settled(
      this.tools.store.transact(() => {
        const pending = this.newBatch(false)
        pending.add(batch)
        return this.settle(pending)
      }),
    )
  }

  private settled(totals: Settled): BatchFigures {
    this.record = totals.record
    this.left?.move(totals.checkpoints)
    this.tails = totals.tails
    this.totals = {
      counts: addCounts(this.totals.counts, totals.batch.counts),
      violations: addViolations(this.totals.violations, totals.batch.violations),
      systemTime: totals.commit?.time.text ?? this.totals.systemTime,
    }
    return totals.batch
  }

  /** A batch without records yet; one that is folded lets older changes go as they come. */
  private newBatch(isGathering: boolean): PendingBatch {
    const { store } = this.tools
    if (messageFormatOf(this.flow.source) !== null) {
      this.tails ??= StreamTails.of(this.record.tails, (name) => this.streamOf(name))
    }
    const fold = isGathering ? newFold(store, this.draft.facts) : null
    const { onOutcome } = this.observer
    const reading = new BatchReading({
      flow: this.flow,
      reader: this.reader,
      meter: this.meter,
      ties: this.flow.on_sequence_tie === 'fail' ? new TieGuard(store, this.draft.facts) : null,
      streamOf: (name) => this.streamOf(name),
      store,
      fold,
      plain: onOutcome === undefined ? plainFold(this.flow, fold) : null,
      facts: () => this.draft.facts,
      tails: this.tails,
      onOutcome: (record, outcome) => onOutcome?.(this.flow, record, outcome),
    })
    return new PendingBatch(reading, this.tools.gatherBytes)
  }

  private settle({ reading, checkpoints, bytes }: PendingBatch): Settled {
    const { store, clock } = this.tools
    this.left?.check(store.checkpoints(this.flow.name), checkpoints)
    const read = reading.finish()

    const commit = read.read === 0 ? null : store.commit(this.flow.name, clock.micros())
    const merged = commit === null ? NOTHING_MERGED : this.merge(reading, commit)
    const { late, ties, unknown } = merged
    const counts: Counts = { ...read, late, ties, ...unknownCount(unknown) }
    const at = commit?.time.text ?? null
    const { violations, ignoredBy, aside } = reading
    const batch = { counts, violations, ignoredBy, aside, unknown, bytes, at }

    store.setAside(aside.map((record) => ({ ...record, flow: this.flow.name, at: at ?? '' })))
    store.saveCheckpoints(this.flow.name, checkpoints)
    const record = {
      ...this.record,
      ...this.recordOf(batch),
      tails: reading.tails?.kept() ?? this.record.tails,
    }
    store.saveFlow(record)
    return { batch, commit, record, checkpoints, tails: reading.tails }
  }

  private merge({ arrivals, fold, unavailable }: BatchReading, commit: Commit) {
    const { store } = this.tools
    const { facts } = this.draft
    const meaning = meaningOf(facts)
    const { isEmpty, truncates } = fold ?? arrivals
    if (isEmpty) return NOTHING_MERGED
    if (store.target(facts.name) !== facts) store.define(facts)

    const fresh = unknownTruncates(store, facts.name, truncates)
    truncates.splice(0, truncates.length, ...fresh)
    for (const truncate of fresh) store.addTruncate(facts.name, truncate, commit)
    const task = { store, facts, arrivals, commit, meaning }
    const counts = fold === null ? merge(task) : writeFolded(task, fold)
    store.changed(facts.name, commit)
    return { ...counts, unknown: this.unknown(unavailable) }
  }

  /** How many of the unavailable values nothing supplies. */
  private unknown(unavailable: readonly Unavailable[]): number {
    if (unavailable.length === 0) return 0
    const values = unknownValues(this.tools.store, this.draft.facts, unavailable)
    this.observer.onUnknown?.(this.flow, values)
    return values.length
  }

  private recordOf(batch: {
    counts: Counts
    violations: ReadonlyMap<string, number>
    at: string | null
  }): Pick<FlowRecord, 'counts' | 'violations' | 'lastSystemTime'> {
    return {
      counts: addCounts(this.record.counts, batch.counts),
      violations: addViolations(this.record.violations, batch.violations),
      lastSystemTime: batch.at ?? this.record.lastSystemTime,
    }
  }

  private note(change: Partial<FlowRecord>): void {
    this.record = { ...this.record, ...change }
    this.tools.store.transact(() => {
      this.tools.store.saveFlow(this.record)
    })
  }

  private streamOf(name: StreamName): Stream {
    let stream = this.streams.get(name)
    if (stream === undefined) {
      stream = this.tools.store.stream(this.flow.name, name.name, name.partition)
      this.streams.set(name, stream)
    }
    return stream
  }
}

/** What committing a batch came to. */
type Settled = {
  readonly batch: BatchFigures & { readonly violations: ReadonlyMap<string, number> }
  readonly commit: Commit | null
  readonly record: FlowRecord
  readonly checkpoints: readonly Checkpoint[]
  readonly tails: StreamTails | null
}

const NOTHING_MERGED = { late: 0, ties: 0, unknown: 0 }

/** Truncates that the store does not have yet, each once. */
function unknownTruncates(
  store: Store,
  target: string,
  truncates: readonly Truncate[],
): Truncate[] {
  const known = store.truncates(target).map(({ truncate }) => truncate)
  return truncates.filter(
    (truncate, i) =>
      ![...known, ...truncates.slice(0, i)].some((other) => compareChanges(other, truncate) === 0),
  )
}
