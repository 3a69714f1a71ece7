import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Lines } from '../src/formats/lines.ts'
import { Engine } from '../src/pipeline/engine.ts'
import { parseFlowFile } from '../src/pipeline/flow-spec.ts'
import type { Source, SourceBatch } from '../src/ports/source.ts'
import { SqliteExpressions } from '../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { SqliteStore } from '../src/stores/sqlite/sqlite-store.ts'

const RUNS = { numRuns: Number(process.env['FC_RUNS'] ?? 100) }

const expressions = new SqliteExpressions()

/** Mostly what is plain: few keys and sequences, so that changes meet. */
const plain = fc.record({
  id: fc.nat({ max: 3 }),
  s: fc.integer({ min: 1, max: 4 }),
  op: fc.constantFrom('u', 'u', 'u', 'd'),
  v: fc.constantFrom<unknown>('a', 'ü', 'a "b"', null, 1.5, true),
})
const odd = fc.record(
  {
    id: fc.constantFrom<unknown>(0, '1', null, 1.5, -2, 1e10, true, [1]),
    s: fc.constantFrom<unknown>(1, 2, 2.5, null, 'x', -1, 2 ** 53),
    op: fc.constantFrom<unknown>('u', 'd', null, 1, 'w'),
    v: fc.constantFrom<unknown>('b', { a: 1 }, [null]),
    w: fc.constantFrom<unknown>(1, 'c'),
  },
  { requiredKeys: [] },
)
const line = fc.oneof(
  { weight: 6, arbitrary: plain.map((row) => JSON.stringify(row)) },
  { weight: 1, arbitrary: odd.map((row) => JSON.stringify(row)) },
  { weight: 1, arbitrary: fc.constantFrom('', '{"id":1', '{"s":3,"id":1,"v":"c","op":"u"}') },
)
type Options = Readonly<Record<string, unknown>> & {
  readonly beside?: Readonly<Record<string, unknown>>
}

/** Files of two names, a piece of one or the other at a time, and where a second run begins. */
const feed = fc.record({
  pieces: fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.array(line, { maxLength: 8 })), {
    maxLength: 8,
    size: 'max',
  }),
  cut: fc.nat({ max: 8 }),
  options: fc.constantFrom<Options>(
    {},
    { sequence_by: { column: 's', type: 'integer' } },
    { where: "op IS NULL OR op <> 'w'" },
    { keys: ['id', 'op'] },
    { column_list: ['v'] },
    { ignore_null_updates: true },
    { ignore_null_updates: true, missing_columns: 'keep' },
    { ignore_null_updates_column_list: ['v'] },
    { missing_columns: 'keep' },
    // What gives the columns of a target writers of their own may be another flow.
    { beside: { name: 'other', ignore_null_updates: true } },
  ),
})

type Feed = typeof feed extends fc.Arbitrary<infer T> ? T : never

test('P3 a run over a backlog comes to the same whether or not somebody asks what became of each record', async () => {
  await fc.assert(
    fc.asyncProperty(feed, async (given) => {
      expect(await told(given, false)).toEqual(await told(given, true))
    }),
    RUNS,
  )
})

/** What two runs, the second from the cut on, come to: their counts, the rows, and what was set aside. */
async function told({ pieces, cut, options }: Feed, isWatched: boolean) {
  using store = new SqliteStore(':memory:')
  const flow = { target: 't', source: { files: '*.ndjson' }, keys: 'id', sequence_by: 's' }
  const spec: Options & Readonly<Record<string, unknown>> = {
    ...flow,
    apply_as_deletes: "op = 'd'",
    max_refused_fraction: null,
    ...options,
  }
  const { beside, ...own } = spec
  const others = beside === undefined ? [] : [{ ...own, ...beside }]
  const file = parseFlowFile(
    { store: { memory: true }, flows: [{ ...own, name: 't' }, ...others] },
    '/',
  )
  const runs: unknown[] = []
  for (const part of [pieces.slice(0, cut), pieces.slice(cut)]) {
    const engine = new Engine(file, {
      store,
      expressions,
      clock: { micros: () => 1n },
      openSource: () => sourceOf(part, runs.length * 1000),
      ...(isWatched ? { observer: { onOutcome: () => undefined } } : {}),
    })
    const { signal } = new AbortController()
    const onBatch = () => undefined
    const bounded = {
      flows: file.flows.slice(0, 1),
      mode: 'bounded',
      signal,
      fromNow: false,
    } as const
    const [run] = await engine.run({ ...bounded, onBatch })
    runs.push(run?.totals.counts)
  }
  const facts = store.target('t')
  const rows = facts === null ? [] : Array.from(store.rows('t', { valid: null, system: null }))
  const aside = Array.from(store.quarantine('t'), ({ code, number, stream }) => [
    code,
    number,
    stream,
  ])
  return { runs, columns: facts?.columns, rows, aside }
}

function sourceOf(pieces: Feed['pieces'], before: number): Source {
  const places = new Map<string, number>()
  return {
    async *read() {
      for (const [name, lines] of pieces) {
        const next = places.get(name) ?? before + 1
        const stream = { name, partition: 0 }
        const from = { offset: next * 100, next, state: '' }
        const framing = new Lines({ stream, from, maxRecordBytes: 1000 })
        const { records } = framing.push(Buffer.from(lines.map((each) => `${each}\n`).join('')))
        const { next: then } = framing.place
        places.set(name, then)
        const checkpoints = [{ ...stream, next: then, state: '' }]
        const batch: SourceBatch = { records, checkpoints, bytes: 100 }
        if (records.length > 0) yield await Promise.resolve(batch)
      }
    },
    lag: () => Promise.resolve([]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
