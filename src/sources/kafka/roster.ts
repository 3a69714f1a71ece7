import type { StreamName } from '../../ports/source.ts'
import type { Cluster } from './cluster.ts'
import { groupBy } from './grouping.ts'
import { nameOf, partitionGone } from './guards.ts'
import { isTransient } from './kafka-faults.ts'
import type { Membership } from './membership.ts'
import { openPartitions } from './opening.ts'
import type { Opened, ToOpen } from './opening.ts'
import type { KafkaOptions } from './options.ts'
import { Partition } from './partition.ts'
import { THE_CLUSTER } from './patience.ts'
import type { Patience } from './patience.ts'
import type { Positions } from './positions.ts'
import { BrokenBatch } from './record-batch.ts'
import type { Layout, TopicSelection } from './topics.ts'
import { Wanted } from './wanted.ts'

/** What a roster works with. */
export type RosterParts = {
  readonly cluster: Cluster
  readonly selection: TopicSelection
  readonly positions: Positions
  readonly membership: Membership | null
  readonly patience: Patience
  readonly mode: 'bounded' | 'continuous'
}

/**
 * Which partitions are being read: those that the cluster has, and the group, if any, leaves to
 * us. Each is opened, with all guards, before it is read, and again after any failure.
 */
export class Roster {
  readonly #parts: RosterParts
  readonly #options: KafkaOptions
  readonly #wanted: Wanted
  readonly #open = new Map<string, Partition>()
  readonly #retryAt = new Map<string, number>()
  #partitions: readonly Partition[] = []
  #refreshAt = 0
  #isComplete = false
  /** Topics that were there at some time of this run. */
  readonly #topics = new Set<string>()
  #isTopicGone = false
  #looksForGone = 0

  constructor(options: KafkaOptions, parts: RosterParts) {
    this.#options = options
    this.#parts = parts
    this.#wanted = new Wanted(options, parts)
  }

  /** Those that can be fetched. */
  get partitions(): readonly Partition[] {
    return this.#partitions
  }

  /** When to look again, by `performance.now()`. */
  get refreshAt(): number {
    return this.#refreshAt
  }

  /** Whether every partition that a bounded run wants is fetched to its end. */
  get isDone(): boolean {
    if (this.#parts.mode === 'continuous' || !this.#isComplete) return false
    return this.#partitions.every(({ isDone }) => isDone)
  }

  /** Looks again as soon as it is asked to refresh. */
  expire(): void {
    this.#refreshAt = 0
  }

  /** Takes a partition out that failed; it is opened again after a while, where it was handed over to. */
  drop(partition: Partition, delayMs: number): void {
    const name = nameOf(partition.stream)
    if (partition.isGone) return
    const at = performance.now() + delayMs
    this.#retryAt.set(name, at)
    this.#refreshAt = Math.min(this.#refreshAt, at)
    this.#looksForGone = 0
    this.#close(name, partition)
  }

  /**
   * Looks what there is, if it is time to, and opens what is not open.
   *
   * @throws TidemarkError what {@link openPartitions} does; `NOT_FOUND`, `SOURCE_UNAVAILABLE`
   */
  async refresh(): Promise<void> {
    if (performance.now() < this.#refreshAt) return
    const { selection, cluster, patience, mode } = this.#parts
    // Whatever expires it from here on is seen by the next look.
    this.#refreshAt = Infinity
    try {
      this.#adopt(await selection.layout(cluster))
      patience.succeeded(THE_CLUSTER)
    } catch (error) {
      if (!isTransient(error)) throw error
      this.#lookAgainIn(patience.failed(THE_CLUSTER, error))
      return
    }

    await this.#openWanted()
    if (mode === 'continuous') this.#lookAgainIn(this.#nextLookMs())
    const closed = this.#wanted.all.filter(({ stream }) => !this.#open.has(nameOf(stream)))
    for (const { stream } of closed) {
      this.#refreshAt = Math.min(this.#refreshAt, this.#retryAt.get(nameOf(stream)) ?? 0)
    }
    this.#isComplete = this.#wanted.isKnown && closed.length === 0
  }

  /** A topic that vanished may be made anew any moment: it is looked for soon, then less and less often. */
  #nextLookMs(): number {
    const { metadataMaxAgeMs, retry } = this.#options
    if (!this.#isTopicGone) return metadataMaxAgeMs
    this.#looksForGone += 1
    return Math.min(retry.firstDelayMs * 2 ** this.#looksForGone, metadataMaxAgeMs)
  }

  #lookAgainIn(ms: number): void {
    this.#refreshAt = Math.min(this.#refreshAt, performance.now() + ms)
  }

  #adopt(layout: Layout): void {
    const { positions } = this.#parts
    for (const { stream } of positions.all) {
      const topic = layout.topics.get(stream.name)
      if (topic === undefined) continue
      if (topic.partitions.some(({ partition }) => partition === stream.partition)) continue
      throw partitionGone(stream, topic.partitions.length)
    }

    this.#wanted.update(layout)
    for (const name of layout.topics.keys()) this.#topics.add(name)
    this.#isTopicGone = [...this.#topics].some((name) => !layout.topics.has(name))
    for (const [name, partition] of this.#open) {
      const wanted = this.#wanted.of(name)
      if (wanted === null) positions.release(partition.stream)
      const isSame = wanted?.leader === partition.leader && wanted.topicId === partition.topicId
      if (!isSame) this.#close(name, partition)
    }
  }

  async #openWanted(): Promise<void> {
    const { patience, positions } = this.#parts
    const now = performance.now()
    const due = this.#wanted.all
      .filter(({ stream }) => !this.#open.has(nameOf(stream)))
      .filter(({ stream }) => (this.#retryAt.get(nameOf(stream)) ?? 0) <= now)
      .map((wanted) => ({ ...wanted, position: positions.of(wanted.stream) }))
    for (const [leader, partitions] of groupBy(due, ({ leader: id }) => id)) {
      if (leader < 0) for (const { stream } of partitions) this.#postpone(stream, NO_LEADER)
      else await this.#openAt(leader, partitions)
    }
    patience.forget((what) => what.startsWith('the ') || this.#wanted.matters(what))
  }

  async #openAt(leader: number, partitions: readonly ToOpen[]): Promise<void> {
    const { cluster, patience, mode } = this.#parts
    try {
      const opened = await openPartitions(cluster, partitions, { ...this.#options, mode })
      for (const each of opened) this.#add(each)
    } catch (error) {
      if (!isTransient(error) && !(error instanceof BrokenBatch)) throw error
      const kind = error instanceof BrokenBatch ? 'damage' : 'outage'
      const delayMs = patience.failed(`broker ${leader}`, error, kind)
      const at = performance.now() + delayMs
      for (const { stream } of partitions) this.#retryAt.set(nameOf(stream), at)
    }
  }

  #add({ position, bounds, of: { leader, topicId } }: Opened): void {
    const { positions, mode, patience } = this.#parts
    const { stream, next } = position
    const name = nameOf(stream)
    positions.begin(position)
    const partition = new Partition({ stream, topicId, leader, next, bounds, mode })
    if (partition.isDone) {
      patience.succeeded(`broker ${leader}`)
      patience.succeeded(name)
    }
    this.#retryAt.delete(name)
    this.#open.set(name, partition)
    this.#partitions = [...this.#open.values()]
  }

  #postpone(stream: StreamName, error: Error): void {
    const name = nameOf(stream)
    this.#retryAt.set(name, performance.now() + this.#parts.patience.failed(name, error))
  }

  #close(name: string, partition: Partition): void {
    partition.isGone = true
    if (this.#open.get(name) === partition) this.#open.delete(name)
    this.#partitions = [...this.#open.values()]
    this.#isComplete = false
  }
}

const NO_LEADER = new Error('no broker leads it')
