import { expect, test } from 'vitest'
import { data, emptied, filled, numbered } from '../../kafka/scripted-log.ts'
import { batch } from '../../kafka/scripted-log.ts'
import { ScriptedBroker, WITHOUT_TOPIC_IDS } from '../../kafka/scripted-broker.ts'
import { CODECS } from '../../../src/sources/kafka/codecs.ts'
import { checkpointAt, LIMITS, readAll, readUntil, sourceOf } from './reading.ts'

test('offsets that are gone and were not applied stop the run', async () => {
  await using broker = await ScriptedBroker.start({
    t: { partitions: [{ low: 150n, high: 400n }] },
  })
  await using source = sourceOf(broker.address)
  await expect(readAll(source, [checkpointAt(100)])).rejects.toThrow(
    'DATA_LOST: t:0 offsets 100..149 are gone and were not applied; build the target anew, or give the flow another name to go on from its start position',
  )
})

test('a log that ends before the checkpoint stops the run', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 40n }] } })
  await using source = sourceOf(broker.address)
  await expect(readAll(source, [checkpointAt(100)])).rejects.toThrow(
    'TOPIC_RECREATED_OR_TRUNCATED: t:0 ends at 40, checkpoint 100: it was made anew, or cut short; build the target anew, or give the flow another name to go on from its start position',
  )
})

test('a partition of a checkpoint that the topic has no longer stops the run', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 9n }] } })
  await using source = sourceOf(broker.address)
  await expect(readAll(source, [checkpointAt(5), checkpointAt(5, 1)])).rejects.toThrow(
    'TOPIC_RECREATED_OR_TRUNCATED: t:1 is gone, the topic has 1 partitions now',
  )
})

test('a topic that was made anew and has grown is told by its id', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 9n }] } })
  await using source = sourceOf(broker.address)
  const { checkpoints } = await readAll(source)
  broker.script.recreate('t', { partitions: [{ high: 50n }] })
  await expect(readAll(source, checkpoints)).rejects.toThrow(
    'TOPIC_RECREATED: t was made anew: its id is no longer the one read before',
  )
})

test('without ids a topic that was made anew is told by the record before the checkpoint', async () => {
  await using broker = await ScriptedBroker.start(
    { t: { partitions: [{ high: 9n }] } },
    WITHOUT_TOPIC_IDS,
  )
  await using source = sourceOf(broker.address)
  const { checkpoints } = await readAll(source)
  expect(JSON.parse(checkpoints[0]?.state ?? '')).toEqual({
    offset: 8,
    timestamp: 1_800_000_000_008,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })

  const other = { ...numbered(8n), timestamp: 1_700_000_000_000n }
  broker.script.recreate('t', { partitions: [{ log: [...filled(0n, 8n), batch([other])] }] })
  await expect(readAll(source, checkpoints)).rejects.toThrow(
    'TOPIC_RECREATED: t:0 record 8 is not the one applied before',
  )
})

test('a record before the checkpoint that compaction removed is no fault', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 9n }] } })
  await using source = sourceOf(broker.address)
  const { checkpoints } = await readAll(source)
  broker.script.set('t', 0, { log: [emptied(0, 8), data(9, { value: 'new' })] })
  expect(await readAll(source, checkpoints)).toMatchObject({
    records: ['t:0@9 new'],
    ends: { 't:0': 10 },
  })
})

test('a record before the checkpoint that retention removed is no fault', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 9n }] } })
  await using source = sourceOf(broker.address)
  const { checkpoints } = await readAll(source)
  broker.script.moveLogStart('t', 0, 9n)
  expect(await readAll(source, checkpoints)).toMatchObject({ records: [] })
})

test('a log start that moves past the position while reading stops the run', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 300n }] } })
  broker.after('Fetch', 't:0@0', () => broker.script.moveLogStart('t', 0, 1000n))
  await using source = sourceOf(broker.address)
  const limits = { ...LIMITS, maxRecords: 100 }
  await expect(readUntil(source, () => false, { limits })).rejects.toThrow(
    /DATA_LOST: t:0 offsets \d+\.\.999 are gone/,
  )
})

test('a topic that is made anew while it is read stops the run', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 5n }] } })
  broker.after('Fetch', 't:0@5', () => broker.script.recreate('t', { partitions: [{ high: 50n }] }))
  await using source = sourceOf(broker.address)
  const { checkpoints } = await readAll(source)
  await expect(readUntil(source, () => false, { after: checkpoints })).rejects.toThrow(
    'TOPIC_RECREATED: t was made anew',
  )
})

test('a partition that shrinks while it is read stops the run', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 5n }] } })
  broker.after('Fetch', 't:0@5', () => broker.script.set('t', 0, { high: 3n }))
  await using source = sourceOf(broker.address)
  await expect(readUntil(source, () => false, { after: [checkpointAt(5)] })).rejects.toThrow(
    'TOPIC_RECREATED_OR_TRUNCATED: t:0 ends at 3, checkpoint 5',
  )
})

test('a codec that is not there is named, and nothing is skipped', async () => {
  const log = filled(0n, 10n, { compression: 'zstd' })
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
  const { zstd, ...codecs } = CODECS
  expect(zstd).toBeDefined()
  await using source = sourceOf(broker.address, { codecs })
  await expect(readAll(source)).rejects.toThrow(
    'CODEC_MISSING: t:0 offset 0 is packed with zstd, for which no codec is there',
  )
})

test.each(['bits', 'length'] as const)(
  'a batch with damaged %s is not taken for data',
  async (damage) => {
    const log = [data(0), data(1, { value: 'x' }, { damage })]
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
    await using source = sourceOf(broker.address)
    await expect(readAll(source)).rejects.toThrow(
      /SOURCE_UNAVAILABLE: t:0: the .*batch at offset 1 .* after 4 attempts/,
    )
  },
)

test('a batch of 130,000 records is read', async () => {
  const records = Array.from({ length: 130_000 }, (_, index) => numbered(BigInt(index)))
  await using broker = await ScriptedBroker.start({
    t: { partitions: [{ log: [batch(records)] }] },
  })
  await using source = sourceOf(broker.address)
  const limits = { maxRecords: 200_000, maxBytes: 100_000_000, maxDelayMs: 10 }
  expect(await readAll(source, [], limits)).toMatchObject({
    batchSizes: [130_000],
    ends: { 't:0': 130_000 },
  })
})

test('a broker that is too old for us is told so', async () => {
  await using broker = await ScriptedBroker.start(
    { t: { partitions: [{ high: 1n }] } },
    { most: { Metadata: 3 } },
  )
  await using source = sourceOf(broker.address)
  await expect(readAll(source)).rejects.toThrow(
    'CLIENT_CRASH: the broker speaks no version of Metadata that we do (12, 10, 6, 5, 4); it is too old or too new',
  )
})
