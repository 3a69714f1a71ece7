import type { Call } from './broker-call.ts'

/** Answers FindCoordinator: the one node there is. */
export function answerFindCoordinator(call: Call): void {
  const { reader, body, script, host, port, asked } = call
  const group = reader.string()
  asked(group)
  body.int32(0).int16(script.failureOf('FindCoordinator')).string(null)
  body.int32(0).string(host).int32(port)
}

/** Answers JoinGroup once all members of the group have joined. */
export async function answerJoinGroup(call: Call): Promise<void> {
  const { reader, body, script, clientId, asked } = call
  const group = reader.string()
  const sessionMs = reader.int32()
  const rebalanceMs = reader.int32()
  const member = reader.string()
  reader.nullableString()
  reader.string()
  const protocols = reader.list(() => ({ name: reader.string(), metadata: reader.blob() }))
  asked(group, member)

  const error = script.failureOf('JoinGroup')
  const joined =
    error === 0
      ? await script.groupOf(group).join({ member, sessionMs, rebalanceMs, protocols }, clientId)
      : { error, generation: -1, protocol: '', leader: '', member, members: [] }
  body.int32(0).int16(joined.error).int32(joined.generation)
  body.string(joined.protocol).string(joined.leader).string(joined.member)
  body.list(joined.members, ({ member: id, metadata }) =>
    body.string(id).string(null).blob(metadata),
  )
}

/** Answers SyncGroup once the leader has sent its assignment. */
export async function answerSyncGroup({ reader, body, script, asked }: Call): Promise<void> {
  const group = reader.string()
  const generation = reader.int32()
  const member = reader.string()
  reader.nullableString()
  const given = reader.list(() => ({ member: reader.string(), assignment: reader.blob() }))
  asked(group, member)

  const error = script.failureOf('SyncGroup')
  const synced =
    error === 0
      ? await script.groupOf(group).sync(member, generation, given)
      : { error, assignment: Buffer.alloc(0) }
  body.int32(0).int16(synced.error).blob(synced.assignment)
}

/** Answers Heartbeat. */
export function answerHeartbeat({ reader, body, script, asked }: Call): void {
  const group = reader.string()
  const generation = reader.int32()
  const member = reader.string()
  asked(group, member)
  const failure = script.failureOf('Heartbeat')
  body.int32(0).int16(failure || script.groupOf(group).heartbeat(member, generation))
}

/** Answers LeaveGroup. */
export function answerLeaveGroup({ reader, body, script, asked }: Call): void {
  const group = reader.string()
  const members = reader.list(() => {
    const member = reader.string()
    reader.nullableString()
    return member
  })
  asked(group, ...members)
  body.int32(0).int16(script.failureOf('LeaveGroup'))
  body.list(members, (member) =>
    body.string(member).string(null).int16(script.groupOf(group).leave(member)),
  )
}

/** Answers ListGroups. */
export function answerListGroups({ body, script, asked }: Call): void {
  asked()
  body.int32(0).int16(0)
  body.list([...script.groups.keys()], (group) => body.string(group).string('consumer'))
}

/** Answers DescribeGroups with the ids of the members; their metadata and assignments stay empty. */
export function answerDescribeGroups({ reader, body, script, asked }: Call): void {
  const names = reader.list(() => reader.string())
  asked(...names)
  body.int32(0)
  body.list(names, (name) => {
    const members = script.groups.get(name)?.members ?? []
    body
      .int16(0)
      .string(name)
      .string(members.length === 0 ? 'Empty' : 'Stable')
    body.string('consumer').string('')
    body.list(members, (member) =>
      body.string(member).string('').string('').blob(Buffer.alloc(0)).blob(Buffer.alloc(0)),
    )
  })
}
