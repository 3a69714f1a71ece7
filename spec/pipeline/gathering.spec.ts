import { expect, test } from 'vitest'
import { parseFlows } from '../../src/index.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { eventBatch } from '../../src/pipeline/event-batch.ts'
import type { Source, SourceBatch } from '../../src/ports/source.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { SqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'

const FLOW = { target: 't', source: { events: true }, keys: 'id', sequence_by: 's' }

/** Room for some dozens of records, however short they are. */
const GATHER_BYTES = 50_000

test('what a run gathers is committed together', async () => {
  using given = new Given(Array.from({ length: 300 }, () => ({ id: 1, s: 1 })))
  expect(await given.run('a')).toMatchObject({ read: 300, batches: 1 })
})

test('records set aside take memory beside their bytes, so that many short ones are committed on the way', async () => {
  using given = new Given(Array.from({ length: 300 }, () => ({ id: 1 })))
  const { read, quarantined, batches } = await given.run('a')
  expect({ read, quarantined }).toEqual({ read: 300, quarantined: 300 })
  expect(batches).toBeGreaterThan(4)
})

test.each([false, true])(
  'what another flow writes into the target meanwhile is not undone, with ignore_null_updates %s',
  async (ignore_null_updates) => {
    const apply = (): void => given.apply('b', { id: 1, s: 9, v: 'newest' })
    const events = [{ id: 1, s: 1, v: 'old' }, apply, { id: 1, s: 2, v: 'old too' }]
    using given = new Given(events, { ignore_null_updates })
    expect(await given.run('a')).toMatchObject({ read: 2, batches: 2 })
    expect(given.rows()).toEqual([[1, 9, 'newest']])
  },
)

test.each([false, true])(
  'two runs into one target at once make what they make one after the other, with ignore_null_updates %s',
  async (ignore_null_updates) => {
    using given = new Given(
      [
        { id: 1, s: 1, v: 'old' },
        { id: 2, s: 1, v: 'new' },
      ],
      {
        ignore_null_updates,
      },
    )
    await Promise.all([given.run('a'), given.run('c')])
    expect(given.rows()).toEqual([
      [1, 5, 'newer'],
      [2, 1, 'new'],
    ])
  },
)

type Event = Readonly<Record<string, unknown>>

/** Three flows into one target: the first reads what is given, event by event, the last has one of its own. */
class Given implements Disposable {
  readonly #store = new SqliteStore(':memory:')
  readonly #expressions = new SqliteExpressions()
  readonly #engine: Engine
  readonly #file

  constructor(steps: readonly (Event | (() => void))[], options: Event = {}) {
    const flows = ['a', 'b', 'c'].map((name) => ({ ...FLOW, name, ...options }))
    this.#file = parseFlows({ store: { memory: true }, flows }, '.')
    this.#engine = new Engine(this.#file, {
      store: this.#store,
      expressions: this.#expressions,
      gatherBytes: GATHER_BYTES,
      clock: { micros: () => 1n },
      openSource: ({ name }) => sourceOf(name === 'a' ? steps : [{ id: 1, s: 5, v: 'newer' }]),
    })
  }

  /** Runs a flow to the end of its source; gives what it counted. */
  async run(name: string) {
    const flows = this.#file.flows.filter((flow) => flow.name === name)
    const { signal } = new AbortController()
    const onBatch = () => undefined
    const options = { flows, mode: 'bounded', signal, fromNow: false, onBatch } as const
    const [run] = await this.#engine.run(options)
    return run?.totals.counts ?? { read: 0, quarantined: 0, batches: 0 }
  }

  /** Hands an event over to a flow, from code. */
  apply(name: string, event: Event): void {
    for (const flow of this.#file.flows) {
      if (flow.name === name) this.#engine.open(flow, false).commit(batchFrom(1, event))
    }
  }

  rows(): unknown[] {
    return [...this.#store.rows('t', { valid: null, system: null })].map(({ row }) => row)
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]()
    this.#expressions[Symbol.dispose]()
  }
}

function sourceOf(steps: readonly (Event | (() => void))[]): Source {
  return {
    async *read() {
      for (const [i, step] of steps.entries()) {
        if (typeof step === 'function') step()
        else yield await Promise.resolve(batchFrom(i + 1, step))
      }
    },
    lag: () => Promise.resolve([]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function batchFrom(number: number, event: Event): SourceBatch {
  const before = [{ name: 'events', partition: 0, next: number, state: '' }]
  return { ...eventBatch([event], before), bytes: 16 }
}
