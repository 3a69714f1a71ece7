import type { Cluster } from './cluster.ts'
import { fetchOnce } from './fetching.ts'
import type { FetchingOptions, Outcome } from './fetching.ts'
import { nameOf } from './guards.ts'
import { groupBy } from './grouping.ts'
import { faultOf, isTransient } from './kafka-faults.ts'
import type { Membership } from './membership.ts'
import type { KafkaOptions } from './options.ts'
import type { Chunk, Partition } from './partition.ts'
import type { Patience } from './patience.ts'
import { Roster } from './roster.ts'
import type { RosterParts } from './roster.ts'
import { Wakeup } from './wakeup.ts'

/** Longest wait of a broker for something to come; what is there comes at once. */
const WAIT_MS = { bounded: 100, continuous: 500 } as const

/**
 * Fetches partitions from where they were left, one request at a time from each broker, one
 * answer ahead. Outages are waited out as {@link Patience} says.
 */
export class Feed {
  readonly #cluster: Cluster
  readonly #fetching: FetchingOptions
  readonly #patience: Patience
  readonly #membership: Membership | null
  readonly #wakeup = new Wakeup()
  readonly #asking = new Set<number>()
  readonly #roster: Roster
  #ready: Chunk[] = []
  #turn = 0
  #isClosed = false
  #failure: Error | null = null

  constructor(options: KafkaOptions, parts: RosterParts) {
    const { isolation, codecs } = options
    const { cluster, mode, membership, patience } = parts
    this.#cluster = cluster
    this.#fetching = { isolation, codecs, maxWaitMs: WAIT_MS[mode] }
    this.#patience = patience
    this.#membership = membership
    this.#roster = new Roster(options, parts)
    membership?.onChange(() => {
      this.#roster.expire()
      this.#wakeup.ring()
    })
  }

  /** Whether a bounded run has fetched everything. What was polled may still have to be handed over. */
  get isDone(): boolean {
    return this.#roster.isDone && this.#ready.length === 0
  }

  /** Records that can be read and were not fetched yet, at most. */
  get backlog(): number {
    return this.#roster.partitions.reduce((sum, { backlog }) => sum + backlog, 0)
  }

  /**
   * What has come, as soon as something has; nothing after `waitMs`, when all is done or `signal` aborts.
   *
   * @throws TidemarkError whatever keeps the source from being read
   */
  async poll(waitMs: number, signal: AbortSignal): Promise<readonly Chunk[]> {
    const until = performance.now() + waitMs
    while (!signal.aborted) {
      if (await isCutShort(this.#roster.refresh(), signal)) break
      this.#ask()
      const failure = this.#failure ?? this.#membership?.failure ?? null
      if (failure !== null) throw failure
      if (this.#ready.length > 0) break

      const left = Math.min(until, this.#roster.refreshAt) - performance.now()
      if (this.isDone || until <= performance.now()) return []
      await this.#wakeup.wait(left, signal)
    }
    const chunks = this.#ready.filter(({ partition }) => !partition.isGone)
    this.#ready = []
    // The next answers may come while these are being worked on.
    this.#ask()
    return chunks
  }

  /** Nothing is asked any more, and what is still on its way does not matter, not even as a failure. */
  close(): void {
    this.#isClosed = true
  }

  #ask(): void {
    const wanting = this.#roster.partitions.filter(({ isDone }) => !isDone)
    const waiting = new Set(this.#ready.map(({ partition }) => partition.leader))
    for (const [leader, partitions] of groupBy(wanting, ({ leader: id }) => id)) {
      if (this.#asking.has(leader) || waiting.has(leader)) continue
      this.#asking.add(leader)
      this.#turn += 1
      this.#fetch(leader, rotated(partitions, this.#turn)).then(
        () => this.#answered(leader),
        (error: unknown) => {
          this.#failure ??= faultOf(error)
          this.#answered(leader)
        },
      )
    }
  }

  #answered(leader: number): void {
    this.#asking.delete(leader)
    this.#wakeup.ring()
  }

  async #fetch(leader: number, partitions: readonly Partition[]): Promise<void> {
    const broker = `broker ${leader}`
    try {
      const outcomes = await fetchOnce(this.#cluster, leader, partitions, this.#fetching)
      if (this.#isClosed) return
      this.#patience.succeeded(broker)
      for (const outcome of outcomes) this.#take(outcome)
    } catch (error) {
      if (this.#isClosed) return
      if (!isTransient(error)) throw error
      const delayMs = this.#patience.failed(broker, error)
      for (const partition of partitions) this.#roster.drop(partition, delayMs)
    }
  }

  #take(outcome: Outcome): void {
    if (outcome.kind === 'failure') {
      const { partition, error, cause } = outcome
      const delayMs = this.#patience.failed(nameOf(partition.stream), error, cause)
      this.#roster.drop(partition, delayMs)
      return
    }
    if (outcome.kind === 'nothing') {
      this.#patience.succeeded(nameOf(outcome.partition.stream))
      return
    }
    const { partition } = outcome.chunk
    this.#patience.succeeded(nameOf(partition.stream))
    if (!partition.isGone) this.#ready.push(outcome.chunk)
  }
}

/** So that each of them is first now and then. */
function rotated<T>(items: readonly T[], turn: number): T[] {
  const from = turn % items.length
  return [...items.slice(from), ...items.slice(0, from)]
}

/** Waits for something, but no longer than until the signal aborts; whether it did. */
async function isCutShort(work: Promise<void>, signal: AbortSignal): Promise<boolean> {
  let stop = (): void => undefined
  const aborted = new Promise<boolean>((resolve) => {
    stop = () => resolve(true)
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([work.then(() => false), aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
