import type { Broker } from '../../kafka/kafka.ts'
import { Running, type Ended } from '../command.ts'
import { KafkaJob, type FlowName, type FlowResult } from './kafka-job.ts'
import { partitionOfKey } from './change-feed.ts'

/** Follows the topic of a job until it is stopped. */
export function follow(job: KafkaJob): Running {
  return new Running(['run', job.flows, '--continuous', '--log-format', 'json'])
}

/** Two members of one group, each with a store of its own. The first one runs from the beginning. */
export class Group implements AsyncDisposable {
  readonly first: KafkaJob
  readonly second: KafkaJob
  private firstRunning: Running
  private secondRunning: Running | null = null

  constructor(broker: Broker, topic: string) {
    this.first = new KafkaJob(broker, topic, 'sharers')
    this.second = new KafkaJob(broker, topic, 'sharers')
    this.firstRunning = follow(this.first)
  }

  /** The second one joins, unless it has. */
  join(): void {
    this.secondRunning ??= follow(this.second)
  }

  /** The second one is asked to end. */
  async leave(): Promise<Ended | undefined> {
    const ended = await this.secondRunning?.stop('SIGTERM')
    this.secondRunning = null
    return ended
  }

  /** The first one is killed, and started again. */
  async killFirst(): Promise<void> {
    await this.firstRunning.stop('SIGKILL')
    this.firstRunning = follow(this.first)
  }

  /** Both are asked to end. */
  async end(): Promise<readonly (Ended | undefined)[]> {
    return [await this.firstRunning.stop('SIGTERM'), await this.leave()]
  }

  /** How far the two have come together: the offset to read next, by partition. */
  checkpoints(flow: FlowName): ReadonlyMap<number, number> {
    const together = new Map(this.first.checkpoints(flow))
    for (const [partition, next] of this.second.checkpoints(flow)) {
      together.set(partition, Math.max(next, together.get(partition) ?? 0))
    }
    return together
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.firstRunning.stop('SIGKILL')
    await this.secondRunning?.stop('SIGKILL')
    this.first[Symbol.dispose]()
    this.second[Symbol.dispose]()
  }
}

/** The partitions that a member has read to their ends, which another one may have read too. */
export function readWhole(
  { checkpoints }: FlowResult,
  ends: ReadonlyMap<number, number>,
): ReadonlySet<number> {
  const whole = [...ends].filter(([partition, end]) => checkpoints.get(partition) === end)
  return new Set(whole.map(([partition]) => partition))
}

/** The rows whose keys are written to these partitions. */
export function rowsIn({ rows }: FlowResult, partitions: ReadonlySet<number>): FlowResult['rows'] {
  return new Map([...rows].filter(([id]) => partitions.has(partitionOfKey(id))))
}
