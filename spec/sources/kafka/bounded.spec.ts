import { expect, test } from 'vitest'
import { abort, commit, data, emptied, filled } from '../../kafka/scripted-log.ts'
import { ScriptedBroker, WITHOUT_TOPIC_IDS } from '../../kafka/scripted-broker.ts'
import type { BatchLimits, Checkpoint, Source } from '../../../src/ports/source.ts'
import type { Read } from './reading.ts'
import { checkpointAt, readAll, readOf, sourceOf } from './reading.ts'

test('a bounded run reads every partition from its beginning to its end', async () => {
  await using broker = await ScriptedBroker.start({
    t: {
      partitions: [{ log: [data(0, { value: 'a' }), data(1, { value: 'b' })] }, { log: [data(0)] }],
    },
  })
  await using source = sourceOf(broker.address)
  expect(await readAll(source)).toMatchObject({
    records: expect.arrayContaining(['t:0@0 a', 't:0@1 b', 't:1@0 null']),
    ends: { 't:0': 2, 't:1': 1 },
  })
})

test('a bounded run reads from brokers that know no topic ids', async () => {
  await using broker = await ScriptedBroker.start(
    { t: { partitions: [{ log: [data(0, { value: 'a' })] }] } },
    WITHOUT_TOPIC_IDS,
  )
  await using source = sourceOf(broker.address)
  expect(await readAll(source)).toMatchObject({ records: ['t:0@0 a'], ends: { 't:0': 1 } })
})

test('a bounded run goes on at the checkpoint, not where the group has committed', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 7n }] } })
  broker.script.commitFor('*', 't', 0, 0n)
  await using source = sourceOf(broker.address)
  expect(await readAll(source, [checkpointAt(5)])).toMatchObject({
    records: ['t:0@5 {"id":5,"v":5}', 't:0@6 {"id":6,"v":6}'],
    ends: { 't:0': 7 },
  })
  expect([...broker.asked('OffsetFetch'), ...broker.asked('OffsetCommit')]).toEqual([])
})

test('empty partitions get a checkpoint at their end', async () => {
  await using broker = await ScriptedBroker.start({
    t: { partitions: [{}, { low: 77n, high: 77n }] },
  })
  await using source = sourceOf(broker.address)
  expect(await readAll(source)).toMatchObject({
    records: [],
    ends: { 't:0': 0, 't:1': 77 },
    batchSizes: [0],
  })
})

test('a run that finds nothing new yields nothing', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log: [data(0)] }] } })
  await using source = sourceOf(broker.address)
  const { checkpoints } = await readAll(source)
  expect(await readAll(source, checkpoints)).toMatchObject({ records: [], batchSizes: [] })
})

test('marks of transactions at the end move the checkpoint behind them', async () => {
  const log = [data(0, { value: 'a' }, { transaction: 7n }), commit(1, 7), commit(2, 8)]
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
  await using source = sourceOf(broker.address)
  expect(await readAll(source)).toMatchObject({ records: ['t:0@0 a'], ends: { 't:0': 3 } })
})

test('a batch that compaction emptied moves the checkpoint behind it', async () => {
  const log = [data(0), data(12), emptied(13, 19)]
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log, high: 20n }] } })
  await using source = sourceOf(broker.address)
  expect(await readAll(source)).toMatchObject({
    records: ['t:0@0 null', 't:0@12 null'],
    ends: { 't:0': 20 },
  })
})

test('a log whose end holds no batch at all is read to its end nevertheless', async () => {
  await using broker = await ScriptedBroker.start({
    t: {
      partitions: [
        { log: [data(0)], high: 30n },
        { log: [data(0)], high: 9n },
      ],
    },
  })
  await using source = sourceOf(broker.address)
  expect(await readAll(source)).toMatchObject({ ends: { 't:0': 30, 't:1': 9 } })
})

test('an open transaction ends the run where it began', async () => {
  const log = [data(0), data(1), data(2, {}, { transaction: 7n }), data(3)]
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log, lso: 2n }] } })
  await using committed = sourceOf(broker.address)
  expect(await readAll(committed)).toMatchObject({ ends: { 't:0': 2 }, batchSizes: [2] })

  await using uncommitted = sourceOf(broker.address, { isolation: 'read_uncommitted' })
  expect(await readAll(uncommitted)).toMatchObject({ ends: { 't:0': 4 }, batchSizes: [4] })
})

test('what is written after the start is left for the next run', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log: [data(0)] }] } })
  broker.after('Metadata', 't', () => broker.script.append('t', 0, data(1)))
  broker.after('Fetch', 't:0@0', () => broker.script.append('t', 0, data(2)))
  await using source = sourceOf(broker.address)
  expect(await readAll(source)).toMatchObject({ batchSizes: [2], ends: { 't:0': 2 } })
})

test('given-up data is left out, also of transactions that began before the checkpoint', async () => {
  const log = [
    data(3, {}, { transaction: 1n }),
    data(5, {}, { transaction: 2n }),
    data(10, {}, { transaction: 2n }),
    data(11, {}, { transaction: 1n }),
    data(12, {}, { transaction: 2n }),
    abort(13, 2),
    abort(14, 1),
    data(15, { value: 'kept' }, { transaction: 1n }),
    commit(16, 1),
  ]
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ low: 0n, log }] } })
  await using source = sourceOf(broker.address)
  expect(await readAll(source, [checkpointAt(10)])).toMatchObject({
    records: ['t:0@15 kept'],
    ends: { 't:0': 17 },
  })

  await using uncommitted = sourceOf(broker.address, { isolation: 'read_uncommitted' })
  expect((await readAll(uncommitted, [checkpointAt(10)])).batchSizes).toEqual([4])
})

test('a key that looks like the mark of an abort is data', async () => {
  const log = [
    data(10, { key: 'a' }, { transaction: 1n }),
    data(11, { key: Buffer.alloc(4) }, { transaction: 1n }),
    data(12, { key: 'b' }, { transaction: 1n }),
    abort(13, 1),
  ]
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ low: 0n, log }] } })
  await using source = sourceOf(broker.address)
  expect(await readAll(source, [checkpointAt(10)])).toMatchObject({
    records: [],
    ends: { 't:0': 14 },
  })
})

test('a topic that does not exist is named', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{}] } })
  await using source = sourceOf(broker.address, { topics: ['t', 'tpyo'] })
  await expect(readAll(source)).rejects.toThrow('NOT_FOUND: the topic tpyo does not exist')
})

test('a pattern reads every topic that it finds', async () => {
  await using broker = await ScriptedBroker.start({
    'crm.a': { partitions: [{ log: [data(0)] }] },
    'crm.b': { partitions: [{ log: [data(0)] }] },
    'erp.a': { partitions: [{ log: [data(0)] }] },
  })
  await using source = sourceOf(broker.address, { topics: String.raw`/^crm\./` })
  expect((await readAll(source)).ends).toEqual({ 'crm.a:0': 1, 'crm.b:0': 1 })

  await using nothing = sourceOf(broker.address, { topics: { pattern: '^x' } })
  await expect(readAll(nothing)).rejects.toThrow('NOT_FOUND: no topic matches /^x/u')
})

test('batches are cut by records and by bytes', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 5n }] } })
  await using source = sourceOf(broker.address)
  const byRecords = { maxRecords: 2, maxBytes: 1_000_000, maxDelayMs: 10 }
  expect(await readAll(source, [], byRecords)).toMatchObject({ batchSizes: [2, 2, 1] })
  // Key and value of a record are 8 and 14 bytes.
  const byBytes = { maxRecords: 1000, maxBytes: 50, maxDelayMs: 10 }
  expect(await readAll(source, [], byBytes)).toMatchObject({ batchSizes: [3, 2] })
})

test('a record larger than allowed is refused without being decoded', async () => {
  const log = [data(0, { value: 'small' }), data(1, { value: 'x'.repeat(100) })]
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
  await using source = sourceOf(broker.address, { maxRecordBytes: 50 })
  expect((await readAll(source)).records).toEqual([
    't:0@0 small',
    't:0@1 {"kind":"refusal","code":"TOO_LARGE","message":"100 bytes, max_record_bytes is 50"}',
  ])
})

test('however often a run is cut short, every record is handed over once', async () => {
  const log = [
    ...filled(0n, 30n),
    data(30, {}, { transaction: 1n }),
    data(31, { value: 'committed' }, { transaction: 2n }),
    abort(32, 1),
    commit(33, 2),
    emptied(34, 40),
    ...filled(41n, 60n),
  ]
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }, { high: 25n }] } })
  await using source = sourceOf(broker.address)
  const whole = await readAll(source)

  const limits = { maxRecords: 7, maxBytes: 1_000_000, maxDelayMs: 10 }
  const parts: string[] = []
  let after: readonly Checkpoint[] = []
  for (;;) {
    const { records, checkpoints } = await readFirst(source, after, limits)
    if (checkpoints.length === 0) break
    parts.push(...records)
    after = merged(after, checkpoints)
  }
  expect(parts.toSorted()).toEqual(whole.records.toSorted())
  expect(parts).toHaveLength(30 + 1 + 19 + 25)
  const ends = after.toSorted((a, b) => a.partition - b.partition)
  expect(ends.map(({ partition, next }) => [partition, next])).toEqual([
    [0, 60],
    [1, 25],
  ])
})

/** What a run commits that ends after its first batch. */
async function readFirst(
  source: Source,
  after: readonly Checkpoint[],
  limits: BatchLimits,
): Promise<Read> {
  for await (const batch of source.read(after, 'bounded', limits, AbortSignal.timeout(10_000))) {
    return readOf([batch])
  }
  return readOf([])
}

function merged(old: readonly Checkpoint[], moved: readonly Checkpoint[]): readonly Checkpoint[] {
  const kept = old.filter(({ partition }) => !moved.some((each) => each.partition === partition))
  return [...kept, ...moved]
}
