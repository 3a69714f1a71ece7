import { setTimeout as sleep } from 'node:timers/promises'
import { TidemarkError } from '../../core/errors.ts'
import { CODES, isForbidden } from './api.ts'
import type { Cluster } from './cluster.ts'
import { loginRefused, Transient } from './kafka-faults.ts'
import type { TopicMetadata } from './metadata-api.ts'
import type { TopicChoice } from './options.ts'

/** What the cluster has of the topics that were chosen. */
export type Layout = {
  /** By name, in order. */
  readonly topics: ReadonlyMap<string, TopicMetadata>
  /** Named, and not there. */
  readonly missing: readonly string[]
}

/** Topics by name, or a pattern that names are matched against; internal topics never match. */
export class TopicSelection {
  readonly #names: readonly string[]
  readonly #pattern: RegExp | null
  /** As messages call it. */
  readonly text: string

  /** @throws TidemarkError `SPEC_INVALID` for a pattern that is none */
  constructor(choice: TopicChoice) {
    this.#pattern = patternOf(choice)
    this.#names = namesOf(choice)
    this.text = this.#pattern === null ? this.#names.join(', ') : String(this.#pattern)
  }

  /** Whether what was never read of a topic came after a first run, given the topics that were read. */
  isNews(topic: string, readBefore: ReadonlySet<string>): boolean {
    return this.#pattern === null ? readBefore.has(topic) : readBefore.size > 0
  }

  /**
   * Looks up what is there now.
   *
   * @throws TidemarkError `SOURCE_UNAVAILABLE` for topics that may not be read
   */
  async layout(cluster: Cluster): Promise<Layout> {
    for (let looks = 1; ; looks++) {
      const layout = await this.#look(cluster)
      if (layout.missing.length === 0 || looks === LOOKS) return layout
      // One that was made this moment may not be known everywhere.
      await sleep(LOOK_AGAIN_MS)
    }
  }

  async #look(cluster: Cluster): Promise<Layout> {
    const pattern = this.#pattern
    const topics = await cluster.metadata(pattern === null ? this.#names : null)
    const chosen = topics.filter(
      ({ name, isInternal }) => pattern === null || (!isInternal && pattern.test(name)),
    )
    const missing: string[] = []
    const there = new Map<string, TopicMetadata>()
    for (const topic of chosen.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (isMissing(topic)) missing.push(topic.name)
      else there.set(topic.name, topic)
    }
    return { topics: there, missing: pattern === null ? missing : [] }
  }
}

function isMissing({ name, fault, partitions }: TopicMetadata): boolean {
  if (isForbidden(fault)) {
    throw new TidemarkError('SOURCE_UNAVAILABLE', `this user may not read the topic ${name}`, {
      topic: name,
    })
  }
  // kafkajs takes a token that was refused for one that was accepted; this is what comes of it.
  if (fault === CODES.ILLEGAL_SASL_STATE) throw loginRefused()
  if (fault === CODES.UNKNOWN_TOPIC_OR_PARTITION || fault === CODES.INVALID_TOPIC) return true
  if (fault !== CODES.NONE && partitions.length === 0) {
    throw new Transient(`the topic ${name} cannot be looked up (error ${fault})`)
  }
  return false
}

const LOOKS = 3
const LOOK_AGAIN_MS = 100

function namesOf(choice: TopicChoice): readonly string[] {
  if (typeof choice === 'string') return [choice]
  return 'pattern' in choice ? [] : choice
}

function patternOf(choice: TopicChoice): RegExp | null {
  const source = sourceOf(choice)
  if (source === null) return null
  try {
    return new RegExp(source, 'u')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new TidemarkError('SPEC_INVALID', `topics: ${reason}`, { pattern: source }, error)
  }
}

function sourceOf(choice: TopicChoice): string | null {
  if (typeof choice === 'string') return /^\/(.*)\/$/su.exec(choice)?.[1] ?? null
  return 'pattern' in choice ? choice.pattern : null
}
