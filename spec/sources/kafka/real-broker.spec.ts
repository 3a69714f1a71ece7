import { Partitioners } from 'kafkajs'
import type { Admin, Kafka, Producer } from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithKafka } from '../../kafka/describe-with-kafka.ts'
import { adminOf, clientOf, eventually, startBroker } from '../../kafka/kafka.ts'
import type { Broker } from '../../kafka/kafka.ts'
import type { Source } from '../../../src/ports/source.ts'
import type { KafkaSourceOptions } from '../../../src/sources/kafka/options.ts'
import type { Notices, Read } from './reading.ts'
import { checkpointAt, LIMITS, readAll, readUntil, sourceOf } from './reading.ts'

describeWithKafka('a real broker', () => {
  let broker: Broker
  let kafka: Kafka
  let admin: Admin
  let producer: Producer

  beforeAll(async () => {
    broker = await startBroker()
    kafka = clientOf(broker)
    admin = await adminOf(broker)
    producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
    await producer.connect()
  }, 120_000)

  afterAll(async () => {
    await producer.disconnect()
    await admin.disconnect()
    await broker[Symbol.asyncDispose]()
  })

  async function makeTopic(
    topic: string,
    { partitions = 1, config = {} }: { partitions?: number; config?: Record<string, string> } = {},
  ): Promise<void> {
    const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }))
    await admin.createTopics({
      topics: [{ topic, numPartitions: partitions, configEntries }],
      waitForLeaders: true,
    })
    await eventually(() => admin.fetchTopicOffsets(topic))
  }

  async function write(topic: string, ...values: readonly string[]): Promise<void> {
    await producer.send({
      topic,
      messages: values.map((value) => ({ key: value, value, partition: 0 })),
    })
  }

  function open(topic: string, own: Partial<KafkaSourceOptions> = {}): Source {
    return sourceOf(broker.bootstrap, { topics: [topic], ...own })
  }

  test('a topic is read with its transactions to its last stable offset', async () => {
    await makeTopic('transactions')
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
      await transaction.send({ topic: 'transactions', messages: [{ value }] })
      await transaction[outcome]()
    }
    const unfinished = await writer.transaction()
    await unfinished.send({ topic: 'transactions', messages: [{ value: 'open' }] })

    await using source = open('transactions')
    const first = await readAll(source)
    expect(first).toMatchObject({
      records: ['transactions:0@0 a', 'transactions:0@4 c'],
      ends: { 'transactions:0': 6 },
    })

    await unfinished.abort()
    await writer.disconnect()
    // The mark of the abort is written a moment later.
    await eventually(async () => {
      const [end] = await admin.fetchTopicOffsets('transactions')
      if (end?.high !== '8') throw new Error(`ends at ${end?.high}`)
    })
    expect(await readAll(source, first.checkpoints)).toMatchObject({
      records: [],
      ends: { 'transactions:0': 8 },
    })

    await using uncommitted = open('transactions', { isolation: 'read_uncommitted' })
    expect((await readAll(uncommitted)).batchSizes).toEqual([4])
  })

  test.each(['gzip', 'snappy', 'lz4', 'zstd'])('batches packed with %s are read', async (codec) => {
    const topic = `packed-${codec}`
    await makeTopic(topic, { config: { 'compression.type': codec } })
    // Larger than a block of any codec, and not all alike.
    const values = Array.from({ length: 2000 }, (_, n) => `${n} ${'x'.repeat(n % 300)}${n * 7919}`)
    await write(topic, ...values)
    await using source = open(topic)
    const limits = { ...LIMITS, maxRecords: 10_000, maxBytes: 10_000_000 }
    const { records } = await readAll(source, [], limits)
    expect(records).toEqual(values.map((value, offset) => `${topic}:0@${offset} ${value}`))
  })

  test('a start at a time begins with the first record that is not older', async () => {
    await makeTopic('timed')
    await producer.send({
      topic: 'timed',
      messages: [1000, 2000, 3000].map((ms) => ({ value: `${ms}`, timestamp: `${ms}` })),
    })
    await using source = open('timed', { start: { timestamp: 1500 } })
    expect((await readAll(source)).records).toEqual(['timed:0@1 2000', 'timed:0@2 3000'])
  })

  test('records that were deleted before they were applied stop the run', async () => {
    await makeTopic('trimmed')
    await write('trimmed', 'a', 'b', 'c')
    await using source = open('trimmed')
    const at = { ...checkpointAt(1), name: 'trimmed' }
    await admin.deleteTopicRecords({
      topic: 'trimmed',
      partitions: [{ partition: 0, offset: '2' }],
    })
    await expect(readAll(source, [at])).rejects.toThrow(
      'DATA_LOST: trimmed:0 offsets 1..1 are gone',
    )

    await admin.deleteTopicRecords({
      topic: 'trimmed',
      partitions: [{ partition: 0, offset: '3' }],
    })
    expect(await readAll(source)).toMatchObject({ records: [], ends: { 'trimmed:0': 3 } })
  })

  test('a topic that was deleted and made anew stops the run, also when it has grown past the checkpoint', async () => {
    await makeTopic('anew')
    await write('anew', 'a', 'b')
    await using source = open('anew')
    const { checkpoints } = await readAll(source)

    await admin.deleteTopics({ topics: ['anew'] })
    await eventuallyGone('anew')
    await makeTopic('anew')
    await write('anew', 'x')
    await expect(readAll(source, checkpoints)).rejects.toThrow('anew:0 ends at 1, checkpoint 2')
    await write('anew', 'y', 'z')
    await expect(readAll(source, checkpoints)).rejects.toThrow(
      'TOPIC_RECREATED: anew was made anew',
    )
  })

  test('a topic that is made anew while it is read stops the run', async () => {
    await makeTopic('replaced')
    await write('replaced', 'a', 'b')
    await using source = open('replaced', { metadataMaxAgeMs: 60_000 })
    let isReplaced: Promise<void> | null = null
    const reading = readUntil(source, ({ ends }) => {
      if (ends['replaced:0'] === 2) isReplaced ??= replace()
      return false
    })
    const replace = async (): Promise<void> => {
      await admin.deleteTopics({ topics: ['replaced'] })
      await eventuallyGone('replaced')
      await makeTopic('replaced')
      await write('replaced', 'x', 'y', 'z')
    }
    await expect(reading).rejects.toThrow(/TOPIC_RECREATED/)
  })

  test('a partition that is added while reading is read from its beginning', async () => {
    await makeTopic('wider')
    await write('wider', 'a')
    await using source = open('wider', { start: 'latest' })
    let isWider: Promise<void> | null = null
    const widen = async (): Promise<void> => {
      await admin.createPartitions({ topicPartitions: [{ topic: 'wider', count: 2 }] })
      const late = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner })
      await late.connect()
      await eventually(async () => {
        const sent = await late.send({ topic: 'wider', messages: [{ value: 'b', partition: 1 }] })
        if (sent.length === 0) throw Object.assign(new Error(), { type: 'LEADER_NOT_AVAILABLE' })
      })
      await late.disconnect()
    }
    const { records } = await readUntil(source, (read) => {
      isWider ??= widen()
      return (read.ends['wider:1'] ?? 0) > 0
    })
    expect(records).toEqual(['wider:1@0 b'])
  })

  test('a compacted topic is read to its end', async () => {
    await makeTopic('compacted', {
      config: {
        'cleanup.policy': 'compact',
        'segment.ms': '100',
        'min.cleanable.dirty.ratio': '0.01',
        'delete.retention.ms': '0',
      },
    })
    for (const value of ['a', 'b', 'c', 'd']) {
      await producer.send({ topic: 'compacted', messages: [{ key: 'k', value }] })
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    await using source = open('compacted')
    const { records, ends } = await eventuallyRead(source, ({ records: found }) => found.length < 4)
    expect(records.at(-1)).toBe('compacted:0@3 d')
    expect(ends).toEqual({ 'compacted:0': 4 })
  })

  test('members of a group share partitions, and offsets are never committed', async () => {
    await makeTopic('shared', { partitions: 2 })
    await producer.send({
      topic: 'shared',
      messages: [
        { value: 'a', partition: 0 },
        { value: 'b', partition: 1 },
      ],
    })
    await using source = open('shared', { groupId: 'sharers' })
    const read = await readAll(source)
    expect(read.ends).toEqual({ 'shared:0': 1, 'shared:1': 1 })
    const offsets = await admin.fetchOffsets({ groupId: 'sharers', topics: ['shared'] })
    expect(offsets[0]?.partitions.map(({ offset }) => offset)).toEqual(['-1', '-1'])
  })

  test('another client in the group takes partitions, and gives them back', async () => {
    await makeTopic('foreign', { partitions: 2 })
    const notices: Notices = []
    await using source = open('foreign', {
      groupId: 'mixed',
      onNotice: (event, fields) => notices.push({ event, fields }),
    })
    const other = kafka.consumer({ groupId: 'mixed', heartbeatInterval: 300 })
    const shares = (): number[] =>
      notices
        .filter(({ event }) => event === 'partitions_assigned')
        .map(({ fields }) => (fields['partitions'] as string[]).length)
    let next = 0
    const tick = setInterval(() => {
      void write('foreign', `${next}`)
      next += 1
      if (next === 1) return
      if (shares().length === 1 && next === 5) {
        void other
          .connect()
          .then(() => other.subscribe({ topics: ['foreign'] }))
          .then(() => other.run({ autoCommit: false, eachMessage: () => Promise.resolve() }))
      }
      if (shares().length === 2) void other.disconnect()
    }, 200)
    const { records } = await readUntil(source, () => shares().length >= 3)
    clearInterval(tick)
    expect(shares().slice(0, 3)).toEqual([2, 1, 2])
    expect(records).toEqual(records.map((_, n) => `foreign:0@${n} ${n}`))
  })

  test('a broker that is killed is waited for', async () => {
    const topic = 'outage'
    await makeTopic(topic)
    await write(topic, 'a')
    const notices: Notices = []
    await using source = open(topic, {
      onNotice: (event, fields) => notices.push({ event, fields }),
    })
    let isOver: Promise<void> | null = null
    const outage = async (): Promise<void> => {
      await broker.kill('SIGKILL')
      await broker.restart()
      await write(topic, 'b')
    }
    const isEnough = ({ ends }: Read): boolean => {
      if (ends[`${topic}:0`] === 1) isOver ??= outage()
      return ends[`${topic}:0`] === 2
    }
    const { records } = await readUntil(source, isEnough, { patienceMs: 60_000 })
    expect(records).toEqual([`${topic}:0@0 a`, `${topic}:0@1 b`])
    expect(notices.map(({ event }) => event)).toEqual(['source_unavailable', 'source_available'])
  })

  async function eventuallyGone(topic: string): Promise<void> {
    while ((await admin.listTopics()).includes(topic)) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async function eventuallyRead(source: Source, isEnough: (read: Read) => boolean): Promise<Read> {
    for (;;) {
      const read = await readAll(source)
      if (isEnough(read)) return read
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
})
