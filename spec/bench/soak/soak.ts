import { setTimeout } from 'node:timers/promises'
import type { Producer } from 'kafkajs'
import { startBroker } from '../../kafka/kafka.ts'
import { Follower } from '../kafka/follower.ts'
import { makeTopic, producerOf, writeTopicFlows, type Message } from '../kafka/topic.ts'
import { inFolder } from '../measure.ts'
import { SoakFeed } from './soak-feed.ts'

/** How long, and how much. */
export type SoakOptions = {
  readonly seconds: number
  /** Messages per second. */
  readonly rate: number
  /** Hears of each sample as a line. */
  readonly say: (line: string) => void
}

/** How things stood at one time. */
export type Sample = {
  /** Since the first message. */
  readonly seconds: number
  readonly residentMb: number
  readonly storeMb: number
  /** Messages that were written and are not committed, of the flow that is further behind. */
  readonly lag: number
}

/** What a soak came to. */
export type Soaked = {
  readonly samples: readonly Sample[]
  readonly messages: number
  /** Seconds from the last message to the last commit. */
  readonly caughtUpInSeconds: number
  /** What is wrong with counts or tables, a line each. */
  readonly faults: readonly string[]
}

const TOPIC = 'soak'
const FLOWS = ['latest', 'history']
const TICK_MS = 50
const PATIENCE_MS = 120_000

/** Follows a topic that is written to all the time, into an SCD 1 and an SCD 2 table. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  await using broker = await startBroker()
  await makeTopic(broker, TOPIC)
  await using producer = await producerOf(broker)
  return await inFolder(async (folder) => {
    const common = { broker, topic: TOPIC, format: 'debezium-json' } as const
    const flow = writeTopicFlows(folder, [
      { ...common, flow: { target: 'latest' } },
      { ...common, flow: { target: 'history', stored_as_scd_type: 2 } },
    ])
    using follower = new Follower(folder, flow)
    const soaking = new Soaking(follower, producer)
    const samples = await soaking.write(options)
    const caughtUpInSeconds = await soaking.finish()
    const faults = soaking.faults()
    await follower.end()
    return { samples, messages: soaking.messages, caughtUpInSeconds, faults }
  })
}

class Soaking {
  messages = 0
  private readonly feed = new SoakFeed()
  private readonly follower: Follower
  private readonly producer: Producer

  constructor(follower: Follower, producer: Producer) {
    this.follower = follower
    this.producer = producer
  }

  /** Writes for so long. */
  async write({ seconds, rate, say }: SoakOptions): Promise<Sample[]> {
    const samples: Sample[] = []
    const started = performance.now()
    for (;;) {
      const passed = (performance.now() - started) / 1000
      if (passed >= seconds) return samples
      await this.send(this.feed.next(Math.max(0, Math.floor(passed * rate) - this.messages)))
      if (passed >= samples.length) {
        const { residentMb, storeMb } = this.follower
        const sample = { seconds: passed, residentMb, storeMb, lag: this.lag() }
        if (samples.length % Math.ceil(seconds / 20) === 0) say(drawn(sample))
        samples.push(sample)
      }
      await setTimeout(TICK_MS)
    }
  }

  /** Writes what was held back and waits until all is committed; gives the seconds that it took. */
  async finish(): Promise<number> {
    await this.send(this.feed.rest())
    const started = performance.now()
    while (this.lag() > 0) {
      if (performance.now() - started > PATIENCE_MS) {
        throw new Error(`${this.lag()} messages are not committed`)
      }
      await setTimeout(TICK_MS)
    }
    return (performance.now() - started) / 1000
  }

  /** What is wrong with counts and tables. */
  faults(): string[] {
    const { follower, feed, messages } = this
    const faults: string[] = []
    for (const flow of FLOWS) {
      const [row] = follower.ask(`SELECT record FROM __tidemark_flows WHERE name = '${flow}'`)
      const { counts } = JSON.parse(String(row?.[0])) as { counts: Record<string, number> }
      const { read, accepted } = counts
      if (read !== messages || accepted !== messages) {
        faults.push(`${flow}: ${messages} messages, ${read} read, ${accepted} accepted`)
      }
      const current = flow === 'latest' ? '' : ' WHERE __END_AT IS NULL'
      const rows = follower.ask(`SELECT count(*) FROM ${flow}${current}`).flat()
      if (Number(rows[0]) !== feed.rows) {
        faults.push(`${flow}: ${String(rows[0])} rows, ${feed.rows} expected`)
      }
    }
    return faults
  }

  private async send(messages: Message[]): Promise<void> {
    if (messages.length > 0) await this.producer.send({ topic: TOPIC, messages })
    this.messages += messages.length
  }

  private lag(): number {
    return (
      this.messages - Math.min(...FLOWS.map((flow) => recordsBefore(this.follower.committed(flow))))
    )
  }
}

/** Every partition begins at 0 and has no transactions, so that offsets count messages. */
function recordsBefore(offsets: ReadonlyMap<number, number>): number {
  return [...offsets.values()].reduce((sum, next) => sum + next, 0)
}

function drawn({ seconds, residentMb, storeMb, lag }: Sample): string {
  const figures = [
    `${seconds.toFixed(0).padStart(6)} s`,
    `${residentMb.toFixed(0).padStart(6)} MB`,
    `${lag.toString().padStart(8)} behind`,
    `store ${storeMb.toFixed(0).padStart(6)} MB`,
  ]
  return figures.join('  ')
}
