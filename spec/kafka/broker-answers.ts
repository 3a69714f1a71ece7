import { ERROR_CODES } from './broker-errors.ts'
import { answerFetch } from './broker-fetch.ts'
import { answerMetadata } from './broker-metadata.ts'
import type { ApiName, BrokerScript } from './broker-script.ts'
import { WireWriter } from './wire-bytes.ts'
import type { WireReader } from './wire-bytes.ts'

/** A request as an answer sees it: its body, who asked, what is served, and where. */
export type Call = {
  readonly reader: WireReader
  readonly version: number
  readonly clientId: string
  readonly script: BrokerScript
  readonly host: string
  readonly port: number
}

/** The body of an answer, and the request in words, for the log of requests. */
export type Answer = { readonly body: WireWriter; readonly asked: readonly string[] }

type Api = {
  readonly name: ApiName
  readonly versions: readonly [least: number, most: number]
  readonly answer: (call: Call) => Answer | Promise<Answer>
}

/**
 * The requests that are answered, by their number, in the versions that kafkajs 2.2.4 chooses, and
 * Metadata 10 for its topic ids.
 */
export const APIS: Readonly<Record<number, Api>> = {
  1: { name: 'Fetch', versions: [11, 11], answer: answerFetch },
  2: { name: 'ListOffsets', versions: [2, 3], answer: answerListOffsets },
  3: { name: 'Metadata', versions: [5, 10], answer: answerMetadata },
  8: { name: 'OffsetCommit', versions: [5, 5], answer: answerOffsetCommit },
  9: { name: 'OffsetFetch', versions: [3, 4], answer: answerOffsetFetch },
  10: { name: 'FindCoordinator', versions: [1, 2], answer: answerFindCoordinator },
  11: { name: 'JoinGroup', versions: [5, 5], answer: answerJoinGroup },
  12: { name: 'Heartbeat', versions: [3, 3], answer: answerHeartbeat },
  13: { name: 'LeaveGroup', versions: [3, 3], answer: answerLeaveGroup },
  14: { name: 'SyncGroup', versions: [3, 3], answer: answerSyncGroup },
  15: { name: 'DescribeGroups', versions: [1, 2], answer: answerDescribeGroups },
  16: { name: 'ListGroups', versions: [1, 2], answer: answerListGroups },
  18: { name: 'ApiVersions', versions: [0, 2], answer: answerApiVersions },
}

function answerApiVersions({ version }: Call): Answer {
  const known = version <= 2
  const body = new WireWriter().int16(known ? 0 : ERROR_CODES.UNSUPPORTED_VERSION)
  body.list(Object.entries(APIS), ([number, { versions }]) =>
    body.int16(Number(number)).int16(versions[0]).int16(versions[1]),
  )
  if (known && version > 0) body.int32(0)
  return { body, asked: [] }
}

function answerListOffsets({ reader, script }: Call): Answer {
  reader.int32()
  const committed = reader.int8() === 1
  const asked: string[] = []
  const topics = reader.list(() => ({
    topic: reader.string(),
    partitions: reader.list(() => ({ partition: reader.int32(), stamp: reader.int64() })),
  }))
  const body = new WireWriter().int32(0)
  body.list(topics, ({ topic, partitions }) =>
    body.string(topic).list(partitions, ({ partition, stamp }) => {
      asked.push(`${topic}:${partition}@${stamp}`)
      const { error, offset, at } = offsetFor(script, { topic, partition, stamp, committed })
      body.int32(partition).int16(error).int64(at).int64(offset)
    }),
  )
  return { body, asked }
}

function offsetFor(
  script: BrokerScript,
  asked: { topic: string; partition: number; stamp: bigint; committed: boolean },
): { error: number; offset: bigint; at: bigint } {
  const served = script.partition(asked.topic, asked.partition)
  const error = script.failureOf('ListOffsets', asked.topic, asked.partition)
  if (error !== 0) return { error, offset: -1n, at: -1n }
  if (served === undefined) {
    return { error: ERROR_CODES.UNKNOWN_TOPIC_OR_PARTITION, offset: -1n, at: -1n }
  }
  const end = asked.committed ? served.lso : served.high
  if (asked.stamp === -2n) return { error, offset: served.low, at: -1n }
  if (asked.stamp === -1n) return { error, offset: end, at: -1n }
  const found = served.log
    .filter(({ marker }) => marker === null)
    .flatMap(({ records }) => records)
    .find(
      ({ offset, timestamp }) => timestamp >= asked.stamp && offset >= served.low && offset < end,
    )
  return { error, offset: found?.offset ?? -1n, at: found?.timestamp ?? -1n }
}

function answerFindCoordinator({ reader, script, host, port }: Call): Answer {
  const group = reader.string()
  const error = script.failureOf('FindCoordinator')
  const body = new WireWriter().int32(0).int16(error).string(null)
  return { body: body.int32(0).string(host).int32(port), asked: [group] }
}

async function answerJoinGroup({ reader, script, clientId }: Call): Promise<Answer> {
  const group = reader.string()
  const sessionMs = reader.int32()
  const rebalanceMs = reader.int32()
  const member = reader.string()
  reader.nullableString()
  reader.string()
  const protocols = reader.list(() => ({ name: reader.string(), metadata: reader.blob() }))

  const failure = script.failureOf('JoinGroup')
  const refused = { generation: -1, protocol: '', leader: '', member, members: [] }
  const joined =
    failure === 0
      ? await script.groupOf(group).join({ member, sessionMs, rebalanceMs, protocols }, clientId)
      : { error: failure, ...refused }
  const body = new WireWriter()
    .int32(0)
    .int16(joined.error)
    .int32(joined.generation)
    .string(joined.protocol)
    .string(joined.leader)
    .string(joined.member)
  body.list(joined.members, ({ member: id, metadata }) =>
    body.string(id).string(null).blob(metadata),
  )
  return { body, asked: [group, member] }
}

async function answerSyncGroup({ reader, script }: Call): Promise<Answer> {
  const group = reader.string()
  const generation = reader.int32()
  const member = reader.string()
  reader.nullableString()
  const given = reader.list(() => ({ member: reader.string(), assignment: reader.blob() }))
  const failure = script.failureOf('SyncGroup')
  const { error, assignment } =
    failure === 0
      ? await script.groupOf(group).sync(member, generation, given)
      : { error: failure, assignment: Buffer.alloc(0) }
  return { body: new WireWriter().int32(0).int16(error).blob(assignment), asked: [group, member] }
}

function answerHeartbeat({ reader, script }: Call): Answer {
  const group = reader.string()
  const generation = reader.int32()
  const member = reader.string()
  const failure = script.failureOf('Heartbeat')
  const error = failure === 0 ? script.groupOf(group).heartbeat(member, generation) : failure
  return { body: new WireWriter().int32(0).int16(error), asked: [group, member] }
}

function answerLeaveGroup({ reader, script }: Call): Answer {
  const group = reader.string()
  const members = reader.list(() => {
    const member = reader.string()
    reader.nullableString()
    return member
  })
  const body = new WireWriter().int32(0).int16(script.failureOf('LeaveGroup'))
  body.list(members, (member) =>
    body.string(member).string(null).int16(script.groupOf(group).leave(member)),
  )
  return { body, asked: [group, ...members] }
}

function answerOffsetFetch({ reader, script }: Call): Answer {
  const group = reader.string()
  const asked = [group]
  const topics = reader.list(() => ({
    topic: reader.string(),
    partitions: reader.list(() => reader.int32()),
  }))
  const body = new WireWriter().int32(0)
  body.list(topics, ({ topic, partitions }) =>
    body.string(topic).list(partitions, (partition) => {
      asked.push(`${topic}:${partition}`)
      const offset = script.committedBy(group, topic, partition)
      const error = script.failureOf('OffsetFetch', topic, partition)
      body.int32(partition).int64(offset).string(null).int16(error)
    }),
  )
  return { body: body.int16(0), asked }
}

function answerOffsetCommit({ reader, script }: Call): Answer {
  const group = reader.string()
  const generation = reader.int32()
  const member = reader.string()
  const asked = [group]
  const topics = reader.list(() => ({
    topic: reader.string(),
    partitions: reader.list(() => {
      const partition = reader.int32()
      const offset = reader.int64()
      reader.nullableString()
      return { partition, offset }
    }),
  }))
  const fenced = generation < 0 ? 0 : script.groupOf(group).heartbeat(member, generation)
  const body = new WireWriter().int32(0)
  body.list(topics, ({ topic, partitions }) =>
    body.string(topic).list(partitions, ({ partition, offset }) => {
      asked.push(`${topic}:${partition}@${offset}`)
      const failure = script.failureOf('OffsetCommit', topic, partition)
      const error = failure === 0 ? fenced : failure
      if (error === 0) script.commitFor(group, topic, partition, offset)
      body.int32(partition).int16(error)
    }),
  )
  return { body, asked }
}

function answerListGroups({ script }: Call): Answer {
  const body = new WireWriter().int32(0).int16(0)
  body.list([...script.groups.keys()], (group) => body.string(group).string('consumer'))
  return { body, asked: [] }
}

function answerDescribeGroups({ reader, script }: Call): Answer {
  const asked = reader.list(() => reader.string())
  const body = new WireWriter().int32(0)
  body.list(asked, (name) => {
    const members = script.groups.get(name)?.members ?? []
    body.int16(0).string(name)
    body
      .string(members.length === 0 ? 'Empty' : 'Stable')
      .string('consumer')
      .string('')
    body.list(members, (member) =>
      body.string(member).string('').string('').blob(Buffer.alloc(0)).blob(Buffer.alloc(0)),
    )
  })
  return { body, asked }
}
