import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { StoreFile } from '../../property-tests/engine/store-file.ts'
import { parseFlows } from '../../src/index.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { eventBatch } from '../../src/pipeline/event-batch.ts'
import type { Source, SourceBatch } from '../../src/ports/source.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { SqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'

const FLOW = { target: 't', source: { events: true }, keys: 'id', sequence_by: 's' }

test('a checkpoint that somebody else moved stops the run, and nothing of the batch is written', async () => {
  using file = new StoreFile()
  using store = new SqliteStore(file.path)
  const running = run(store, [
    batchFrom(1, { id: 1, s: 1 }),
    () => sql(file.path, 'UPDATE __tidemark_checkpoints SET next = 5'),
    batchFrom(2, { id: 2, s: 1 }),
  ])
  await expect(running).rejects.toThrow(
    'CHECKPOINT_MOVED: the checkpoint of events[0] is at 5, where this run left it at 2: another run of the flow "t" wrote meanwhile; let only one run at a time',
  )
  expect(store.checkpoints('t')).toEqual([{ name: 'events', partition: 0, next: 5, state: '' }])
  expect(keysOf(store)).toEqual([1])
  expect(store.flow('t')?.counts.read).toBe(1)
  expect(store.flow('t')?.lastFault).toBe('CHECKPOINT_MOVED')
})

test('so does one that somebody else made, or took away', async () => {
  using file = new StoreFile()
  using store = new SqliteStore(file.path)
  const insert = `INSERT INTO __tidemark_checkpoints VALUES ('t', 'events', 0, 9, '')`
  await expect(
    run(store, [() => sql(file.path, insert), batchFrom(1, { id: 1, s: 1 })]),
  ).rejects.toThrow('events[0] is at 9, where this run left it at nowhere')
  await expect(
    run(store, [
      () => sql(file.path, 'DELETE FROM __tidemark_checkpoints'),
      batchFrom(9, { id: 1, s: 1 }),
    ]),
  ).rejects.toThrow('events[0] is at nowhere, where this run left it at 9')
  expect(store.target('t')?.seen).toEqual(['id'])
})

test('a run goes on from where the last one left off', async () => {
  using store = new SqliteStore(':memory:')
  await run(store, [batchFrom(1, { id: 1, s: 1 }), batchFrom(2, { id: 2, s: 1 })])
  await run(store, [batchFrom(3, { id: 3, s: 1 })])
  expect(keysOf(store)).toEqual([1, 2, 3])
})

/** What a source does one after the other: give a batch, or let somebody else work. */
type Step = SourceBatch | (() => void)

async function run(store: SqliteStore, steps: readonly Step[]): Promise<void> {
  using expressions = new SqliteExpressions()
  const file = parseFlows({ store: { memory: true }, flows: [FLOW] }, '.')
  const engine = new Engine(file, {
    store,
    expressions,
    clock: { micros: () => 1n },
    openSource: () => sourceOf(steps),
  })
  const { signal } = new AbortController()
  const onBatch = () => undefined
  await engine.run({ flows: file.flows, mode: 'continuous', signal, fromNow: false, onBatch })
}

function sourceOf(steps: readonly Step[]): Source {
  return {
    async *read() {
      for (const step of steps) {
        if (typeof step === 'function') step()
        else yield await Promise.resolve(step)
      }
    },
    lag: () => Promise.resolve([]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function batchFrom(next: number, event: Readonly<Record<string, unknown>>): SourceBatch {
  return eventBatch([event], [{ name: 'events', partition: 0, next, state: '' }])
}

/** Writes past the lock of the store. */
function sql(path: string, statement: string): void {
  const db = new Database(path)
  db.exec(statement)
  db.close()
}

function keysOf(store: SqliteStore): unknown[] {
  return [...store.rows('t', { valid: null, system: null })].map(({ row }) => row[0])
}
