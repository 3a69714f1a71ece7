import { Kafka, logLevel } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { KafkajsReader } from './kafkajs-reader.ts'
import { ScriptedBroker } from './scripted-broker.ts'
import {
  FIRST_STAMP,
  abort,
  batch,
  commit,
  data,
  emptied,
  filled,
  numbered,
} from './scripted-log.ts'

/** The admin of kafkajs, for the time of one question. */
async function asAdmin<T>(
  broker: ScriptedBroker,
  ask: (admin: ReturnType<Kafka['admin']>) => Promise<T>,
): Promise<T> {
  const retry = { retries: 0 }
  const kafka = new Kafka({ brokers: [broker.address], logLevel: logLevel.NOTHING, retry })
  const admin = kafka.admin()
  await admin.connect()
  try {
    return await ask(admin)
  } finally {
    await admin.disconnect()
  }
}

describe('what is scripted is served', () => {
  test('records come at their own offsets, from several partitions', async () => {
    await using broker = await ScriptedBroker.start({
      t: {
        partitions: [{ log: [data(3, { value: 'a' }), data(9, { value: 'b' })] }, { high: 2n }],
      },
    })
    await using reader = await KafkajsReader.start(broker)
    await reader.until(({ seen }) => seen.length === 4)
    expect(reader.seen.toSorted()).toEqual([
      't:0@3 a',
      't:0@9 b',
      't:1@0 {"id":0,"v":0}',
      't:1@1 {"id":1,"v":1}',
    ])
  })

  test('committed transactions are seen and aborted ones are not, markers never', async () => {
    const log = [
      data(0, { value: 'kept' }, { transaction: 1n }),
      data(1, { value: 'given up' }, { transaction: 2n }),
      commit(2, 1),
      abort(3, 2),
      data(4, { value: 'after' }, { transaction: 2n }),
      commit(5, 2),
    ]
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
    await using reader = await KafkajsReader.start(broker)
    await broker.untilAsked('Fetch', 't:0@6')
    expect(reader.seen).toEqual(['t:0@0 kept', 't:0@4 after'])
  })

  test('nothing is given out from the last stable offset on', async () => {
    const log = [data(0, { value: 'a' }), data(1, { value: 'open' }, { transaction: 1n })]
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ log, lso: 1n }] } })
    await using reader = await KafkajsReader.start(broker)
    await broker.untilAsked('Fetch', 't:0@1', 3)
    expect(reader.seen).toEqual(['t:0@0 a'])
  })

  test('the watermarks are told, and the first offset since a time', async () => {
    await using broker = await ScriptedBroker.start({
      t: { partitions: [{ low: 5n, lso: 20n, high: 30n }] },
    })
    const since = Number(FIRST_STAMP) + 12
    const offsets = await asAdmin(broker, async (admin) => ({
      ends: await admin.fetchTopicOffsets('t'),
      since: await admin.fetchTopicOffsetsByTimestamp('t', since),
    }))
    expect(offsets).toEqual({
      ends: [{ partition: 0, offset: '20', high: '20', low: '5' }],
      since: [{ partition: 0, offset: '12' }],
    })
  })

  test('a small limit of bytes gives a batch at a time', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 300n }] } })
    await using reader = await KafkajsReader.start(broker, { maxBytesPerPartition: 1 })
    await reader.until(({ ended }) => ended.length === 3)
    expect(reader.ended).toEqual(['t:0@99', 't:0@199', 't:0@299'])
  })

  test('what a group commits is what it fetches, and the script can say otherwise', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 9n }] } })
    broker.script.commitFor('*', 't', 0, 7n)
    await using reader = await KafkajsReader.start(broker)
    await reader.until(({ seen }) => seen.length === 2)
    expect(reader.seen).toEqual(['t:0@7 {"id":7,"v":7}', 't:0@8 {"id":8,"v":8}'])
    expect(broker.asked('OffsetCommit')).toEqual([])
  })

  test('two members share the partitions, and the one left gets them all', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{}, {}] } })
    await using first = await KafkajsReader.start(broker, { clientId: 'first' })
    await broker.untilAsked('Fetch', 't:1@0')
    await using second = await KafkajsReader.start(broker, { clientId: 'second' })
    broker.script.append('t', 0, data(0))
    broker.script.append('t', 1, data(0))
    await first.until(({ seen }) => seen.length === 1)
    await second.until(({ seen }) => seen.length === 1)
    expect([...first.seen, ...second.seen].toSorted()).toEqual(['t:0@0', 't:1@0'])
    expect(broker.script.groupOf('g').members).toEqual(['first-1', 'second-2'])
  })
})

describe('the script changes while clients read', () => {
  test('a waiting fetch is answered as soon as a record is there', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{}] } })
    await using reader = await KafkajsReader.start(broker)
    await broker.untilAsked('Fetch', 't:0@0')
    broker.script.append('t', 0, data(0, { value: 'new' }))
    await reader.until(({ seen }) => seen.length === 1)
    expect(reader.seen).toEqual(['t:0@0 new'])
  })

  test('the log start moves', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 9n }] } })
    broker.script.moveLogStart('t', 0, 4n)
    expect(await asAdmin(broker, (admin) => admin.fetchTopicOffsets('t'))).toEqual([
      { partition: 0, offset: '9', high: '9', low: '4' },
    ])
    broker.script.moveLogStart('t', 0, 12n)
    expect(await asAdmin(broker, (admin) => admin.fetchTopicOffsets('t'))).toEqual([
      { partition: 0, offset: '12', high: '12', low: '12' },
    ])
  })

  test('partitions are added and lost, topics are made anew and deleted', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{}] } })
    const count = (): Promise<number | undefined> =>
      asAdmin(broker, async (admin) => {
        const { topics } = await admin.fetchTopicMetadata({ topics: ['t'] })
        return topics[0]?.partitions.length
      })
    const firstId = broker.script.topics.get('t')?.id

    broker.script.addPartition('t', {})
    expect(await count()).toBe(2)
    broker.script.shrink('t', 1)
    expect(await count()).toBe(1)
    expect(broker.script.topics.get('t')?.id).toEqual(firstId)
    broker.script.recreate('t', { partitions: [{}, {}, {}] })
    expect(await count()).toBe(3)
    expect(broker.script.topics.get('t')?.id).not.toEqual(firstId)
    broker.script.delete('t')
    await expect(count()).rejects.toMatchObject({ type: 'UNKNOWN_TOPIC_OR_PARTITION' })
  })
})

describe('the broker misbehaves as told', () => {
  test('an error is answered as often as asked, then the truth', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 1n }] } })
    broker.script.fail({ api: 'Fetch', topic: 't', error: 'NOT_LEADER_FOR_PARTITION', times: 2 })
    await using reader = await KafkajsReader.start(broker)
    await reader.until(({ seen }) => seen.length === 1)
    expect(broker.asked('Fetch').slice(0, 3)).toEqual(['t:0@0', 't:0@0', 't:0@0'])
  })

  test('a connection is dropped instead of an answer, and the client comes back', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 1n }] } })
    broker.script.drop('Fetch')
    await using reader = await KafkajsReader.start(broker)
    await reader.until(({ seen }) => seen.length === 1)
    expect(reader.seen).toEqual(['t:0@0 {"id":0,"v":0}'])
  })

  test('an answer is held back', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 1n }] } })
    broker.script.delay('Metadata', 120)
    const start = performance.now()
    await asAdmin(broker, (admin) => admin.listTopics())
    expect(performance.now() - start).toBeGreaterThan(119)
  })

  test('it goes down, refuses connections, and comes up at the same address', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{}] } })
    const { address } = broker
    await broker.goDown()
    await expect(asAdmin(broker, (admin) => admin.listTopics())).rejects.toMatchObject({
      message: expect.stringContaining('ECONNREFUSED'),
    })
    await broker.comeUp()
    expect(await asAdmin(broker, (admin) => admin.listTopics())).toEqual(['t'])
    expect(broker.address).toBe(address)
  })
})

describe('faults of kafkajs 2.2.4 show, which a source has to guard against', () => {
  test('a position that is gone is reset and committed without an error', async () => {
    await using broker = await ScriptedBroker.start({
      t: { partitions: [{ low: 150n, high: 151n }] },
    })
    broker.script.commitFor('g', 't', 0, 100n)
    await using reader = await KafkajsReader.start(broker)
    await reader.until(({ seen }) => seen.length === 1)
    expect(broker.asked('Fetch').slice(0, 2)).toEqual(['t:0@100', 't:0@150'])
    expect(broker.asked('OffsetCommit')).toEqual(['g t:0@-2'])
    expect([reader.seen, reader.crashes]).toEqual([['t:0@150 {"id":150,"v":150}'], []])
  })

  test('it asks for ever for what a batch without records covers', async () => {
    const log = [data(0), data(12), emptied(13, 19), data(20)]
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
    await using reader = await KafkajsReader.start(broker, { maxBytesPerPartition: 1 })
    await broker.untilAsked('Fetch', 't:0@13', 20)
    expect([reader.seen, reader.ended, reader.crashes]).toEqual([
      ['t:0@0', 't:0@12'],
      ['t:0@0', 't:0@12'],
      [],
    ])
  })

  test('a record slips through when two aborted transactions began before the fetch', async () => {
    const log = [
      data(10, {}, { transaction: 2n }),
      data(11, {}, { transaction: 1n }),
      data(12, {}, { transaction: 2n }),
      abort(13, 2),
      abort(14, 1),
    ]
    const aborted = [
      { producer: 1n, first: 3n },
      { producer: 2n, first: 5n },
    ]
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ log, aborted }] } })
    await using reader = await KafkajsReader.start(broker)
    await broker.untilAsked('Fetch', 't:0@15')
    expect(reader.seen).toEqual(['t:0@10'])
  })

  test('a key of four zero bytes is taken for the end of its aborted transaction', async () => {
    const log = [
      data(10, { key: 'a' }, { transaction: 1n }),
      data(11, { key: Buffer.alloc(4) }, { transaction: 1n }),
      data(12, { key: 'b' }, { transaction: 1n }),
      abort(13, 1),
    ]
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
    await using reader = await KafkajsReader.start(broker)
    await broker.untilAsked('Fetch', 't:0@14')
    expect(reader.seen).toEqual(['t:0@11', 't:0@12'])
  })

  test.each([
    ['snappy', 'Snappy'],
    ['lz4', 'LZ4'],
    ['zstd', 'ZSTD'],
  ] as const)(
    'it stays down at a batch packed with %s, without a codec',
    async (compression, name) => {
      const log = filled(0n, 3n, { compression })
      await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
      await using reader = await KafkajsReader.start(broker)
      await reader.until(({ crashes }) => crashes.length === 1)
      expect(reader.crashes).toEqual([
        `KafkaJSNotImplemented: ${name} compression not implemented, stays down`,
      ])
    },
  )

  test('a batch of 130,000 records overflows its stack', async () => {
    const records = Array.from({ length: 130_000 }, (_, index) => numbered(BigInt(index)))
    await using broker = await ScriptedBroker.start({
      t: { partitions: [{ log: [batch(records)] }] },
    })
    await using reader = await KafkajsReader.start(broker, { maxBytesPerPartition: 20_000_000 })
    await reader.until(({ crashes }) => crashes.length === 1)
    expect(reader.crashes).toEqual([
      'KafkaJSNonRetriableError: Maximum call stack size exceeded, stays down',
    ])
  })

  test('a flipped bit and a record longer than its batch are delivered', async () => {
    const log = [
      data(0, { value: 'abc', headers: { last: 'x' } }, { damage: 'bits' }),
      data(1, { value: 'def' }, { damage: 'length' }),
    ]
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
    await using reader = await KafkajsReader.start(broker)
    await reader.until(({ seen }) => seen.length === 2)
    expect(reader.seen).toEqual(['t:0@0 abc', 't:0@1 def'])
  })

  test('a rebalance makes it read again what it has read', async () => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 1n }] } })
    await using reader = await KafkajsReader.start(broker)
    await broker.untilAsked('Fetch', 't:0@1')
    broker.script.rebalance('g')
    await reader.until(({ seen }) => seen.length === 2)
    expect(reader.seen).toEqual(['t:0@0 {"id":0,"v":0}', 't:0@0 {"id":0,"v":0}'])
  })
})
