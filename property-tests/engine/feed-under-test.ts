import { jsonText } from '../../src/core/display.ts'
import { keyOf } from '../../src/core/key.ts'
import { messageFormat } from '../../src/formats/message-formats.ts'
import type { MessageFormat } from '../../src/formats/message.ts'
import { MessageRecord } from '../../src/formats/message-record.ts'
import { examine } from '../../src/inspect/doctor.ts'
import { readRows } from '../../src/inspect/rows.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { messageFormatOf } from '../../src/pipeline/flow-spec-messages.ts'
import type { FlowFile } from '../../src/pipeline/flow-spec-type.ts'
import { parseFlowFile } from '../../src/pipeline/flow-spec.ts'
import type { Checkpoint, SourceRecord } from '../../src/ports/source.ts'
import type { UnsettledMove } from '../../src/ports/moves.ts'
import type { Store } from '../../src/ports/store.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { SqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import { text, UNAVAILABLE, type FeedMessage } from '../models/feed.ts'

type Options = Readonly<Record<string, unknown>>

const expressions = new SqliteExpressions()

/** A real engine on a real store, fed the messages of one topic through the real decoder. */
export class FeedUnderTest implements Disposable {
  readonly store: Store
  /** Values that nothing supplied, as `partition:offset column`, batch by batch. */
  readonly unknown: string[][] = []
  private readonly kind: 1 | 2
  private file: FlowFile
  private engine: Engine
  private format: MessageFormat
  private readonly streams = new Map<number, SourceRecord['stream']>()
  private now = 0n

  constructor(kind: 1 | 2, store: Store = new SqliteStore(':memory:'), more: Options = {}) {
    this.store = store
    this.kind = kind
    this.file = fileOf(kind, {}, more)
    this.format = formatOf(this.file)
    this.engine = this.open()
  }

  /** Commits messages as one batch. */
  deliver(messages: readonly FeedMessage[]): this {
    this.unknown.push([])
    const [flow] = this.file.flows
    if (flow === undefined || messages.length === 0) return this
    const records = messages.map((each) => this.record(each))
    this.engine.guarded(() => {
      this.engine.open(flow, false).commit({ records, checkpoints: this.checkpoints(messages) })
    })
    return this
  }

  /** Commits batches in turn. */
  deliverAll(batches: readonly (readonly FeedMessage[])[]): this {
    for (const batch of batches) this.deliver(batch)
    return this
  }

  /** Goes on as a process does that was started again. */
  restart(): void {
    this.streams.clear()
    this.engine = this.open()
  }

  /** Starts again with other options of the source and of the flow. */
  reconfigure(source: Options, more: Options = {}): void {
    this.file = fileOf(this.kind, source, more)
    this.format = formatOf(this.file)
    this.restart()
  }

  /** The rows of the target as the oracle spells them. */
  table(): string[] {
    const facts = this.store.target('t')
    if (facts === null) return []
    return [...readRows(this.store, facts, {})]
      .map(({ names, values }) => {
        const cells = Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]))
        const { __START_AT: from, __END_AT: to, __START_TIME, __END_TIME, ...own } = cells
        const shown = text(own).join('')
        if (from === undefined) return shown
        return `[${jsonText(from)}, ${to === null || to === undefined ? '∞' : jsonText(to)}) ${shown}`
      })
      .toSorted()
  }

  /** Changes of keys into some keys that are not settled. */
  unsettled(keys: readonly number[]): UnsettledMove[] {
    return keys.flatMap((key) => this.store.movesTo('t', keyOf([key])))
  }

  /** What doctor finds wrong. */
  findings(): string[] {
    return Array.from(examine(this.store, this.store.targets(), ['t']), ({ message }) => message)
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
        throw new Error('messages are delivered, not read')
      },
      observer: {
        onUnknown: (_, values) => {
          this.unknown
            .at(-1)
            ?.push(
              ...values.map(
                ({ record, column }) => `${record.stream.partition}:${record.number} ${column}`,
              ),
            )
        },
      },
    })
  }

  private record({ partition, offset, key, value, headers }: FeedMessage): SourceRecord {
    const stream = this.streams.get(partition) ?? { name: 'topic', partition }
    this.streams.set(partition, stream)
    const bytes = (part: string | null) => (part === null ? null : Buffer.from(part))
    return new MessageRecord(
      {
        stream,
        offset,
        key: bytes(key),
        value: bytes(value),
        headers: headers.map(([name, part]) => [name, Buffer.from(part)]),
        timestamp: null,
      },
      this.format,
    )
  }

  /** Never back: what is read again was read. */
  private checkpoints(messages: readonly FeedMessage[]): Checkpoint[] {
    const known = this.store.checkpoints('t')
    return [...new Set(messages.map(({ partition }) => partition))].map((partition) => {
      const before = known.find((each) => each.partition === partition)?.next ?? 0
      const offsets = messages.filter((each) => each.partition === partition)
      const next = Math.max(before, ...offsets.map(({ offset }) => offset + 1))
      return { name: 'topic', partition, next, state: '' }
    })
  }
}

function formatOf({ flows: [flow] }: FlowFile): MessageFormat {
  const name = flow === undefined ? null : messageFormatOf(flow.source)
  return messageFormat(name ?? 'debezium-json', { unavailableValue: UNAVAILABLE })
}

function fileOf(kind: 1 | 2, options: Options, more: Options): FlowFile {
  const source = { files: 'topic.ndjson', dump: true, format: 'debezium-json', ...options }
  const flow = { target: 't', stored_as_scd_type: kind, max_refused_fraction: null, source }
  return parseFlowFile({ store: { memory: true }, flows: [{ ...flow, ...more }] }, '/')
}
