import type { ApiName } from './api-names.ts'
import type { ErrorName } from './broker-errors.ts'
import { ERROR_CODES } from './broker-errors.ts'
import type { ScriptedBatch } from './record-batch.ts'
import { ScriptedGroup } from './scripted-group.ts'
import { partitionOf, topicId } from './scripted-topics.ts'
import type { Partition, PartitionScript, Topic, TopicScript } from './scripted-topics.ts'

/** Which of the next requests get an error instead of their answer; without a topic or partition, all of the api. */
export type Failure = {
  readonly api: ApiName
  readonly error: ErrorName
  readonly topic?: string
  readonly partition?: number
  /** 1 if left out. */
  readonly times?: number
}

type Counted<T> = { readonly what: T; left: number }

/**
 * What the broker serves and how it misbehaves. Every method may be called while clients are
 * connected; a fetch that waits for records is answered as soon as a change concerns it.
 */
export class BrokerScript {
  readonly #topics = new Map<string, Topic>()
  readonly #groups = new Map<string, ScriptedGroup>()
  readonly #committed = new Map<string, bigint>()
  readonly #failures: Counted<Failure>[] = []
  readonly #delays: Counted<{ readonly api: ApiName; readonly ms: number }>[] = []
  readonly #drops: Counted<ApiName>[] = []
  readonly #waiting = new Set<() => void>()
  #created = 0

  constructor(topics: Readonly<Record<string, TopicScript>>) {
    for (const [name, topic] of Object.entries(topics)) this.recreate(name, topic)
  }

  /** The topics by name, in the order in which they were made. */
  get topics(): ReadonlyMap<string, Topic> {
    return this.#topics
  }

  get groups(): ReadonlyMap<string, ScriptedGroup> {
    return this.#groups
  }

  /** Makes a topic, or deletes the one of that name and makes it anew with another id. */
  recreate(topic: string, { partitions }: TopicScript): void {
    this.#created += 1
    this.#topics.set(topic, { id: topicId(this.#created), partitions: partitions.map(partitionOf) })
    this.#wake()
  }

  delete(topic: string): void {
    this.#topics.delete(topic)
    this.#wake()
  }

  addPartition(topic: string, script: PartitionScript): void {
    this.#replace(topic, (partitions) => [...partitions, partitionOf(script)])
  }

  /** Leaves only the first `count` partitions of a topic, as a topic does that was recreated smaller. */
  shrink(topic: string, count: number): void {
    this.#replace(topic, (partitions) => partitions.slice(0, count))
  }

  /** Adds batches to the end of a partition; its watermarks move behind them. */
  append(topic: string, partition: number, ...batches: readonly ScriptedBatch[]): void {
    this.#change(topic, partition, (old) => {
      const added = partitionOf({ low: old.high, log: batches })
      return { ...old, log: [...old.log, ...batches], high: added.high, lso: added.lso }
    })
  }

  /** Replaces a partition: other content, other watermarks, under the same topic id. */
  set(topic: string, partition: number, script: PartitionScript): void {
    this.#change(topic, partition, () => partitionOf(script))
  }

  /** Deletes the records below an offset, as retention does. */
  moveLogStart(topic: string, partition: number, low: bigint): void {
    this.#change(topic, partition, (old) => ({
      ...old,
      low,
      high: low > old.high ? low : old.high,
      lso: low > old.lso ? low : old.lso,
      log: old.log.filter(({ last }) => last >= low),
    }))
  }

  /** Answers the next matching requests with an error. */
  fail(failure: Failure): void {
    this.#failures.push({ what: failure, left: failure.times ?? 1 })
  }

  /** Holds the next answers back for a while. */
  delay(api: ApiName, ms: number, times = 1): void {
    this.#delays.push({ what: { api, ms }, left: times })
  }

  /** Closes the connection on the next requests, without an answer. */
  drop(api: ApiName, times = 1): void {
    this.#drops.push({ what: api, left: times })
  }

  /** Makes the members of a group join again. */
  rebalance(group: string): void {
    this.groupOf(group).rebalance()
  }

  /** Sets the offset that a group has committed, whoever committed it. */
  commitFor(group: string, topic: string, partition: number, offset: bigint): void {
    this.#committed.set(committedKey(group, topic, partition), offset)
  }

  /** The offset that a group has committed, or -1. */
  committedBy(group: string, topic: string, partition: number): bigint {
    const own = this.#committed.get(committedKey(group, topic, partition))
    return own ?? this.#committed.get(committedKey('*', topic, partition)) ?? -1n
  }

  groupOf(name: string): ScriptedGroup {
    const known = this.#groups.get(name)
    if (known !== undefined) return known
    const made = new ScriptedGroup()
    this.#groups.set(name, made)
    return made
  }

  partition(topic: string, partition: number): Partition | undefined {
    return this.#topics.get(topic)?.partitions[partition]
  }

  /** The error code that was asked for this request, else 0. Counts it off. */
  failureOf(api: ApiName, topic?: string, partition?: number): number {
    const entry = this.#failures.find(
      ({ what, left }) =>
        left > 0 &&
        what.api === api &&
        (what.topic === undefined || what.topic === topic) &&
        (what.partition === undefined || what.partition === partition),
    )
    if (entry === undefined) return 0
    entry.left -= 1
    return ERROR_CODES[entry.what.error]
  }

  /** For how long this answer is to be held back. Counts it off. */
  delayOf(api: ApiName): number {
    const entry = this.#delays.find(({ what, left }) => left > 0 && what.api === api)
    if (entry === undefined) return 0
    entry.left -= 1
    return entry.what.ms
  }

  /** Whether this request is to cost its connection. Counts it off. */
  dropOf(api: ApiName): boolean {
    const entry = this.#drops.find(({ what, left }) => left > 0 && what === api)
    if (entry === undefined) return false
    entry.left -= 1
    return true
  }

  /** Resolves with the next change of a topic, or after `ms`. */
  change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms).unref()
      this.#waiting.add(wake)
    })
  }

  /** Ends all waiting and all timers. */
  close(): void {
    this.#wake()
    for (const group of this.#groups.values()) group.close()
  }

  #change(topic: string, partition: number, edit: (old: Partition) => Partition): void {
    this.#replace(topic, (partitions) =>
      partitions.map((old, index) => (index === partition ? edit(old) : old)),
    )
  }

  #replace(name: string, edit: (old: readonly Partition[]) => readonly Partition[]): void {
    const topic = this.#topics.get(name)
    if (topic === undefined) throw new Error(`no topic ${name} in the script`)
    this.#topics.set(name, { ...topic, partitions: edit(topic.partitions) })
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}

function committedKey(group: string, topic: string, partition: number): string {
  return JSON.stringify([group, topic, partition])
}
