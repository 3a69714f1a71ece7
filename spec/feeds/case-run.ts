import type { Value } from '../../src/core/value.ts'
import { readRows } from '../../src/inspect/rows.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { parseFlowFile } from '../../src/pipeline/flow-spec.ts'
import type { FlowFile, FlowSpec } from '../../src/pipeline/flow-spec-type.ts'
import type { Checkpoint, Source, SourceRecord } from '../../src/ports/source.ts'
import type { Store } from '../../src/ports/store.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { openSource, openStore, systemClock } from '../../src/wire.ts'

/** What a table and the places of records came to. */
export type Outcome = {
  readonly rows: readonly ReadonlyMap<string, Value>[]
  readonly quarantine: readonly Place[]
  readonly ignored: readonly Place[]
  readonly unknown: readonly Place[]
  /** The offset to be read next, by `topic:partition`. */
  readonly checkpoints: Readonly<Record<string, string>>
}

/** A place, as cases name it with or without the topic. */
export type Place = { readonly topic: string; readonly short: string }

/** A flow into a store of its own, and what became of each record. */
export class CaseRun implements AsyncDisposable {
  /** Records that were taken, in the order in which they were. */
  readonly accepted: Place[] = []
  readonly #ignored: Place[] = []
  readonly #unknown: Place[] = []
  readonly #file: FlowFile
  readonly #store: Store
  readonly #expressions = new SqliteExpressions()
  readonly #engine: Engine

  /** @param open makes the source that the flow's options name, unless the case needs another one */
  constructor(
    flow: object,
    base: string,
    open: (flow: FlowSpec) => Source = (spec) => openSource(spec, base),
  ) {
    this.#file = parseFlowFile({ store: { sqlite: 'store.db' }, flows: [flow] }, base)
    this.#store = openStore(this.#file, 'write')
    this.#engine = new Engine(this.#file, {
      store: this.#store,
      clock: systemClock,
      expressions: this.#expressions,
      openSource: open,
      observer: {
        onOutcome: (_, record, { kind }) => {
          if (kind === 'ignored') this.#ignored.push(placeOf(record))
          if (kind === 'accepted') this.accepted.push(placeOf(record))
        },
        onUnknown: (_, values) => {
          this.#unknown.push(...values.map(({ record }) => placeOf(record)))
        },
      },
    })
  }

  /** Where the flow stands before it runs. */
  startAt(checkpoints: readonly Checkpoint[]): void {
    this.#store.transact(() => {
      this.#store.saveCheckpoints('target', checkpoints)
    })
  }

  /** Reads to the end of what is there. */
  async bounded(): Promise<void> {
    await this.#run('bounded', AbortSignal.timeout(TOO_LONG_MS))
  }

  /** Reads until the flow stands where the case has it; gives up after a while. */
  async until(isThere: (outcome: Outcome) => boolean): Promise<void> {
    const enough = new AbortController()
    const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(TOO_LONG_MS)])
    await this.#run('continuous', signal, () => {
      if (isThere(this.outcome())) enough.abort()
    })
  }

  outcome(): Outcome {
    const store = this.#store
    const facts = store.target('target')
    return {
      rows: facts === null ? [] : [...readRows(store, facts, {})].map(asMap),
      quarantine: [...store.quarantine(null)].map(({ stream, partition, number }) => ({
        topic: stream,
        short: `${partition}:${number}`,
      })),
      ignored: this.#ignored,
      unknown: this.#unknown,
      checkpoints: Object.fromEntries(
        store
          .checkpoints('target')
          .map(({ name, partition, next }) => [`${name}:${partition}`, String(next)]),
      ),
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#store[Symbol.dispose]()
    this.#expressions[Symbol.dispose]()
    return Promise.resolve()
  }

  async #run(
    mode: 'bounded' | 'continuous',
    signal: AbortSignal,
    onBatch: () => void = () => undefined,
  ): Promise<void> {
    await this.#engine.run({ flows: this.#file.flows, mode, signal, fromNow: false, onBatch })
  }
}

/** A run that takes longer than this has not ended. */
const TOO_LONG_MS = 20_000

function asMap({
  names,
  values,
}: {
  readonly names: readonly string[]
  readonly values: readonly Value[]
}): ReadonlyMap<string, Value> {
  return new Map(names.map((name, i) => [name, values[i] ?? null]))
}

function placeOf({ stream, number }: SourceRecord): Place {
  return { topic: stream.name, short: `${stream.partition}:${number}` }
}
