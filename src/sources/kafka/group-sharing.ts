import { AssignerProtocol } from 'kafkajs'
import type { StreamName } from '../../ports/source.ts'
import { nameOf } from './guards.ts'
import { WireReader } from './wire-reader.ts'

const { MemberAssignment, MemberMetadata } = AssignerProtocol

/** A member as the coordinator tells of it. */
export type Member = { readonly memberId: string; readonly memberMetadata: Buffer }

/**
 * The names under which members take part. Whatever the name, we share in turn; names that other
 * clients know let those be members too.
 */
const PROTOCOLS = ['RoundRobinAssigner', 'roundrobin', 'range']

/** What we tell the group when we join it. */
export function protocolsOf(topics: readonly string[]): { name: string; metadata: Buffer }[] {
  const metadata = MemberMetadata.encode({
    version: 0,
    topics: [...topics],
    userData: Buffer.alloc(0),
  })
  return PROTOCOLS.map((name) => ({ name, metadata }))
}

/** Gives each partition to the next member that wants its topic, in the order of names and members. */
export function sharesOf(
  partitions: readonly StreamName[],
  members: readonly Member[],
): { memberId: string; memberAssignment: Buffer }[] {
  const sharing = members
    .map(({ memberId, memberMetadata }) => ({
      memberId,
      topics: new Set(MemberMetadata.decode(memberMetadata)?.topics),
      assignment: new Map<string, number[]>(),
    }))
    .toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1))
  let turn = 0
  for (const { name, partition } of partitions) {
    const inTurn = [...sharing.slice(turn), ...sharing.slice(0, turn)]
    const taker = inTurn.find(({ topics }) => topics.has(name))
    if (taker === undefined) continue
    taker.assignment.set(name, [...(taker.assignment.get(name) ?? []), partition])
    turn = (sharing.indexOf(taker) + 1) % sharing.length
  }
  return sharing.map(({ memberId, assignment }) => ({
    memberId,
    memberAssignment: MemberAssignment.encode({
      version: 0,
      assignment: Object.fromEntries(assignment),
      userData: Buffer.alloc(0),
    }),
  }))
}

/** The names of the partitions that were given to us. */
export function shareOf(memberAssignment: Buffer): ReadonlySet<string> {
  if (memberAssignment.length === 0) return new Set()
  // Read here: the library keeps topics as members of an object, and loses one called `__proto__`.
  const reader = new WireReader(memberAssignment, false)
  reader.int16()
  const topics = reader.list(() => {
    const name = reader.text() ?? ''
    return reader.list(() => nameOf({ name, partition: reader.int32() }))
  })
  return new Set(topics.flat())
}
