import { CompressionCodecs, CompressionTypes, Partitioners } from 'kafkajs'
import type { Admin, Kafka, Producer } from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dumpLine } from '../../src/formats/topic-dump.ts'
import { describeWithKafka } from './describe-with-kafka.ts'
import { adminOf, clientOf, eventually, startBroker, type Broker } from './kafka.ts'
import { readTopics } from './read-topics.ts'

describeWithKafka('a real broker and kafkajs', () => {
  let broker: Broker
  let kafka: Kafka
  let admin: Admin
  let producer: Producer

  beforeAll(async () => {
    broker = await startBroker()
    kafka = clientOf(broker)
    admin = kafka.admin()
    producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
    await admin.connect()
    await producer.connect()
  }, 120_000)

  afterAll(async () => {
    await producer.disconnect()
    await admin.disconnect()
    await broker[Symbol.asyncDispose]()
  })

  async function topic(name: string, config: Record<string, string> = {}): Promise<string> {
    const configEntries = Object.entries(config).map(([key, value]) => ({ name: key, value }))
    await admin.createTopics({ topics: [{ topic: name, configEntries }], waitForLeaders: true })
    return name
  }

  async function produce(name: string, ...values: readonly string[]): Promise<void> {
    await producer.send({ topic: name, messages: values.map((value) => ({ key: value, value })) })
  }

  /** Messages from the start to the end as it is now, as `offset:value`. */
  async function read(name: string): Promise<string[]> {
    const messages = await readTopics(broker, [name])
    return messages.map(({ offset, value }) => `${offset}:${value?.toString() ?? 'null'}`)
  }

  test('gives back key, value, headers and time of a message', async () => {
    const name = await topic('plain')
    const headers = { origin: 'a', twice: ['b', 'c'] }
    await producer.send({
      topic: name,
      messages: [{ key: 'k', value: 'v', headers, timestamp: '1700000000123' }],
    })

    const [message] = await readTopics(broker, [name])
    expect(message && JSON.parse(dumpLine(message))).toEqual({
      topic: 'plain',
      partition: 0,
      offset: 0,
      timestamp: '2023-11-14T22:13:20.123Z',
      key: 'k',
      value: 'v',
      headers: [
        ['origin', 'a'],
        ['twice', 'b'],
        ['twice', 'c'],
      ],
    })
  })

  test('hides an aborted transaction and shows a committed one, each with a marker that takes an offset', async () => {
    const name = await topic('transactions')
    const writer = kafka.producer({
      transactionalId: 'writer',
      maxInFlightRequests: 1,
      idempotent: true,
      createPartitioner: Partitioners.DefaultPartitioner,
    })
    await writer.connect()
    for (const [value, outcome] of [
      ['a', 'commit'],
      ['b', 'abort'],
      ['c', 'commit'],
    ] as const) {
      const transaction = await writer.transaction()
      await transaction.send({ topic: name, messages: [{ value }] })
      await transaction[outcome]()
    }
    await writer.disconnect()

    expect(await read(name)).toEqual(['0:a', '4:c'])
    expect(await eventually(() => admin.fetchTopicOffsets(name))).toMatchObject([
      { low: '0', high: '6' },
    ])
  })

  test('forgets the records before an offset on request', async () => {
    const name = await topic('shortened')
    await produce(name, 'a', 'b', 'c')
    // kafkajs looks for the leader among what this admin client has asked about before.
    await eventually(() => admin.fetchTopicOffsets(name))
    await admin.deleteTopicRecords({ topic: name, partitions: [{ partition: 0, offset: '2' }] })
    expect(await eventually(() => admin.fetchTopicOffsets(name))).toMatchObject([
      { low: '2', high: '3' },
    ])
    expect(await read(name)).toEqual(['2:c'])
  })

  test('adds partitions to a topic', async () => {
    const name = await topic('widened')
    await produce(name, 'a')
    await admin.createPartitions({ topicPartitions: [{ topic: name, count: 3 }] })
    // A producer of kafkajs drops, without a word, what goes to a partition that it does not know yet.
    const message = { topic: name, messages: [{ value: 'b', partition: 2 }] }
    expect(await producer.send(message)).toEqual([])
    const informed = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
    await informed.connect()
    expect(await informed.send(message)).toMatchObject([{ partition: 2, baseOffset: '0' }])
    await informed.disconnect()
    expect((await read(name)).toSorted()).toEqual(['0:a', '0:b'])
  })

  test('starts a topic that was deleted and made again at offset 0', async () => {
    const name = await topic('again')
    await produce(name, 'a', 'b')
    await admin.deleteTopics({ topics: [name] })
    await topic(name)
    await produce(name, 'c')
    expect(await read(name)).toEqual(['0:c'])
  })

  test('leaves gaps where compaction took records', async () => {
    const name = await topic('compacted', {
      'cleanup.policy': 'compact',
      'segment.ms': '100',
      'min.cleanable.dirty.ratio': '0.01',
      'delete.retention.ms': '0',
    })
    await produce(name, 'a', 'b', 'a', 'b', 'a')
    // Whatever is in the newest segment stays, so more follows until the first are gone.
    let seen: string[] = []
    for (let round = 0; round < 200 && !seen.includes('4:a'); round += 1) {
      await producer.send({ topic: name, messages: [{ key: 'roll', value: 'roll' }] })
      seen = (await read(name)).filter((line) => !line.endsWith('roll'))
      if (seen.includes('0:a')) seen = []
    }
    expect(seen).toEqual(['3:b', '4:a'])
  })

  test('does not make a topic that a reader asks for', async () => {
    const consumer = kafka.consumer({ groupId: 'typo', allowAutoTopicCreation: false })
    await consumer.connect()
    await expect(consumer.subscribe({ topic: 'typo' })).rejects.toThrow(
      'does not host this topic-partition',
    )
    await consumer.disconnect()
    expect(await admin.listTopics()).not.toContain('typo')
  })

  test.each([
    ['gzip', CompressionTypes.GZIP],
    ['snappy', CompressionTypes.Snappy],
    ['lz4', CompressionTypes.LZ4],
    ['zstd', CompressionTypes.ZSTD],
  ] as const)(
    'hands a topic out compressed with %s when the topic says so',
    async (codec, type) => {
      const name = await topic(`packed-${codec}`, { 'compression.type': codec })
      await produce(name, 'a'.repeat(1000))

      const usual: unknown = CompressionCodecs[type]
      Object.assign(CompressionCodecs, {
        [type]: () => ({ decompress: () => Promise.reject(new Error(`asked for ${codec}`)) }),
      })
      await expect(read(name)).rejects.toThrow(`asked for ${codec}`)
      Object.assign(CompressionCodecs, { [type]: usual })
    },
  )

  test.each(['SIGTERM', 'SIGKILL'] as const)('keeps its data over a %s', async (signal) => {
    const name = await topic(`kept-${signal}`)
    await produce(name, 'a', 'b')
    await broker.kill(signal)
    await broker.restart()
    expect(await read(name)).toEqual(['0:a', '1:b'])
    await produce(name, 'c')
    expect(await read(name)).toEqual(['0:a', '1:b', '2:c'])
  })

  test('runs next to another one', async () => {
    await using other = await startBroker()
    await using elsewhere = await adminOf(other)
    await elsewhere.createTopics({ topics: [{ topic: 'elsewhere' }] })
    expect(await admin.listTopics()).not.toContain('elsewhere')
  })
})
