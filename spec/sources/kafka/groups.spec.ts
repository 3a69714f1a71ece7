import { expect, test } from 'vitest'
import { data } from '../../kafka/scripted-log.ts'
import { ScriptedBroker } from '../../kafka/scripted-broker.ts'
import { sharesOf, protocolsOf, shareOf } from '../../../src/sources/kafka/group-sharing.ts'
import { checkpointAt, LIMITS, readAll, readUntil, sourceOf } from './reading.ts'

test('the only member of a group reads every partition, from the checkpoints of its store', async () => {
  await using broker = await ScriptedBroker.start({
    t: { partitions: [{ high: 7n }, { high: 2n }] },
  })
  broker.script.commitFor('*', 't', 0, 1n)
  await using source = sourceOf(broker.address, { groupId: 'g' })
  expect(await readAll(source, [checkpointAt(5), checkpointAt(1, 1)])).toMatchObject({
    batchSizes: [3],
    ends: { 't:0': 7, 't:1': 2 },
  })
  expect([...broker.asked('OffsetFetch'), ...broker.asked('OffsetCommit')]).toEqual([])
})

test('a rebalance makes nothing come twice', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 2n }] } })
  await using source = sourceOf(broker.address, { groupId: 'g' })
  broker.after('Fetch', 't:0@2', () => {
    broker.script.rebalance('g')
    broker.after('SyncGroup', 'g', () => broker.script.append('t', 0, data(2, { value: 'c' })))
  })
  const { records } = await readUntil(source, (read) => read.ends['t:0'] === 3)
  expect(records).toEqual(['t:0@0 {"id":0,"v":0}', 't:0@1 {"id":1,"v":1}', 't:0@2 c'])
})

test.each(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'NOT_COORDINATOR_FOR_GROUP'] as const)(
  'a member that the group answers with %s joins again and reads on',
  async (error) => {
    await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 2n }] } })
    await using source = sourceOf(broker.address, { groupId: 'g' })
    broker.script.fail({ api: 'Heartbeat', error })
    broker.after('Heartbeat', 'g', () =>
      broker.after('JoinGroup', 'g', () => broker.script.append('t', 0, data(2))),
    )
    const { batchSizes } = await readUntil(source, (read) => read.ends['t:0'] === 3)
    expect(batchSizes.reduce((sum, size) => sum + size, 0)).toBe(3)
  },
)

test('a second member takes over some partitions, and gives them back when it leaves', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{}, {}] } })
  const first = startMember(broker.address)
  await first.has(2)

  const second = startMember(broker.address)
  await Promise.all([first.has(1), second.has(1)])
  expect([...first.share, ...second.share].toSorted()).toEqual(['t:0', 't:1'])

  await second.stop()
  await first.has(2)
  await first.stop()
})

test('partitions go to the members in turn, and only to those that want the topic', () => {
  const member = (
    memberId: string,
    ...topics: string[]
  ): { memberId: string; memberMetadata: Buffer } => ({
    memberId,
    memberMetadata: protocolsOf(topics)[0]?.metadata ?? Buffer.alloc(0),
  })
  const partitions = [0, 1, 2].map((partition) => ({ name: 't', partition }))
  const shares = sharesOf(
    [{ name: 'only-b', partition: 0 }, ...partitions],
    [member('b', 'only-b', 't'), member('a', 't')],
  )
  expect(
    shares.map(({ memberId, memberAssignment }) => [memberId, ...shareOf(memberAssignment)]),
  ).toEqual([
    ['a', 't:0', 't:2'],
    ['b', 'only-b:0', 't:1'],
  ])
})

test.each(['__proto__', 'constructor'])('a topic may be called %s', (name) => {
  const memberMetadata = protocolsOf([name])[0]?.metadata ?? Buffer.alloc(0)
  const [share] = sharesOf([{ name, partition: 0 }], [{ memberId: 'a', memberMetadata }])
  expect(shareOf(share?.memberAssignment ?? Buffer.alloc(0))).toEqual(new Set([`${name}:0`]))
})

/** A member of a group that reads until it is stopped. */
function startMember(address: string): {
  readonly share: readonly string[]
  has(count: number): Promise<void>
  stop(): Promise<void>
} {
  let share: readonly string[] = []
  let told = (): void => undefined
  const source = sourceOf(address, {
    groupId: 'g',
    onNotice: (event, { partitions }) => {
      if (event === 'partitions_assigned') share = partitions as readonly string[]
      told()
    },
  })
  const stopping = new AbortController()
  const reading = (async () => {
    for await (const batch of source.read([], 'continuous', LIMITS, stopping.signal)) void batch
  })()
  return {
    get share() {
      return share
    },
    async has(count) {
      while (share.length !== count) {
        await new Promise<void>((resolve) => {
          told = resolve
        })
      }
    },
    async stop() {
      stopping.abort()
      await reading
      await source[Symbol.asyncDispose]()
    },
  }
}
