import { readRows } from '../../src/inspect/rows.ts'
import { jsonText } from '../../src/core/display.ts'
import { TidemarkError } from '../../src/core/errors.ts'
import { JsonRecords } from '../../src/formats/json-record.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import type { FlowFile } from '../../src/pipeline/flow-spec-type.ts'
import { parseFlowFile } from '../../src/pipeline/flow-spec.ts'
import type { SourceRecord, StreamName } from '../../src/ports/source.ts'
import type { Store } from '../../src/ports/store.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { SqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { readJson, writeJson, type JsonObject } from '../models/json.ts'
import type { Delivery, FlowOptions } from '../models/scenario.ts'

/** The target of every scenario. */
export const TARGET = 'target'

const expressions = new SqliteExpressions()

/** A real engine on a real SQLite store, fed the records of a scenario with their positions. */
export class EngineUnderTest implements Disposable {
  readonly store: Store
  /** Code of the fault that stopped the scenario, null while it goes on. */
  fault: string | null = null
  private readonly file: FlowFile
  private readonly records = new JsonRecords()
  private readonly streams = new Map<string, StreamName>()
  private engine: Engine
  /** Microseconds; one per commit, so that system times are batch numbers to the eye. */
  private now = 0n

  constructor(flows: readonly FlowOptions[], path = ':memory:') {
    this.file = fileOf(flows)
    this.store = new SqliteStore(path)
    this.engine = this.open()
  }

  /** Commits one batch; after a fault nothing more is delivered. */
  deliver(batch: readonly Delivery[]): void {
    if (this.fault !== null) return
    for (const [flow, records] of byFlow(batch, this.file)) {
      const spec = this.file.flows.find(({ name }) => name === flow)
      if (spec === undefined) throw new Error(`no flow ${flow}`)
      try {
        this.engine.guarded(() => {
          this.engine
            .open(spec, false)
            .commit({ records: records.map((each) => this.record(each)), checkpoints: [] })
        })
      } catch (error) {
        if (!(error instanceof TidemarkError)) throw error
        this.fault = error.code
        return
      }
    }
  }

  /** Goes on as a process does that was started again: nothing is left in memory. */
  restart(): void {
    this.engine = this.open()
  }

  /** The target's rows, all columns, exact numbers. */
  rows(): JsonObject[] {
    const facts = this.store.target(TARGET)
    if (facts === null) return []
    return [...readRows(this.store, facts, {})].map(({ names, values }) => {
      const members = names.map(
        (name, i) => `${JSON.stringify(name)}:${jsonText(values[i] ?? null)}`,
      )
      return readJson(`{${members.join(',')}}`) as JsonObject
    })
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]()
  }

  private open(): Engine {
    return new Engine(this.file, {
      store: this.store,
      clock: { micros: () => (this.now += 1n) },
      expressions,
      openSource: () => {
        throw new Error('scenarios are delivered, not read')
      },
    })
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

/** System times of the engine as numbers of commits from 1, as the oracle counts them. */
export function withBatchNumbers(rows: readonly JsonObject[], store: Store): JsonObject[] {
  void store
  const number = (time: JsonObject[string]) =>
    typeof time === 'string' ? Number(/\.(\d+)Z$/.exec(time)?.[1]?.padEnd(6, '0') ?? 0) : null
  return rows.map((row) => ({
    ...row,
    __SYSTEM_START_AT: number(row['__SYSTEM_START_AT'] ?? null),
    __SYSTEM_END_AT: number(row['__SYSTEM_END_AT'] ?? null),
  }))
}

function fileOf(flows: readonly FlowOptions[]): FlowFile {
  const specs = flows.map((flow, i) => ({
    ...flow,
    name: flow.name ?? (flows.length === 1 ? TARGET : `flow${i}`),
    target: TARGET,
    source: { events: true },
    max_refused_fraction: null,
  }))
  return parseFlowFile({ store: { memory: true }, flows: specs }, '/')
}

function byFlow(batch: readonly Delivery[], file: FlowFile): Map<string, Delivery[]> {
  const groups = new Map<string, Delivery[]>()
  for (const delivery of batch) {
    const flow = delivery.flow ?? file.flows[0]?.name ?? ''
    groups.set(flow, [...(groups.get(flow) ?? []), delivery])
  }
  return groups
}
