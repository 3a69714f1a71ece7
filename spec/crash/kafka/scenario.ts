import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { startBroker, type Broker } from '../../kafka/kafka.ts'
import type { Ended, Running } from '../command.ts'
import type { Random } from '../random.ts'
import { ChangeFeed } from './change-feed.ts'
import { follow, Group } from './group.ts'
import { FLOW_NAMES, KafkaJob } from './kafka-job.ts'
import { TopicWriter } from './topic-writer.ts'

/** What happens besides the kills, one after the other. */
export const INCIDENTS = [
  'the second member joins',
  'the first member is killed',
  'the broker is killed',
  'a partition is added',
  'the second member leaves',
  'the broker is killed',
  'the second member joins',
] as const

const PATIENCE_MS = 120_000

type Parts = { readonly random: Random; readonly feed: ChangeFeed; readonly broker: Broker }

/** A topic that is written to, a job that follows it, and two members of a group that share it. */
export class Scenario implements AsyncDisposable {
  readonly alone: KafkaJob
  readonly group: Group
  readonly writer: TopicWriter
  readonly feed: ChangeFeed
  private readonly random: Random
  private readonly broker: Broker
  private running: Running

  private constructor({ random, feed, broker }: Parts, writer: TopicWriter) {
    this.random = random
    this.feed = feed
    this.broker = broker
    this.writer = writer
    this.alone = new KafkaJob(broker, writer.topic, null)
    this.group = new Group(broker, writer.topic)
    this.running = follow(this.alone)
  }

  /** Starts the broker and the jobs, with something to read. */
  static async start(random: Random): Promise<Scenario> {
    const feed = new ChangeFeed(random.below(1_000_000))
    const broker = await startBroker()
    const writer = await TopicWriter.open(broker, 'inventory', feed.partitions)
    await writer.write(feed.told(40, 'plain'))
    return new Scenario({ random, feed, broker }, writer)
  }

  async write(steps: number): Promise<void> {
    const { feed, random, writer } = this
    for (let i = 0; i < steps; i += 1) await writer.write(feed.next(10 + random.below(40)))
  }

  /** Waits until the job has read more than so many records. */
  async readMoreThan(records: number): Promise<void> {
    await until('the job reads on', () => this.alone.read() > records)
  }

  /** Kills the job and starts it again; whether it had something left to read. */
  async kill(): Promise<{ readonly read: number; readonly isMidway: boolean }> {
    checkEnd(await this.running.stop('SIGKILL'), 'SIGKILL')
    const read = this.alone.read()
    this.running = follow(this.alone)
    return { read, isMidway: read < this.writer.written * FLOW_NAMES.length }
  }

  /** Lets something happen, and the job and a new member read on after it. */
  async happen(incident: (typeof INCIDENTS)[number]): Promise<void> {
    const { alone, group, writer, feed } = this
    const [before, sharedBefore] = [alone.read(), group.second.read()]
    switch (incident) {
      case 'the second member joins':
        group.join()
        break
      case 'the second member leaves':
        checkEnd(await group.leave(), null)
        break
      case 'the first member is killed':
        await group.killFirst()
        break
      case 'the broker is killed':
        await this.broker.kill('SIGKILL')
        await this.broker.restart()
        await writer.reconnect()
        break
      case 'a partition is added':
        await writer.widen(feed.widen())
    }
    await writer.write(feed.told(40, 'commit'))
    await this.readMoreThan(before)
    if (incident !== 'the second member joins') return
    await until('the second member reads', () => group.second.read() > sharedBefore)
  }

  /** Writes what is left, waits until all have read it, and asks all to end. */
  async finish(): Promise<ReadonlyMap<number, number>> {
    const { alone, group, writer, feed } = this
    await writer.write(feed.told(100, 'plain'))
    await writer.write(feed.finish())
    const ends = await writer.ends()
    for (const flow of FLOW_NAMES) {
      await until(`${flow} reads all`, () => isDeepStrictEqual(alone.checkpoints(flow), ends))
      await until(`all of ${flow} is shared`, () =>
        isDeepStrictEqual(group.checkpoints(flow), ends),
      )
    }
    checkEnd(await this.running.stop('SIGTERM'), null)
    for (const ended of await group.end()) checkEnd(ended, null)
    return ends
  }

  /** A job that nothing disturbs, over the same topic. */
  undisturbed(): KafkaJob {
    return new KafkaJob(this.broker, this.writer.topic, null)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.running.stop('SIGKILL')
    this.alone[Symbol.dispose]()
    await this.group[Symbol.asyncDispose]()
    await this.writer[Symbol.asyncDispose]()
    await this.broker[Symbol.asyncDispose]()
  }
}

/** @throws Error if it does not hold after a while */
async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
    await setTimeout(50)
  }
}

/** @throws Error with what a process said, unless it ended well, or only of the signal */
function checkEnd(ended: Ended | undefined, by: 'SIGKILL' | null): void {
  if (ended?.signal === by && ended.code === (by === null ? 0 : null)) return
  throw new Error(`ended with ${ended?.code} and ${ended?.signal}:\n${ended?.err}`)
}
