import { TidemarkError } from '../../core/errors.ts'
import type { StreamName } from '../../ports/source.ts'
import type { Cluster } from './cluster.ts'
import type { Connection } from './connection.ts'
import { protocolsOf, shareOf, sharesOf } from './group-sharing.ts'
import { nameOf } from './guards.ts'
import { faultOf, isTransient } from './kafka-faults.ts'
import type { Membership } from './membership.ts'
import type { OnNotice } from './options.ts'
import type { Patience } from './patience.ts'
import { Wakeup } from './wakeup.ts'

const SESSION_MS = 30_000
const REBALANCE_MS = 30_000
const HEARTBEAT_MS = 1000

/** What the coordinator answers when the members are shared out anew. */
const ANEW = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION', 'MEMBER_ID_REQUIRED'])

/**
 * Takes part in a group for one thing only: which partitions are ours. Offsets are neither
 * committed to the group nor asked of it.
 *
 * While the members are shared out anew, each goes on with what it had: every one has a store of
 * its own, so that two may read a partition at once without harm. A long transaction that keeps
 * heartbeats from being sent costs the membership, and nothing else: we join again.
 */
export class GroupMembership implements Membership, AsyncDisposable {
  readonly #cluster: Cluster
  readonly #groupId: string
  readonly #patience: Patience
  readonly #onNotice: OnNotice
  readonly #wakeup = new Wakeup()
  readonly #closing = new AbortController()
  #listener: () => void = () => undefined
  #partitions: readonly StreamName[] = []
  #joinedWith: readonly StreamName[] = []
  #memberId = ''
  #isLeader = false
  #connection: Connection | null = null
  #running: Promise<void> | null = null
  #assigned: ReadonlySet<string> | null = null
  #failure: Error | null = null

  constructor(
    cluster: Cluster,
    groupId: string,
    { patience, onNotice }: { readonly patience: Patience; readonly onNotice: OnNotice },
  ) {
    this.#cluster = cluster
    this.#groupId = groupId
    this.#patience = patience
    this.#onNotice = onNotice
  }

  get assigned(): ReadonlySet<string> | null {
    return this.#assigned
  }

  get failure(): Error | null {
    return this.#failure
  }

  offer(partitions: readonly StreamName[]): void {
    this.#partitions = partitions
    this.#running ??= this.#run()
    if (this.#isToJoinAgain) this.#wakeup.ring()
  }

  onChange(listener: () => void): void {
    this.#listener = listener
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#leave()
    await this.#connection?.[Symbol.asyncDispose]()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isClosing && this.#failure === null) {
      try {
        await this.#take()
      } catch (error) {
        await this.#recover(error)
      }
    }
  }

  /** Joins, takes the share, and keeps it until it is to be shared anew. */
  async #take(): Promise<void> {
    const groupId = this.#groupId
    this.#connection ??= await this.#cluster.openCoordinator(groupId)
    const { broker } = this.#connection
    this.#joinedWith = this.#partitions
    const joined = await broker.joinGroup({
      groupId,
      memberId: this.#memberId,
      sessionTimeout: SESSION_MS,
      rebalanceTimeout: REBALANCE_MS,
      groupProtocols: protocolsOf([...new Set(this.#partitions.map(({ name }) => name))]),
    })
    const { generationId, memberId, leaderId, members } = joined
    this.#memberId = memberId
    this.#isLeader = memberId === leaderId
    const groupAssignment = this.#isLeader ? sharesOf(this.#partitions, members) : []
    const synced = await broker.syncGroup({ groupId, generationId, memberId, groupAssignment })
    this.#patience.succeeded(this.#name)
    this.#assign(shareOf(synced.memberAssignment))

    while (!this.#isToJoinAgain) {
      await this.#wakeup.wait(HEARTBEAT_MS, this.#closing.signal)
      if (this.#isClosing) return
      await broker.heartbeat({ groupId, groupGenerationId: generationId, memberId })
    }
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted
  }

  get #name(): string {
    return `the group ${this.#groupId}`
  }

  /** The leader shares partitions out, so what it comes to know matters; else only what we ask for. */
  get #isToJoinAgain(): boolean {
    if (this.#joinedWith === this.#partitions) return false
    const namesOf = this.#isLeader ? nameOf : ({ name }: StreamName): string => name
    const before = new Set(this.#joinedWith.map(namesOf))
    const now = new Set(this.#partitions.map(namesOf))
    return !isSame(before, now)
  }

  #assign(share: ReadonlySet<string>): void {
    const before = this.#assigned
    this.#assigned = share
    if (before !== null && isSame(before, share)) return
    this.#onNotice('partitions_assigned', { group: this.#groupId, partitions: [...share] })
    this.#listener()
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#isClosing) return
    const type = typeOf(error)
    if (ANEW.has(type)) return
    if (type === 'UNKNOWN_MEMBER_ID') {
      this.#memberId = ''
      return
    }
    try {
      if (!isRetriable(error)) throw refusedBy(this.#groupId, type, error)
      await this.#connection?.[Symbol.asyncDispose]()
      this.#connection = null
      await this.#wakeup.wait(this.#patience.failed(this.#name, error), this.#closing.signal)
    } catch (final) {
      this.#failure = faultOf(final)
      this.#listener()
    }
  }

  async #leave(): Promise<void> {
    if (this.#memberId === '' || this.#connection === null) return
    try {
      const { broker } = this.#connection
      await broker.leaveGroup({ groupId: this.#groupId, memberId: this.#memberId })
    } catch {
      // The session ends by itself.
    }
  }
}

function isSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each))
}

/** The name of an error of the protocol; empty for any other error. */
function typeOf(error: unknown): string {
  return error instanceof Error && 'type' in error ? String(error.type) : ''
}

function isRetriable(error: unknown): error is Error {
  if (isTransient(error)) return true
  return error instanceof Error && 'retriable' in error && error.retriable === true
}

function refusedBy(groupId: string, type: string, error: unknown): unknown {
  if (type === '') return error
  return new TidemarkError(
    'SOURCE_UNAVAILABLE',
    `the group ${groupId} does not let us in (${type}); it may belong to other clients, or this user may not read with it`,
    { group: groupId, reason: type },
    error,
  )
}
