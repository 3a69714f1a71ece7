import { TidemarkError } from '../../core/errors.ts'
import type { StreamName } from '../../ports/source.ts'
import { nameOf } from './guards.ts'
import type { Membership } from './membership.ts'
import type { Led } from './bounds.ts'
import type { KafkaOptions, StartPosition } from './options.ts'
import type { Positions } from './positions.ts'
import type { Layout, TopicSelection } from './topics.ts'

/** A partition that should be read, and where it begins if it never was. */
export type WantedPartition = Led & {
  readonly topicId: string | null
  readonly start: StartPosition
}

/**
 * Works out from what the cluster has which partitions should be read.
 *
 * The start position is for partitions that are there at the very first look of a topic's very
 * first run; whatever comes later begins at its oldest record, since all of it is news.
 */
export class Wanted {
  readonly #options: KafkaOptions
  readonly #selection: TopicSelection
  readonly #membership: Membership | null
  readonly #mode: 'bounded' | 'continuous'
  readonly #readBefore: ReadonlySet<string>
  readonly #streams = new Map<string, StreamName>()
  readonly #told = new Set<string>()
  readonly #seen = new Set<string>()
  #first: ReadonlySet<string> | null = null
  #wanted: ReadonlyMap<string, WantedPartition> = new Map()

  constructor(
    options: KafkaOptions,
    {
      selection,
      positions,
      membership,
      mode,
    }: {
      readonly selection: TopicSelection
      readonly positions: Positions
      readonly membership: Membership | null
      readonly mode: 'bounded' | 'continuous'
    },
  ) {
    this.#options = options
    this.#selection = selection
    this.#membership = membership
    this.#mode = mode
    this.#readBefore = new Set(positions.all.map(({ stream }) => stream.name))
  }

  get all(): readonly WantedPartition[] {
    return [...this.#wanted.values()]
  }

  of(name: string): WantedPartition | null {
    return this.#wanted.get(name) ?? null
  }

  /** Whether it is settled what is wanted; a member of a group has to wait for its share. */
  get isKnown(): boolean {
    return this.#first !== null && this.#membership?.assigned !== null
  }

  /** Whether a failure of this broker or partition still concerns us. */
  matters(what: string): boolean {
    return this.#wanted.has(what) || this.all.some(({ leader }) => what === `broker ${leader}`)
  }

  /** @throws TidemarkError `NOT_FOUND` in a bounded run */
  update(layout: Layout): void {
    this.#tellMissing(layout)
    const there = [...layout.topics.values()].flatMap(({ name, id, partitions }) =>
      partitions.map(({ partition, leader }) => ({
        stream: this.#stream(name, partition),
        topicId: id,
        leader,
      })),
    )
    const names = new Set(there.map(({ stream }) => nameOf(stream)))
    this.#tellAdded(names)
    this.#first ??= names
    this.#membership?.offer(there.map(({ stream }) => stream))

    const wanted = there
      .filter(({ stream }) => this.#isOurs(nameOf(stream)))
      .map((each) => ({ ...each, start: this.#startOf(each.stream) }))
    this.#wanted = new Map(wanted.map((each) => [nameOf(each.stream), each]))
  }

  #isOurs(name: string): boolean {
    // A bounded run ends where things stood when it began.
    if (this.#mode === 'bounded' && this.#first?.has(name) === false) return false
    if (this.#membership === null) return true
    return this.#membership.assigned?.has(name) === true
  }

  #startOf(stream: StreamName): StartPosition {
    if (this.#first?.has(nameOf(stream)) === false) return 'earliest'
    return this.#selection.isNews(stream.name, this.#readBefore) ? 'earliest' : this.#options.start
  }

  #stream(name: string, partition: number): StreamName {
    const key = nameOf({ name, partition })
    const known = this.#streams.get(key) ?? { name, partition }
    this.#streams.set(key, known)
    return known
  }

  #tellMissing({ topics, missing }: Layout): void {
    const [topic] = missing
    if (this.#mode === 'bounded') {
      if (topic !== undefined) {
        throw new TidemarkError('NOT_FOUND', `the topic ${topic} does not exist`, { topic })
      }
      if (topics.size === 0) {
        throw new TidemarkError('NOT_FOUND', `no topic matches ${this.#selection.text}`)
      }
    }
    for (const name of topics.keys()) this.#told.delete(name)
    for (const name of missing) {
      if (!this.#told.has(name)) this.#options.onNotice('topic_missing', { topic: name })
      this.#told.add(name)
    }
  }

  #tellAdded(names: ReadonlySet<string>): void {
    const added = [...names].filter((name) => !this.#seen.has(name))
    for (const name of added) this.#seen.add(name)
    if (this.#first === null || added.length === 0) return
    this.#options.onNotice('partitions_added', { partitions: added })
  }
}
