import { expect, test } from 'vitest'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTidemark, parseFlows } from '../../src/index.ts'
import type { Telemetry, TelemetryEvent } from '../../src/index.ts'
import { hintOf } from '../../src/formats/hint.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { eventBatch } from '../../src/pipeline/event-batch.ts'
import type { Checkpoint, Source, SourceBatch, StreamLag } from '../../src/ports/source.ts'
import type { OnNotice, SourceNotice } from '../../src/ports/telemetry.ts'
import { MemoryStore } from '../../src/stores/memory/memory-store.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'

const FLOW = {
  target: 't',
  source: { events: true },
  keys: 'id',
  sequence_by: 's',
  where: "kind <> 'noise'",
  expectations: [
    { name: 'small', expect: 'id < 100', on_violation: 'drop' },
    { name: 'known', expect: "kind <> 'odd'", on_violation: 'warn' },
  ],
}

test('a flow tells of its start, its outages, each commit and its end', async () => {
  const events = await told(FLOW, [
    batch(
      { id: 1, s: 2, kind: 'a' },
      { id: 1, s: 1, kind: 'odd' },
      { id: 1, s: 1, kind: 'noise' },
      { id: null, s: 1, kind: 'a' },
      { id: 100, s: 1, kind: 'a' },
    ),
    { event: 'source_outage_began', reason: 'no broker answers' },
    { event: 'source_outage_ended', seconds: 3 },
    { records: [], checkpoints: [] },
    {
      ...batch(),
      records: [
        { ...RECORD, decoded: { kind: 'ignored', reason: 'heartbeat' } },
        { ...RECORD, decoded: { kind: 'ignored', reason: 'heartbeat' } },
        { ...RECORD, decoded: { kind: 'images', images: [] } },
      ],
    },
  ])
  const nothing = {
    accepted: 0,
    dropped: 0,
    quarantined: 0,
    changes: 0,
    late: 0,
    ties: 0,
    warned: 0,
  }
  expect(events).toEqual([
    { event: 'flow_started', flow: 't', target: 't', source: 'events' },
    {
      event: 'batch_committed',
      flow: 't',
      read: 5,
      accepted: 2,
      ignored: 1,
      dropped: 1,
      quarantined: 1,
      changes: 2,
      late: 1,
      ties: 0,
      warned: 1,
      ignored_by: { where: 1 },
      quarantined_by: { NULL_KEY: 1 },
      unknown_values: 0,
      bytes: 55,
      seconds: 1,
      system_time: '1970-01-01T00:00:00.000002Z',
    },
    { event: 'source_outage_began', flow: 't', reason: 'no broker answers' },
    { event: 'source_outage_ended', flow: 't', seconds: 3 },
    {
      event: 'batch_committed',
      flow: 't',
      read: 3,
      ignored: 3,
      ...nothing,
      ignored_by: { heartbeat: 2, 'no rows': 1 },
      quarantined_by: {},
      unknown_values: 0,
      bytes: 55,
      seconds: 1,
      system_time: '1970-01-01T00:00:00.000003Z',
    },
    {
      event: 'flow_ended',
      flow: 't',
      ...nothing,
      read: 8,
      accepted: 2,
      ignored: 4,
      dropped: 1,
      quarantined: 1,
      changes: 2,
      late: 1,
      warned: 1,
      batches: 2,
      seconds: expect.any(Number),
      system_time: '1970-01-01T00:00:00.000003Z',
    },
  ])
})

test('unavailable values that nothing supplies are counted, in the batch that has them', async () => {
  const names = ['id', 's', 'kind', 'v']
  const image = (id: number, s: number) => ({
    ...RECORD,
    decoded: {
      kind: 'image',
      shape: { names },
      values: [id, s, 'a', null],
      hint: hintOf({ unavailable: ['v'] }),
    } as const,
  })
  const source = { files: 'topic.ndjson', dump: true, format: 'ogg-json' }
  const events = await told({ ...FLOW, source }, [
    batch({ id: 1, s: 1, kind: 'a', v: 'known' }),
    { ...batch(), records: [image(1, 2), image(2, 2), image(3, 2)] },
  ])
  const counted = events.flatMap((event) =>
    event.event === 'batch_committed' ? [event.unknown_values] : [],
  )
  expect(counted).toEqual([0, 2])
})

test('a flow that a fault stops tells its code and its message', async () => {
  const recording = new Recording()
  const flow = { ...FLOW, on_error: 'fail' }
  const running = run(flow, [batch({ id: null, s: 1, kind: 'a' })], recording)
  await expect(running).rejects.toThrow('NULL_KEY')
  expect(recording.events.at(-1)).toEqual({
    event: 'flow_failed',
    flow: 't',
    code: 'NULL_KEY',
    message: 'the key column "id" is null or missing (flow "t", events:1)',
  })
})

test('a refused record that stops its flow is placed by partition and offset', async () => {
  const stream = { name: 'users', partition: 1 }
  const { records, ...rest } = batch({ id: null, s: 1, kind: 'a' })
  const placed = { ...rest, records: records.map((record) => ({ ...record, stream })) }
  await expect(run({ ...FLOW, on_error: 'fail' }, [placed], new Recording())).rejects.toThrow(
    'is null or missing (flow "t", users[1]:1)',
  )
})

test('a column that no record has is told once, after a thousand records or at the end', async () => {
  const flow = { ...FLOW, where: "kind <> 'noise' and other is null" }
  const thousand = Array.from({ length: 1_000 }, (_, i) => ({ id: 1, s: i, kind: 'a' }))
  const one = { id: 1, s: 1_001, kind: 'a' }
  expect(warningsIn(await told(flow, [batch(one), batch(...thousand), batch(one)]))).toEqual([
    'batch',
    'batch',
    'flow "t" names the column "other", which none of the first 1001 records had',
    'batch',
  ])
  expect(warningsIn(await told(flow, [batch(one), batch(one)]))).toEqual([
    'batch',
    'batch',
    'flow "t" names the column "other", which no record of this run had',
  ])
})

test('the lag is that of the committed checkpoints, and is watched while the flow runs', async () => {
  const recording = new Recording()
  const ask = async () => void (await recording.lag?.())
  const asked = await run(FLOW, [batch({ id: 1, s: 1, kind: 'a' }), ask], recording)
  expect(asked).toEqual([[{ name: 'events', partition: 0, next: 2, state: '' }]])
  expect(recording.lag).toBeNull()
})

test('each snapshot tells what became of it, and an applied one its commit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-told-'))
  try {
    for (const [name, rows] of [
      ['1.csv', 'id,v\n1,a\n2,b\n'],
      ['2.csv', 'id,v\n'],
    ] as const) {
      writeFileSync(join(folder, name), rows)
    }
    const source = {
      snapshots: '*.csv',
      version: { file_name: String.raw`(\d+)\.csv`, type: 'integer' },
    }
    const spec = { store: { memory: true }, flows: [{ target: 'p', source, keys: 'id' }] }
    const telemetry = new Recording()
    using tidemark = openTidemark(parseFlows(spec, folder))
    await expect(tidemark.run({ mode: 'bounded', telemetry })).rejects.toThrow('EMPTY_SNAPSHOT')

    const { events } = telemetry
    expect(events.map(({ event }) => event)).toEqual([
      'flow_started',
      'batch_committed',
      'snapshot_done',
      'snapshot_refused',
      'flow_failed',
    ])
    expect(events[1]).toMatchObject({ read: 2, accepted: 2, changes: 2, bytes: 6 })
    expect(events[2]).toEqual({
      event: 'snapshot_done',
      flow: 'p',
      snapshot: '1.csv',
      version: '1',
      outcome: 'applied',
      late: false,
      rows: 2,
      inserted: 2,
      updated: 0,
      deleted: 0,
      unchanged: 0,
      seconds: expect.any(Number),
    })
    expect(events[3]).toMatchObject({ snapshot: '2.csv', version: '2', code: 'EMPTY_SNAPSHOT' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** What a source does one after the other: give a batch, tell something, or wait for some work. */
type Step = SourceBatch | SourceNotice | (() => Promise<void>)

const RECORD = {
  stream: { name: 'events', partition: 0 },
  number: 1,
  bytes: Buffer.from(''),
  timestamp: null,
}

/** A batch of events. It claims to have taken 55 bytes. */
function batch(...events: readonly Readonly<Record<string, unknown>>[]): SourceBatch {
  return { ...eventBatch(events, []), bytes: 55 }
}

/** What a flow tells whose source does these steps. */
async function told(
  flow: Readonly<Record<string, unknown>>,
  steps: readonly Step[],
): Promise<readonly TelemetryEvent[]> {
  const recording = new Recording()
  await run(flow, steps, recording)
  return recording.events
}

/** Runs a flow over a source that does these steps; gives the checkpoints that its lag was asked for. */
async function run(
  flow: Readonly<Record<string, unknown>>,
  steps: readonly Step[],
  telemetry: Telemetry,
): Promise<readonly (readonly Checkpoint[])[]> {
  const file = parseFlows({ store: { memory: true }, flows: [flow] }, '.')
  const asked: (readonly Checkpoint[])[] = []
  let now = 0n
  using expressions = new SqliteExpressions()
  using store = new MemoryStore()
  const engine = new Engine(file, {
    store,
    expressions,
    clock: { micros: () => (now += 1n) },
    openSource: (_, onNotice) => sourceOf(steps, onNotice, asked),
  })
  const { signal } = new AbortController()
  const { flows } = file
  const onBatch = () => undefined
  await engine.run({ flows, mode: 'continuous', signal, fromNow: false, onBatch, telemetry })
  return asked
}

function sourceOf(
  steps: readonly Step[],
  onNotice: OnNotice,
  asked: (readonly Checkpoint[])[],
): Source {
  return {
    async *read() {
      for (const step of steps) {
        if (typeof step === 'function') await step()
        else if ('event' in step) onNotice(step)
        else yield step
      }
    },
    lag: (after) => {
      asked.push(after)
      return Promise.resolve([])
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Keeps what it is told. Its clock goes on by a second whenever it is looked at. */
class Recording implements Telemetry {
  readonly events: TelemetryEvent[] = []
  /** Of the flow that is watched. */
  lag: (() => Promise<readonly StreamLag[]>) | null = null
  private now = 0

  tell(event: TelemetryEvent): void {
    this.events.push(event)
  }

  watch(_: string, lag: () => Promise<readonly StreamLag[]>): Disposable {
    this.lag = lag
    return { [Symbol.dispose]: () => void (this.lag = null) }
  }

  seconds(): number {
    return (this.now += 1)
  }
}

/** The batches as a word, the warnings as they are. */
function warningsIn(events: readonly TelemetryEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.event === 'batch_committed') return ['batch']
    return event.event === 'warning' ? [event.message] : []
  })
}
