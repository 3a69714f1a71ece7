import { ERROR_CODES } from './broker-errors.ts'

type Protocol = { readonly name: string; readonly metadata: Buffer }

/** What a member asks for when it joins. */
export type JoinRequest = {
  readonly member: string
  readonly sessionMs: number
  readonly rebalanceMs: number
  readonly protocols: readonly Protocol[]
}

export type JoinAnswer = {
  readonly error: number
  readonly generation: number
  readonly protocol: string
  readonly leader: string
  readonly member: string
  readonly members: readonly { readonly member: string; readonly metadata: Buffer }[]
}

export type SyncAnswer = { readonly error: number; readonly assignment: Buffer }

type Member = {
  readonly id: string
  protocols: readonly Protocol[]
  sessionMs: number
  rebalanceMs: number
  expiry: NodeJS.Timeout | null
  joined: ((answer: JoinAnswer) => void) | null
  synced: ((answer: SyncAnswer) => void) | null
}

/**
 * The coordinator's side of one consumer group: joining, syncing, heartbeats, leaving, expiry.
 *
 *     empty or stable ── join, leave, expiry, rebalance() ──▸ joining
 *     joining ── every known member has joined ──▸ syncing
 *     syncing ── the leader has sent the assignment ──▸ stable
 *
 * A heartbeat while joining is answered with REBALANCE_IN_PROGRESS, which makes its member join
 * again. Members that do not within their rebalance time are dropped, and so are members that stay
 * silent for their session time.
 */
export class ScriptedGroup {
  readonly #members = new Map<string, Member>()
  #phase: 'stable' | 'joining' | 'syncing' = 'stable'
  #generation = 0
  #leader = ''
  #named = 0
  #assignments = new Map<string, Buffer>()
  #patience: NodeJS.Timeout | null = null

  /** The ids of the members, in the order in which they came. */
  get members(): readonly string[] {
    return [...this.#members.keys()]
  }

  get generation(): number {
    return this.#generation
  }

  join(request: JoinRequest, clientId: string): Promise<JoinAnswer> {
    if (request.member === '') {
      this.#named += 1
      const error = ERROR_CODES.MEMBER_ID_REQUIRED
      return Promise.resolve(refusedJoin(error, `${clientId}-${this.#named}`))
    }
    const known = this.#members.get(request.member)
    const member = known ?? this.#enter(request)
    member.protocols = request.protocols
    member.sessionMs = request.sessionMs
    member.rebalanceMs = request.rebalanceMs
    return new Promise((resolve) => {
      member.joined = resolve
      if (this.#phase !== 'joining') this.rebalance()
      this.#completeJoin()
    })
  }

  sync(
    member: string,
    generation: number,
    assignments: readonly { readonly member: string; readonly assignment: Buffer }[],
  ): Promise<SyncAnswer> {
    const entry = this.#members.get(member)
    const error = this.#errorFor(entry, generation)
    if (entry === undefined || error !== 0) return Promise.resolve(refusedSync(error))
    this.#touch(entry)
    return new Promise((resolve) => {
      entry.synced = resolve
      if (member === this.#leader && this.#phase === 'syncing') {
        this.#assignments = new Map(assignments.map((given) => [given.member, given.assignment]))
        this.#phase = 'stable'
      }
      if (this.#phase === 'stable') this.#completeSync()
    })
  }

  /** The error code of a heartbeat. */
  heartbeat(member: string, generation: number): number {
    const entry = this.#members.get(member)
    if (entry !== undefined) this.#touch(entry)
    return this.#errorFor(entry, generation)
  }

  leave(member: string): number {
    if (!this.#members.has(member)) return ERROR_CODES.UNKNOWN_MEMBER_ID
    this.#remove(member)
    return 0
  }

  /** Makes all members join again, as the coming or going of a member does. */
  rebalance(): void {
    if (this.#members.size === 0 || this.#phase === 'joining') return
    this.#phase = 'joining'
    for (const member of this.#members.values()) {
      member.synced?.(refusedSync(ERROR_CODES.REBALANCE_IN_PROGRESS))
      member.synced = null
    }
    const patienceMs = Math.max(...[...this.#members.values()].map((member) => member.rebalanceMs))
    this.#patience = setTimeout(() => this.#dropAbsent(), patienceMs).unref()
  }

  /** Forgets all members and stops all timers. */
  close(): void {
    if (this.#patience !== null) clearTimeout(this.#patience)
    for (const { expiry } of this.#members.values()) if (expiry !== null) clearTimeout(expiry)
    this.#members.clear()
  }

  #enter({ member: id, protocols, sessionMs, rebalanceMs }: JoinRequest): Member {
    const entry = {
      id,
      protocols,
      sessionMs,
      rebalanceMs,
      expiry: null,
      joined: null,
      synced: null,
    }
    this.#members.set(id, entry)
    return entry
  }

  #errorFor(entry: Member | undefined, generation: number): number {
    if (entry === undefined) return ERROR_CODES.UNKNOWN_MEMBER_ID
    if (this.#phase === 'joining') return ERROR_CODES.REBALANCE_IN_PROGRESS
    return generation === this.#generation ? 0 : ERROR_CODES.ILLEGAL_GENERATION
  }

  #touch(member: Member): void {
    if (member.expiry !== null) clearTimeout(member.expiry)
    member.expiry = setTimeout(() => this.#remove(member.id), member.sessionMs).unref()
  }

  #remove(id: string): void {
    const member = this.#members.get(id)
    if (member === undefined) return
    if (member.expiry !== null) clearTimeout(member.expiry)
    this.#members.delete(id)
    member.joined?.(refusedJoin(ERROR_CODES.UNKNOWN_MEMBER_ID, id))
    member.synced?.(refusedSync(ERROR_CODES.UNKNOWN_MEMBER_ID))
    if (this.#phase !== 'joining') this.rebalance()
    this.#completeJoin()
  }

  #dropAbsent(): void {
    const absent = [...this.#members.values()].filter(({ joined }) => joined === null)
    for (const { id } of absent) this.#remove(id)
  }

  #completeJoin(): void {
    const members = [...this.#members.values()]
    if (members.length === 0) this.#phase = 'stable'
    const waits = members.some(({ joined }) => joined === null)
    if (this.#phase !== 'joining' || waits) return
    if (this.#patience !== null) clearTimeout(this.#patience)

    this.#generation += 1
    this.#phase = 'syncing'
    this.#assignments = new Map()
    if (!this.#members.has(this.#leader)) this.#leader = members[0]?.id ?? ''
    const protocol = sharedProtocol(members)
    const listed = members.map(({ id, protocols }) => ({
      member: id,
      metadata: protocols.find(({ name }) => name === protocol)?.metadata ?? Buffer.alloc(0),
    }))
    for (const member of members) {
      this.#touch(member)
      member.joined?.({
        error: 0,
        generation: this.#generation,
        protocol,
        leader: this.#leader,
        member: member.id,
        members: member.id === this.#leader ? listed : [],
      })
      member.joined = null
    }
  }

  #completeSync(): void {
    for (const member of this.#members.values()) {
      const assignment = this.#assignments.get(member.id) ?? Buffer.alloc(0)
      member.synced?.({ error: 0, assignment })
      member.synced = null
    }
  }
}

function sharedProtocol(members: readonly Member[]): string {
  const offered = members[0]?.protocols ?? []
  const shared = offered.find(({ name }) =>
    members.every(({ protocols }) => protocols.some((other) => other.name === name)),
  )
  return shared?.name ?? ''
}

function refusedJoin(error: number, member: string): JoinAnswer {
  return { error, generation: -1, protocol: '', leader: '', member, members: [] }
}

function refusedSync(error: number): SyncAnswer {
  return { error, assignment: Buffer.alloc(0) }
}
