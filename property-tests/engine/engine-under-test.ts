import { jsonText } from '../../src/core/display.ts'
import { TidemarkError } from '../../src/core/errors.ts'
import { JsonRecords } from '../../src/formats/json-record.ts'
import { examine } from '../../src/inspect/doctor.ts'
import { readRows, type RowQuery } from '../../src/inspect/rows.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import type { FlowFile } from '../../src/pipeline/flow-spec-type.ts'
import { parseFlowFile } from '../../src/pipeline/flow-spec.ts'
import { SILENT } from '../../src/pipeline/silent-telemetry.ts'
import type { Source, SourceBatch, SourceRecord, StreamName } from '../../src/ports/source.ts'
import type { FlowRecord, Quarantined } from '../../src/ports/store.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { SqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { readJson, tableText, writeJson, type JsonObject } from '../models/json.ts'
import type { Delivery, FlowOptions, Scenario } from '../models/scenario.ts'

/** The target of every scenario. */
export const TARGET = 'target'

const expressions = new SqliteExpressions()

/** How to set up an engine, where a scenario leaves it open. */
export type Setup = {
  /** File of the store; in memory unless given. */
  readonly path?: string
  /** A stalled clock never moves; system time moves all the same. */
  readonly clock?: 'ticking' | 'stalled'
  /** How many bytes a run may gather before it commits. */
  readonly gatherBytes?: number
  /** Options of every flow that scenarios do not have. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** A real engine on a real SQLite store, fed the records of a scenario with their positions. */
export class EngineUnderTest implements Disposable {
  store: SqliteStore
  /** Code of the fault that stopped the scenario, null while it goes on. */
  fault: string | null = null
  private readonly setup: Setup
  private flows: readonly FlowOptions[]
  private file: FlowFile
  private records = new JsonRecords()
  private streams = new Map<string, StreamName>()
  private engine: Engine
  /** Microseconds; one per commit, so that system times are batch numbers to the eye. */
  private now = 0n

  constructor(flows: readonly FlowOptions[], setup: Setup = {}) {
    this.setup = setup
    this.flows = flows
    this.file = fileOf(flows, setup)
    this.store = this.openStore()
    this.engine = this.openEngine()
  }

  /** Commits one batch, an empty one only to the clock; after a fault nothing more is delivered. */
  deliver(batch: readonly Delivery[]): void {
    if (this.fault !== null) return
    if (batch.length === 0) this.now += 1n
    for (const [flow, records] of byFlow(batch, this.file)) {
      const checkpoints = [{ name: 'feed', partition: 0, next: this.next(flow), state: '' }]
      this.attempt(() => {
        this.engine
          .open(specOf(this.file, flow), false)
          .commit({ records: records.map((each) => this.record(each)), checkpoints })
      })
    }
  }

  /** Commits batches in turn. */
  deliverAll(batches: readonly (readonly Delivery[])[]): this {
    for (const batch of batches) this.deliver(batch)
    return this
  }

  /** Runs flow after flow to the end of what the batches have for it, each piece by piece. */
  async gather(batches: readonly (readonly Delivery[])[]): Promise<this> {
    for (const flow of this.file.flows) {
      const pieces = batches.flatMap((batch) => byFlow(batch, this.file).get(flow.name) ?? [])
      const run = this.engine.open(flow, false)
      const onBatch = () => undefined
      const signal = new AbortController().signal
      await run.run(this.source(pieces), { mode: 'bounded', signal, telemetry: SILENT, onBatch })
    }
    return this
  }

  /** Goes on as a process does that was started again: nothing is left in memory. */
  restart(): void {
    if (this.setup.path !== undefined) {
      this.store[Symbol.dispose]()
      this.store = this.openStore()
    }
    this.records = new JsonRecords()
    this.streams = new Map()
    this.engine = this.openEngine()
  }

  /** Starts again with other options, and brings the target in line with them, accepting new columns `from now` or not. */
  reconfigure(flows: readonly FlowOptions[], more: 'refused' | 'from now' = 'refused'): void {
    this.flows = flows
    this.file = fileOf(flows, this.setup)
    this.restart()
    for (const { name } of this.file.flows) {
      this.attempt(() => this.engine.open(specOf(this.file, name), more === 'from now'))
    }
  }

  /** The target's rows, all columns, exact numbers. */
  rows(query: RowQuery = {}): JsonObject[] {
    const facts = this.store.target(TARGET)
    if (facts === null) return []
    return [...readRows(this.store, facts, query)].map(({ names, values }) => {
      const members = names.map(
        (name, i) => `${JSON.stringify(name)}:${jsonText(values[i] ?? null)}`,
      )
      return readJson(`{${members.join(',')}}`) as JsonObject
    })
  }

  /** The table as the oracle spells it: sorted rows, engine time as numbers of commits. */
  table(query: RowQuery = {}): string[] {
    const rows = this.rows(query)
    return tableText(hasEngineTime(this.flows) ? rows.map(withBatchNumbers) : rows)
  }

  /** What doctor finds wrong, one line each. */
  findings(): string[] {
    const names = this.file.flows.map(({ name }) => name)
    return Array.from(
      examine(this.store, this.store.targets(), names),
      ({ law, message }) => `${law}: ${message}`,
    )
  }

  /** What is remembered of a flow, the first one unless named; null before it ran. */
  remembered(flow = this.file.flows[0]?.name ?? ''): FlowRecord | null {
    return this.store.flow(flow)
  }

  /** The records set aside. */
  quarantine(): Quarantined[] {
    return [...this.store.quarantine(null)]
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]()
  }

  private attempt(work: () => unknown): void {
    if (this.fault !== null) return
    try {
      this.engine.guarded(work)
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error
      this.fault = error.code
    }
  }

  private next(flow: string): number {
    return 1 + (this.store.checkpoints(flow)[0]?.next ?? 0)
  }

  private openStore(): SqliteStore {
    return new SqliteStore(this.setup.path ?? ':memory:')
  }

  private openEngine(): Engine {
    const { clock, gatherBytes } = this.setup
    return new Engine(this.file, {
      store: this.store,
      clock: { micros: () => (clock === 'stalled' ? 1n : (this.now += 1n)) },
      expressions,
      ...(gatherBytes === undefined ? {} : { gatherBytes }),
      openSource: () => {
        throw new Error('scenarios are delivered, not read')
      },
    })
  }

  /** Each delivery a piece of its own. */
  private source(deliveries: readonly Delivery[]): Source {
    const pieces = deliveries.map((each, i): SourceBatch => {
      const record = this.record(each)
      const checkpoint = { name: 'feed', partition: 0, next: i + 2, state: '' }
      return { records: [record], checkpoints: [checkpoint], bytes: record.bytes.length }
    })
    return {
      async *read() {
        yield* pieces
      },
      lag: () => Promise.resolve([]),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  }

  private record({ position, record }: Delivery): SourceRecord {
    const bytes = Buffer.from(writeJson(record))
    return {
      stream: this.stream(position.name),
      number: position.number,
      bytes,
      decoded: this.records.decode(bytes),
      timestamp: null,
    }
  }

  private stream(name: string): StreamName {
    const known = this.streams.get(name) ?? { name, partition: 0 }
    this.streams.set(name, known)
    return known
  }
}

/** The table that the engine builds of a scenario. */
export function engineTable({ flows, deliveries }: Scenario, setup: Setup = {}): string[] {
  using engine = new EngineUnderTest(flows, setup)
  return engine.deliverAll(deliveries).table()
}

/** Whether the engine itself gives the system times of the target's rows. */
export function hasEngineTime(flows: readonly FlowOptions[]): boolean {
  return flows.some(
    ({ stored_as_scd_type, system_sequence_by }) =>
      stored_as_scd_type === 'bitemporal' && system_sequence_by === undefined,
  )
}

/** A row with the engine's system times as numbers of commits from 1, as the oracle counts them. */
function withBatchNumbers(row: JsonObject): JsonObject {
  const number = (time: JsonObject[string]) =>
    typeof time === 'string' ? Number(/\.(\d+)Z$/.exec(time)?.[1]?.padEnd(6, '0') ?? 0) : null
  return {
    ...row,
    __SYSTEM_START_AT: number(row['__SYSTEM_START_AT'] ?? null),
    __SYSTEM_END_AT: number(row['__SYSTEM_END_AT'] ?? null),
  }
}

function fileOf(flows: readonly FlowOptions[], { more }: Setup): FlowFile {
  const specs = flows.map((flow, i) => ({
    ...flow,
    name: flow.name ?? (flows.length === 1 ? TARGET : `flow${i}`),
    target: TARGET,
    source: { events: true },
    max_refused_fraction: null,
    ...more,
  }))
  return parseFlowFile({ store: { memory: true }, flows: specs }, '/')
}

function specOf(file: FlowFile, name: string) {
  const spec = file.flows.find((flow) => flow.name === name)
  if (spec === undefined) throw new Error(`no flow ${name}`)
  return spec
}

function byFlow(batch: readonly Delivery[], file: FlowFile): Map<string, Delivery[]> {
  const groups = new Map<string, Delivery[]>()
  for (const delivery of batch) {
    const flow = delivery.flow ?? file.flows[0]?.name ?? ''
    groups.set(flow, [...(groups.get(flow) ?? []), delivery])
  }
  return groups
}
