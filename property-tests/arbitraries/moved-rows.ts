import fc from 'fast-check'
import type { FeedMessage } from '../models/feed.ts'
import { SourceTable, type SourceRow, type Statement, type Told } from '../models/source-table.ts'

/** A table, and a topic of it whose partitions may be read in any turns. */
export type MovedRows = { readonly source: SourceTable; readonly messages: readonly FeedMessage[] }

/** So few keys that rows follow each other under them, and one more than there are partitions. */
const KEYS = 4

const long = fc.constantFrom('x', 'y', 'z', null)

const row: fc.Arbitrary<SourceRow> = fc.record({ a: fc.nat({ max: 1 }), t: long, u: long })

/** Mostly leaves values alone. */
const changes: fc.Arbitrary<Partial<SourceRow>> = fc
  .record({
    a: fc.option(fc.nat({ max: 1 })),
    t: fc.option(fc.record({ value: long }), { freq: 1 }),
    u: fc.option(fc.record({ value: long }), { freq: 1 }),
    keeps: fc.boolean(),
  })
  .map(({ a, t, u, keeps }) => ({
    ...(a === null ? {} : { a }),
    ...(t === null || keeps ? {} : { t: t.value }),
    ...(u === null || keeps ? {} : { u: u.value }),
  }))

const which = fc.nat({ max: KEYS - 1 })

const statement: fc.Arbitrary<Statement> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('insert' as const), which, row }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('update' as const), which, changes }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('move' as const), which, to: which, changes }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), which }) },
  { weight: 1, arbitrary: fc.constant({ do: 'truncate' as const }) },
)

/** Whether a statement of another transaction that was written before it is told after it, and how much a restart then tells again. */
type Telling = { readonly overtakes: boolean; readonly back: number }

const telling: fc.Arbitrary<Telling> = fc.record({
  overtakes: fc.boolean(),
  back: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }) },
  ),
})

/** Rows that get other keys, again and again, in a topic of some partitions, as connectors tell of them that are killed at times. */
export const movedRows: fc.Arbitrary<MovedRows> = fc
  .record({
    partitions: fc.integer({ min: 2, max: 3 }),
    start: fc.array(row, { maxLength: 2 }),
    steps: fc.array(fc.record({ statement, telling }), {
      minLength: 1,
      maxLength: 14,
      size: 'max',
    }),
  })
  .map(({ partitions, start, steps }) => {
    const source = new SourceTable(KEYS, start)
    for (const step of steps) source.run(step.statement)
    const tellings = steps.map((step) => step.telling)
    const messages = placed(repeated(reordered(source.told, tellings), tellings), partitions)
    return { source, messages, [fc.toStringMethod]: () => messages.map(drawn).join(' · ') }
  })

/** In the order in which transactions ended: what concerns other keys may be told before what was written before it. */
function reordered(told: readonly Told[], tellings: readonly Telling[]): readonly Told[] {
  const out: Told[] = []
  for (const [i, each] of told.entries()) {
    const before = out.at(-1)
    const overtakes = tellings[i]?.overtakes === true && before !== undefined && i > 1
    if (overtakes && areApart(before, each)) out.splice(-1, 0, each)
    else out.push(each)
  }
  return out
}

function areApart({ keys: a }: Told, { keys: b }: Told): boolean {
  return a !== 'all' && b !== 'all' && [...a].every((key) => !b.has(key))
}

/** With what restarts tell again, from some statement on. */
function repeated(told: readonly Told[], tellings: readonly Telling[]): readonly Told[] {
  return told.flatMap((each, i) => {
    const back = tellings[i]?.back ?? 0
    return back === 0 ? [each] : [each, ...told.slice(Math.max(0, i + 1 - back), i + 1)]
  })
}

/** Each key in one partition; a truncate, which has no key, in any. */
function placed(told: readonly Told[], partitions: number): readonly FeedMessage[] {
  const ends = new Map<number, number>()
  return told.flatMap(({ said }, i) =>
    said.map(({ key, value, headers }): FeedMessage => {
      const partition = (key ?? i) % partitions
      const offset = ends.get(partition) ?? 0
      ends.set(partition, offset + 1)
      return {
        partition,
        offset,
        key: key === null ? null : JSON.stringify({ id: key }),
        value,
        headers,
      }
    }),
  )
}

/** A message as a counterexample shows it: `0:3 d 1@7 →2`. */
function drawn({ partition, offset, key, value, headers }: FeedMessage): string {
  const { op, after, source } = JSON.parse(value ?? '{"op":"∅","source":{}}') as {
    op: string
    after?: SourceRow | null
    source: { lsn?: number }
  }
  const to = headers.map(([name, text]) => `${name.slice(-6)} ${text}`).join('')
  const cells = after === undefined || after === null ? '' : ` t=${after.t} u=${after.u}`
  return `${partition}:${offset} ${op} ${key}@${source.lsn ?? ''}${cells} ${to}`
}
