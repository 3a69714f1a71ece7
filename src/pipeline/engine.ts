import { TidemarkError } from '../core/errors.ts'
import { meaningOf } from '../core/target.ts'
import { timestampFromMicros } from '../core/temporal.ts'
import type { SnapshotSource } from '../ports/source.ts'
import type { FoundTopic } from '../ports/store.ts'
import type { SourceNotice } from '../ports/telemetry.ts'
import type { EngineRun, EngineRunOptions, EngineTools } from './engine-run.ts'
import { joinedFault, toldFault, type FlowFault } from './flow-faults.ts'
import { awaitsTopics, nameByTopic } from './flow-spec-topics.ts'
import type { FlowFile, FlowSpec } from './flow-spec-type.ts'
import { noteTopics, withRecordedTopics } from './found-topics.ts'
import { FlowRun } from './flow-run.ts'
import type { RunTotals } from './flow-tools.ts'
import { freshRecord } from './flow-totals.ts'
import { OpenGatherings } from './open-gatherings.ts'
import { rememberedOf, reconcile } from './reconcile.ts'
import { recompute } from './recompute.ts'
import { planSnapshots, runSnapshots } from './snapshot-flow.ts'
import { SILENT } from './silent-telemetry.ts'
import type { SnapshotFlow } from './snapshot-flow.ts'
import type { SnapshotPlan } from './snapshot-plan.ts'
import { TargetDraft } from './target-draft.ts'

/** Runs the flows of a file: one after the other to the end of their sources, or together until stopped. */
export class Engine {
  private readonly given: FlowFile
  private readonly topics = new Map<string, readonly FoundTopic[]>()
  private current: FlowFile | null = null
  private readonly tools: EngineTools
  private readonly drafts = new Map<string, TargetDraft>()
  private readonly gatherings = new OpenGatherings()

  constructor(file: FlowFile, tools: EngineTools) {
    this.given = file
    this.tools = tools
  }

  /**
   * A flow that stops keeps no other from running to its end, unless the store is at fault.
   *
   * @throws TidemarkError the fault that stopped a flow, the first of several; what was committed before stays
   */
  async run(options: EngineRunOptions): Promise<readonly EngineRun[]> {
    if (options.mode === 'continuous') return this.together(options)
    const runs: EngineRun[] = []
    const faults: FlowFault[] = []
    const attempt = async (flow: FlowSpec, work: () => Promise<void>): Promise<void> => {
      try {
        await work()
      } catch (error) {
        if (!(error instanceof TidemarkError) || error.code.startsWith('STORE_')) throw error
        faults.push({ flow, error })
      }
    }
    const runOne = async (flow: FlowSpec): Promise<void> => {
      const run = await this.toldOf(flow, options, options.signal)
      runs.push(run)
      options.onEnded?.(run)
    }
    this.tools.expect?.(options.flows)
    for (const flow of options.flows) {
      await attempt(flow, async () => {
        for await (const found of this.flowsOf(flow, options, options.signal)) {
          if (awaitsTopics(flow)) this.tools.expect?.(found)
          for (const each of found) await attempt(each, async () => runOne(each))
        }
      })
    }
    if (faults.length > 0) throw joinedFault(faults)
    return runs
  }

  /** Makes ready to run a flow: brings its target in line with the configuration. */
  open(flow: FlowSpec, fromNow: boolean): FlowRun {
    const draft = this.draftOf(flow, fromNow)
    const { store } = this.tools
    const spec = rememberedOf(flow)
    const stored = store.flow(flow.name) ?? freshRecord(flow.name, flow.target, spec)
    const tools = { ...this.tools, gatherings: this.gatherings }
    return new FlowRun(flow, draft, { ...stored, spec }, tools)
  }

  /** Commits through a flow what `work` hands to it; a batch that fails leaves nothing behind. */
  guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.drafts.clear()
      throw error
    }
  }

  /** What the snapshots that a flow's source offers would do; changes no rows. */
  async plan(flow: FlowSpec, force: ReadonlySet<string>): Promise<readonly SnapshotPlan[]> {
    return planSnapshots(this.snapshotFlow(flow, false, force))
  }

  /** Applies what a source from code offers to a flow of snapshots. @throws TidemarkError the refusal of a guard */
  async applySnapshots(
    flow: FlowSpec,
    source: SnapshotSource,
    { force, signal }: { force: ReadonlySet<string>; signal: AbortSignal },
  ): Promise<EngineRun> {
    const given = this.snapshotFlow(flow, false, force)
    const tools = { ...this.tools, openSnapshots: () => source }
    const options = { signal, telemetry: SILENT, onBatch: () => undefined }
    return runSnapshots({ ...given, tools }, { ...options, mode: 'bounded' })
  }

  private snapshotFlow(flow: FlowSpec, fromNow: boolean, force: ReadonlySet<string>): SnapshotFlow {
    return {
      flow,
      tools: this.tools,
      force,
      ownersMatter: this.flowsInto(flow).some(({ reach }) => reach === 'flow'),
      draft: () => this.draftOf(flow, fromNow),
      forget: () => {
        this.drafts.clear()
      },
      spec: rememberedOf(flow),
    }
  }

  /** What a flow becomes: itself, or group after group a flow for each topic that its pattern finds. */
  private async *flowsOf(
    flow: FlowSpec,
    { mode, telemetry = SILENT, only }: EngineRunOptions,
    signal: AbortSignal,
  ): AsyncGenerator<readonly FlowSpec[]> {
    const { findTopics, store } = this.tools
    const { withTopics } = this.given
    if (!awaitsTopics(flow) || withTopics === undefined || findTopics === undefined) {
      yield [flow]
      return
    }
    const topics: FoundTopic[] = []
    const onNotice = (notice: SourceNotice): void => {
      telemetry.tell({ ...notice, flow: flow.name })
    }
    for await (const names of findTopics(flow, { mode, signal, onNotice })) {
      telemetry.tell({ event: 'source_topics_found', flow: flow.name, topics: names.length })
      topics.push(...noteTopics(store, flow, names))
      this.topics.set(flow.name, topics)
      this.current = withTopics(this.topics)
      const made = new Set(names.map((topic) => nameByTopic(flow, topic)))
      const isWanted = (name: string): boolean =>
        made.has(name) && (only?.has(flow.name) !== false || only.has(name))
      yield this.current.flows.filter(({ name }) => isWanted(name))
    }
  }

  /** Runs a flow, and tells of its start and its end. */
  private async toldOf(
    flow: FlowSpec,
    options: EngineRunOptions,
    signal: AbortSignal,
  ): Promise<EngineRun> {
    const { telemetry = SILENT } = options
    const { name, target, source } = flow
    telemetry.tell({ event: 'flow_started', flow: name, target, source: source.kind })
    try {
      const run = await this.runFlow(flow, options, signal)
      const { counts, systemTime } = run.totals
      const { seconds } = run
      telemetry.tell({
        event: 'flow_ended',
        flow: name,
        ...counts,
        seconds,
        system_time: systemTime,
      })
      return run
    } catch (error) {
      telemetry.tell({ event: 'flow_failed', flow: name, ...toldFault(error) })
      throw error
    }
  }

  private async runFlow(
    flow: FlowSpec,
    options: EngineRunOptions,
    signal: AbortSignal,
  ): Promise<EngineRun> {
    const { telemetry = SILENT } = options
    if (flow.source.kind === 'snapshots') {
      const { fromNow, force = new Set(), mode } = options
      const onBatch = (totals: RunTotals): void => {
        options.onBatch(flow, totals)
      }
      const given = this.snapshotFlow(flow, fromNow, force)
      return runSnapshots(given, { mode, signal, telemetry, onBatch })
    }
    const run = this.open(flow, options.fromNow)
    const started = this.tools.clock.micros()
    const seconds = () => Number(this.tools.clock.micros() - started) / 1e6
    if (flow.once && run.isDone)
      return { flow, passed: true, totals: run.totals, seconds: 0, warnings: [], snapshots: [] }

    run.begin(timestampFromMicros(started).text)
    try {
      await using source = this.tools.openSource(flow, (notice) => {
        telemetry.tell({ ...notice, flow: flow.name })
      })
      using _ = telemetry.watch(flow.name, () =>
        source.lag(this.tools.store.checkpoints(flow.name)),
      )
      await run.run(source, {
        mode: options.mode,
        signal,
        telemetry,
        onBatch: (totals) => {
          options.onBatch(flow, totals)
        },
      })
    } catch (error) {
      this.drafts.clear()
      run.end(error instanceof TidemarkError ? error.code : 'BUG', false)
      throw error
    }
    run.end('', flow.once && options.mode === 'bounded' && !signal.aborted)
    return {
      flow,
      passed: false,
      totals: run.totals,
      seconds: seconds(),
      warnings: run.warnings(),
      snapshots: [],
    }
  }

  /** Flows at once; where one fails the others stop after their current batch. */
  private async together(options: EngineRunOptions): Promise<readonly EngineRun[]> {
    const stop = new AbortController()
    const signal = AbortSignal.any([options.signal, stop.signal])
    const failures: unknown[] = []
    const attempt = async <T>(work: () => Promise<T>): Promise<T[]> => {
      try {
        return [await work()]
      } catch (error) {
        failures.push(error)
        stop.abort()
        return []
      }
    }
    const runs = options.flows.map(async (flow) => {
      const running: Promise<EngineRun[]>[] = []
      await attempt(async () => {
        for await (const found of this.flowsOf(flow, options, signal)) {
          running.push(
            ...found.map((each) => attempt(async () => this.toldOf(each, options, signal))),
          )
        }
      })
      return Promise.all(running)
    })
    const ended = (await Promise.all(runs)).flat(2)
    for (const run of ended) options.onEnded?.(run)
    if (failures.length > 0) throw failures[0]
    return ended
  }

  /** With the flows for the topics that this run, or those before it, have found. */
  private get file(): FlowFile {
    this.current ??= withRecordedTopics(this.given, this.tools.store)
    return this.current
  }

  private flowsInto({ target: name }: FlowSpec): readonly FlowSpec[] {
    return this.file.flows.filter(({ target }) => target === name)
  }

  /** The draft of a flow's target, shared by all flows into it. */
  private draftOf(flow: FlowSpec, fromNow: boolean): TargetDraft {
    const known = this.drafts.get(flow.target)
    if (known !== undefined) return known

    const { store } = this.tools
    const { facts, recompute: again } = reconcile(store, this.flowsInto(flow), flow, fromNow)
    const isSame = JSON.stringify(store.target(facts.name)) === JSON.stringify(facts)
    // Many targets have nothing new in most runs, so none is touched for nothing.
    if (again || !isSame)
      store.transact(() => {
        // Keys that the feed tells are known from its first record on: until then there is no table.
        if (facts.keys.length > 0) store.define(facts)
        if (again) recompute(store, facts, meaningOf(facts))
      })
    const draft = new TargetDraft(facts)
    this.drafts.set(flow.target, draft)
    return draft
  }
}
