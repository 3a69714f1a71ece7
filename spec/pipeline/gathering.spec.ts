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
  expect(await commitsOf(300, { id: 1, s: 1 })).toBe(1)
})

test('records set aside take memory beside their bytes, so that many short ones are committed on the way', async () => {
  expect(await commitsOf(300, { id: 1 })).toBeGreaterThan(4)
})

/** How many commits a bounded run makes of the same event over and over. */
async function commitsOf(times: number, event: Readonly<Record<string, number>>): Promise<number> {
  using store = new SqliteStore(':memory:')
  using expressions = new SqliteExpressions()
  const file = parseFlows({ store: { memory: true }, flows: [FLOW] }, '.')
  const engine = new Engine(file, {
    store,
    expressions,
    gatherBytes: GATHER_BYTES,
    clock: { micros: () => 1n },
    openSource: () => sourceOf(times, event),
  })
  const { signal } = new AbortController()
  const onBatch = () => undefined
  const [run] = await engine.run({
    flows: file.flows,
    mode: 'bounded',
    signal,
    fromNow: false,
    onBatch,
  })
  expect(run?.totals.counts.read).toBe(times)
  return run?.totals.counts.batches ?? 0
}

function sourceOf(times: number, event: Readonly<Record<string, number>>): Source {
  return {
    async *read() {
      for (let i = 1; i <= times; i += 1) yield await Promise.resolve(batchFrom(i, event))
    },
    lag: () => Promise.resolve([]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function batchFrom(number: number, event: Readonly<Record<string, number>>): SourceBatch {
  const before = [{ name: 'events', partition: 0, next: number, state: '' }]
  return { ...eventBatch([event], before), bytes: 16 }
}
