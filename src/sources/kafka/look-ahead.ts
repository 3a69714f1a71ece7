import type { Isolation } from './list-offsets-api.ts'
import { nameOf } from './guards.ts'
import type { TopicMetadata } from './metadata-api.ts'
import type { Bounds, Led } from './bounds.ts'

/**
 * What one look finds of topics that are to be read one after the other, so that each does not cost a
 * question of its own. A finding is given away once, to whoever asks first: who looks again, after a
 * failure say, asks the brokers.
 */
export class LookAhead {
  readonly #expected = new Set<string>()
  readonly #topics = new Map<string, TopicMetadata>()
  readonly #bounds = new Map<string, Bounds>()

  /** Topics that are going to be asked for. */
  expect(topics: Iterable<string>): void {
    for (const topic of topics) this.#expected.add(topic)
  }

  /** Topics to be asked for together with others; each is once. */
  takeExpected(): readonly string[] {
    const topics = [...this.#expected]
    this.#expected.clear()
    return topics
  }

  keepTopics(topics: readonly TopicMetadata[]): void {
    for (const topic of topics) this.#topics.set(topic.name, topic)
  }

  /** All of them, or null. */
  takeTopics(names: readonly string[]): readonly TopicMetadata[] | null {
    return takeAll(this.#topics, names)
  }

  /** Partitions of topics that nobody has asked for yet. */
  get partitions(): readonly Led[] {
    return [...this.#topics.values()].flatMap(({ name, partitions }) =>
      partitions
        .filter(({ leader }) => leader >= 0)
        .map(({ partition, leader }) => ({ stream: { name, partition }, leader })),
    )
  }

  keepBounds(bounds: ReadonlyMap<string, Bounds>, isolation: Isolation): void {
    for (const [name, each] of bounds) this.#bounds.set(`${isolation} ${name}`, each)
  }

  /** Those of all these partitions, or null. */
  takeBounds(partitions: readonly Led[], isolation: Isolation): ReadonlyMap<string, Bounds> | null {
    const names = partitions.map(({ stream }) => nameOf(stream))
    const bounds = takeAll(
      this.#bounds,
      names.map((name) => `${isolation} ${name}`),
    )
    return bounds && new Map(bounds.map((each, i) => [names[i] ?? '', each]))
  }
}

function takeAll<T>(from: Map<string, T>, names: readonly string[]): readonly T[] | null {
  const found = names.flatMap((name) => from.get(name) ?? [])
  if (found.length < names.length) return null
  for (const name of names) from.delete(name)
  return found
}
