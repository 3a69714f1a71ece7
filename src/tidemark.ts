import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

import { TidemarkError } from './core/errors.ts'
import type { TargetFacts } from './core/target.ts'
import type { Value } from './core/value.ts'
import { examine, type Finding } from './inspect/doctor.ts'
import { keyLife, type KeyLife } from './inspect/history.ts'
import {
  keyFrom,
  readRows,
  targetInfo,
  type OutputRow,
  type RowQuery,
  type TargetInfo,
} from './inspect/rows.ts'
import { flowStatus, type FlowStatus } from './inspect/status.ts'
import {
  codeSnapshots,
  type ApplySnapshotsOptions,
  type NextSnapshot,
} from './pipeline/code-snapshots.ts'
import type { EngineRun } from './pipeline/engine-run.ts'
import { eventBatch } from './pipeline/event-batch.ts'
import { Engine } from './pipeline/engine.ts'
import { flowNamed, flowsToRun, notFound } from './pipeline/flow-choice.ts'
import { awaitsTopics } from './pipeline/flow-spec-topics.ts'
import type { FlowFile, FlowSpec } from './pipeline/flow-spec-type.ts'
import { withRecordedTopics } from './pipeline/found-topics.ts'
import type { RunOptions } from './pipeline/run-options.ts'
import { planReport, type PlanReport } from './pipeline/plan-report.ts'
import { summaryOf, type RunSummary } from './pipeline/run-summary.ts'
import type { Clock } from './ports/clock.ts'
import { lastVersion, sumOfRuns } from './pipeline/snapshot-runs.ts'
import type { SnapshotPlan } from './pipeline/snapshot-plan.ts'
import type { SnapshotRecord } from './ports/snapshots.ts'
import type { Quarantined, Store } from './ports/store.ts'
import { SqliteExpressions } from './stores/sqlite/expressions/sqlite-expressions.ts'
import { SharedClusters } from './wire-kafka.ts'
import { lagOf } from './wire-lag.ts'
import { captureFlow, openSnapshots, openSource, openStore, systemClock, topicsOf } from './wire.ts'

/** How to open a flow file's store. */
export type OpenOptions = {
  /** Takes no writer's lock; `run` and `apply` are refused. */
  readonly readOnly?: boolean
  readonly clock?: Clock
}

/** Flows and their targets, opened. Everything that the command line does goes through this. */
export class Tidemark implements Disposable {
  private readonly file: FlowFile
  private readonly readOnly: boolean
  private readonly clock: Clock
  private readonly expressions = new SqliteExpressions()
  private opened: Store | null = null
  private made: Engine | null = null
  /** Forgotten by each run, which may find more. */
  private known: readonly FlowSpec[] | null = null
  /** Of a bounded run, whose flows are read one after the other. */
  private shared: SharedClusters | null = null

  /** Use {@link openTidemark}. */
  constructor(file: FlowFile, { readOnly = false, clock = systemClock }: OpenOptions) {
    this.file = file
    this.readOnly = readOnly
    this.clock = clock
    if (!readOnly) this.opened = openStore(file, 'write')
  }

  /**
   * Runs flows; one that stops keeps the others from nothing.
   *
   * @throws TidemarkError the fault that stopped one, the first of several; what was committed before stays
   */
  async run(options: RunOptions): Promise<readonly RunSummary[]> {
    const { mode, signal = new AbortController().signal, fromNow = false, onProgress } = options
    const started = this.clock.micros()
    this.known = null
    await using shared = new SharedClusters()
    this.shared = mode === 'bounded' ? shared : null
    const runs = await this.engine.run({
      ...flowsToRun(this.file, options.flows),
      mode,
      signal,
      fromNow,
      force: new Set(options.force),
      ...(options.telemetry === undefined ? {} : { telemetry: options.telemetry }),
      onBatch: ({ name }, { counts }) => {
        const seconds = Number(this.clock.micros() - started) / 1e6
        onProgress?.({ flow: name, read: counts.read, seconds })
      },
      onEnded: (run) => options.onEnded?.(summaryOf(run)),
    })
    if (mode === 'bounded') {
      // What a pattern was to find and did not.
      const met = [...this.file.flows, ...runs.map(({ flow }) => flow)].map(({ name }) => name)
      for (const name of options.flows ?? []) if (!met.includes(name)) this.flow(name)
    }
    return runs.map(summaryOf)
  }

  /** Feeds events from code through a flow, as one commit. Numbers beyond 2^53 are to be bigints. */
  apply(flow: string, events: readonly Readonly<Record<string, unknown>>[]): RunSummary {
    const spec = this.flow(flow)
    const started = this.clock.micros()
    return this.engine.guarded(() => {
      const run = this.engine.open(spec, false)
      run.commit(eventBatch(events, this.store.checkpoints(spec.name)))
      const seconds = Number(this.clock.micros() - started) / 1e6
      const { totals } = run
      const warnings = run.warnings()
      return summaryOf({ flow: spec, passed: false, totals, seconds, warnings, snapshots: [] })
    })
  }

  /**
   * Applies snapshots that a program hands over to a flow with `source: { snapshots: true }`, one after
   * the other, each in one transaction, until `next` has none or one of them is not applied.
   *
   * @throws TidemarkError the refusal of a guard; what was applied before stays
   */
  async applySnapshots(
    flow: string,
    next: NextSnapshot,
    { force = [], signal = new AbortController().signal }: ApplySnapshotsOptions = {},
  ): Promise<RunSummary> {
    const spec = this.flow(flow)
    if (spec.source.kind !== 'snapshots') {
      throw new TidemarkError('USAGE', `flow "${flow}" is none of snapshots`)
    }
    const runs: EngineRun[] = []
    while (!signal.aborted) {
      const given = await next(lastVersion(this.store, spec))
      if (given === null || given === undefined) break
      const options = { force: new Set(force), signal }
      const run = await this.engine.applySnapshots(spec, codeSnapshots(given), options)
      runs.push(run)
      if (run.snapshots.at(-1)?.outcome !== 'applied') break
    }
    return summaryOf(sumOfRuns(spec, runs))
  }

  /** What a run would do, and what to think twice about; changes nothing. */
  async validate(): Promise<readonly PlanReport[]> {
    const store = this.existingStore()
    const reports: PlanReport[] = []
    for (const flow of this.file.flows) {
      const into = this.file.flows.filter(({ target }) => target === flow.target)
      const isUnread = flow.source.kind === 'events' || awaitsTopics(flow)
      const source = isUnread ? null : openSource(flow, this.file.base)
      try {
        reports.push(await planReport(flow, { into, store, source, expressions: this.expressions }))
      } finally {
        await source?.[Symbol.asyncDispose]()
      }
    }
    return reports
  }

  /** The flows of the file, and in the place of one that a pattern completes those for the topics that runs found. */
  get flows(): readonly FlowSpec[] {
    if (this.file.withTopics === undefined) return this.file.flows
    this.known ??= withRecordedTopics(this.file, this.existingStore()).flows
    return this.known
  }

  /** @throws TidemarkError `NOT_FOUND` naming the nearest target */
  target(name: string): TargetInfo {
    return targetInfo(this.facts(name))
  }

  /** Rows of a target in key order; read them to the end, or write nothing meanwhile. */
  rows(target: string, query: RowQuery = {}): Iterable<OutputRow> {
    return readRows(this.store, this.facts(target), query)
  }

  /** The life of one key. */
  history(target: string, key: Readonly<Record<string, Value>>): KeyLife {
    const facts = this.facts(target)
    return keyLife(this.store, facts, keyFrom(facts, key))
  }

  /** Where each flow stands. */
  async status(): Promise<readonly FlowStatus[]> {
    const statuses: FlowStatus[] = []
    await using shared = new SharedClusters()
    shared.expect(this.flows)
    for (const flow of this.flows) {
      const after = this.store.checkpoints(flow.name)
      const { lag, ...rest } = await lagOf(flow, this.file.base, after, shared)
      statuses.push({ ...flowStatus(this.store, flow, lag), ...rest })
    }
    return statuses
  }

  /** Records set aside, of one flow or all. */
  quarantine(flow?: string): Iterable<Quarantined> {
    if (flow !== undefined) this.flow(flow)
    return this.store.quarantine(flow ?? null)
  }

  /** The record of snapshots that runs looked at, the oldest first, of one flow or all. */
  snapshots(flow?: string): readonly SnapshotRecord[] {
    if (flow !== undefined) this.flow(flow)
    return this.store.snapshotRecords(flow ?? null)
  }

  /** What the next snapshots of a flow would do, one by one on top of what is there now; changes no rows. */
  async planSnapshots(
    flow: string,
    force: readonly string[] = [],
  ): Promise<readonly SnapshotPlan[]> {
    return this.engine.plan(this.flow(flow), new Set(force))
  }

  /**
   * The messages of a flow's topics that there are now, as lines that a file source with `dump: true`
   * replays; `onMessages` is told how many are in each piece.
   */
  capture(
    flow: string,
    signal: AbortSignal,
    onMessages: (messages: number) => void = () => undefined,
  ): AsyncIterable<string> {
    return captureFlow(this.flow(flow), this.file.base, signal, onMessages)
  }

  /** What is wrong in the store; nothing, if it is sound. */
  doctor(): Iterable<Finding> {
    const names = new Set(this.flows.map(({ target }) => target))
    return examine(
      this.store,
      this.store.targets().filter(({ name }) => names.has(name)),
      this.flows.map(({ name }) => name),
    )
  }

  /** Closes the store. */
  [Symbol.dispose](): void {
    this.opened?.[Symbol.dispose]()
    this.opened = null
    this.expressions[Symbol.dispose]()
  }

  private get store(): Store {
    this.opened ??= openStore(this.file, 'read')
    return this.opened
  }

  private get engine(): Engine {
    if (this.readOnly) throw new TidemarkError('USAGE', 'the store was opened for reading only')
    this.made ??= new Engine(this.file, {
      store: this.store,
      clock: this.clock,
      expressions: this.expressions,
      openSource: (flow, onNotice) => openSource(flow, this.file.base, onNotice, this.shared),
      expect: (flows) => this.shared?.expect(flows),
      findTopics: (flow, watch) => topicsOf(flow, this.file.base, watch),
      openSnapshots: (flow) => openSnapshots(flow, this.file.base),
    })
    return this.made
  }

  private existingStore(): Store | null {
    const { store, base } = this.file
    if ('memory' in store) return this.opened
    return existsSync(resolve(base, store.sqlite)) ? this.store : null
  }

  private flow(name: string): FlowSpec {
    return flowNamed(this.flows, name)
  }

  private facts(name: string): TargetFacts {
    const targets = this.flows.map(({ target }) => target)
    if (!targets.includes(name)) throw notFound('target', name, targets)
    const facts = this.store.target(name)
    if (facts !== null) return facts
    throw new TidemarkError('NOT_FOUND', `no flow has written to the target "${name}" yet`)
  }
}

/** Opens the store of a flow file. @throws TidemarkError `STORE_BUSY`, `STORE_UNKNOWN`, `NOT_FOUND` */
export function openTidemark(file: FlowFile, options: OpenOptions = {}): Tidemark {
  return new Tidemark(file, options)
}
