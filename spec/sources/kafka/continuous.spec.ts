import { expect, test } from 'vitest'
import { data } from '../../kafka/scripted-log.ts'
import { ScriptedBroker } from '../../kafka/scripted-broker.ts'
import type { Notices } from './reading.ts'
import { checkpointAt, LIMITS, readAll, readUntil, sourceOf } from './reading.ts'

test('a continuous run goes on with what comes', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 2n }] } })
  broker.after('Fetch', 't:0@2', () => broker.script.append('t', 0, data(2, { value: 'news' })))
  await using source = sourceOf(broker.address)
  const { records } = await readUntil(source, (read) => read.ends['t:0'] === 3)
  expect(records).toEqual(['t:0@0 {"id":0,"v":0}', 't:0@1 {"id":1,"v":1}', 't:0@2 news'])
})

test('a partition that is added is read from its beginning, wherever the start is', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 5n }] } })
  broker.after('Fetch', 't:0@5', () => broker.script.addPartition('t', { high: 3n }))
  const notices: Notices = []
  await using source = sourceOf(broker.address, {
    start: 'latest',
    onNotice: (event, fields) => notices.push({ event, fields }),
  })
  const { ends, records } = await readUntil(source, (read) => read.ends['t:1'] === 3)
  expect({ ends, records, notices }).toEqual({
    ends: { 't:0': 5, 't:1': 3 },
    records: ['t:1@0 {"id":0,"v":0}', 't:1@1 {"id":1,"v":1}', 't:1@2 {"id":2,"v":2}'],
    notices: [{ event: 'partitions_added', fields: { partitions: ['t:1'] } }],
  })
})

test('a partition that was added between runs is read from its beginning', async () => {
  await using broker = await ScriptedBroker.start({
    t: { partitions: [{ high: 5n }, { high: 1n }] },
  })
  await using source = sourceOf(broker.address, { start: 'latest' })
  expect(await readAll(source, [checkpointAt(5)])).toMatchObject({
    records: ['t:1@0 {"id":0,"v":0}'],
    ends: { 't:1': 1 },
  })
})

test('a topic that a pattern comes to find is read from its beginning', async () => {
  await using broker = await ScriptedBroker.start({ 'crm.a': { partitions: [{ high: 1n }] } })
  broker.after('Fetch', 'crm.a:0@1', () =>
    broker.script.recreate('crm.b', { partitions: [{ high: 1n }] }),
  )
  await using source = sourceOf(broker.address, { start: 'latest', topics: '/^crm/' })
  const { ends, records } = await readUntil(source, (read) => read.ends['crm.b:0'] === 1)
  expect({ ends, records }).toEqual({
    ends: { 'crm.a:0': 1, 'crm.b:0': 1 },
    records: ['crm.b:0@0 {"id":0,"v":0}'],
  })
})

test('a topic that is deleted and made anew a moment later stops the run soon, however seldom it looks', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 2n }] } })
  broker.after('Fetch', 't:0@2', () => {
    broker.script.delete('t')
    // A look asks three times before it takes a topic for gone.
    afterLooks(broker, 4, () => broker.script.recreate('t', { partitions: [{ high: 9n }] }))
  })
  await using source = sourceOf(broker.address, { metadataMaxAgeMs: 600_000 })
  await expect(readUntil(source, () => false)).rejects.toThrow('TOPIC_RECREATED: t was made anew')
})

function afterLooks(broker: ScriptedBroker, times: number, action: () => void): void {
  broker.after('Metadata', 't', times === 1 ? action : () => afterLooks(broker, times - 1, action))
}

test('a topic that does not exist yet is said once and waited for', async () => {
  await using broker = await ScriptedBroker.start({ other: { partitions: [{}] } })
  const notices: Notices = []
  await using source = sourceOf(broker.address, {
    onNotice: (event, fields) => {
      notices.push({ event, fields })
      if (event === 'topic_missing') broker.script.recreate('t', { partitions: [{ high: 1n }] })
    },
  })
  await readUntil(source, (read) => read.ends['t:0'] === 1)
  expect(notices).toEqual([
    { event: 'topic_missing', fields: { topic: 't' } },
    { event: 'partitions_added', fields: { partitions: ['t:0'] } },
  ])
})

test('the run ends when its signal aborts, also while nothing comes', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{}] } })
  await using source = sourceOf(broker.address)
  const read = await readUntil(source, () => true)
  expect(read.ends).toEqual({ 't:0': 0 })
})

test('an outage is waited out, and told when it begins and when it is over', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 1n }] } })
  const notices: Notices = []
  await using source = sourceOf(broker.address, {
    onNotice: (event, fields) => {
      notices.push({ event, fields })
      if (event === 'source_unavailable') {
        // After some attempts in vain.
        setTimeout(() => {
          broker.script.append('t', 0, data(1, { value: 'after' }))
          void broker.comeUp()
        }, 300)
      }
    },
  })
  broker.after('Fetch', 't:0@1', () => void broker.goDown())
  const { records } = await readUntil(source, (read) => read.ends['t:0'] === 2)
  expect(records).toEqual(['t:0@0 {"id":0,"v":0}', 't:0@1 after'])
  expect(notices.map(({ event }) => event)).toEqual(['source_unavailable', 'source_available'])
})

test('a bounded run gives up when no broker answers', async () => {
  const broker = await ScriptedBroker.start({ t: { partitions: [{ high: 1n }] } })
  const { address } = broker
  await broker[Symbol.asyncDispose]()
  await using source = sourceOf(address)
  await expect(readAll(source)).rejects.toThrow(
    /^SOURCE_UNAVAILABLE: the cluster: .*ECONNREFUSED.* after 4 attempts$/,
  )
})

test.each([
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
] as const)('a fetch that fails with %s is tried again', async (error) => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 3n }] } })
  broker.script.fail({ api: 'Fetch', error, topic: 't', partition: 0 })
  await using source = sourceOf(broker.address)
  expect(await readAll(source)).toMatchObject({ batchSizes: [3], ends: { 't:0': 3 } })
})

test('a connection that breaks in the middle is opened again', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 3n }] } })
  for (const api of ['Metadata', 'ListOffsets', 'Fetch'] as const) broker.script.drop(api)
  await using source = sourceOf(broker.address)
  expect(await readAll(source)).toMatchObject({ batchSizes: [3], ends: { 't:0': 3 } })
})

test('a reader that is behind lets its batches grow beyond their time', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 2000n }] } })
  await using source = sourceOf(broker.address)
  const limits = { ...LIMITS, maxRecords: 1000, maxDelayMs: 0 }
  const { batchSizes } = await readUntil(source, (read) => read.ends['t:0'] === 2000, { limits })
  expect(batchSizes.filter((size) => size > 0)).toEqual([1000, 1000])
})

test('the lag counts what lies between checkpoints and ends', async () => {
  await using broker = await ScriptedBroker.start({
    t: { partitions: [{ high: 10n }, { low: 2n, high: 5n, lso: 4n }] },
  })
  await using source = sourceOf(broker.address)
  expect(await source.lag([checkpointAt(7)])).toEqual([
    { name: 't', partition: 0, behind: 3, unit: 'records' },
    { name: 't', partition: 1, behind: 2, unit: 'records', start: 2 },
  ])
})

test('a topic that may not be read stops a continuous run at once', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 3n }] } })
  broker.script.fail({
    api: 'Fetch',
    error: 'TOPIC_AUTHORIZATION_FAILED',
    topic: 't',
    partition: 0,
  })
  await using source = sourceOf(broker.address)
  await expect(readUntil(source, () => false)).rejects.toThrow(
    'SOURCE_UNAVAILABLE: this user may not read t:0',
  )
})

test('a group that may not be joined stops a continuous run at once', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 3n }] } })
  broker.script.fail({ api: 'JoinGroup', error: 'GROUP_AUTHORIZATION_FAILED' })
  await using source = sourceOf(broker.address, { groupId: 'g' })
  await expect(readUntil(source, () => false)).rejects.toThrow(
    'SOURCE_UNAVAILABLE: the group g does not let us in (GROUP_AUTHORIZATION_FAILED)',
  )
})

test('nothing is said of what ends with the run', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 1n }] } })
  const notices: Notices = []
  const source = sourceOf(broker.address, {
    onNotice: (event, fields) => notices.push({ event, fields }),
  })
  await readUntil(source, (read) => read.ends['t:0'] === 1)
  await source[Symbol.asyncDispose]()
  await broker.goDown()
  expect(notices).toEqual([])
})
