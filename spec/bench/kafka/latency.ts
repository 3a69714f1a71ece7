import { setTimeout } from 'node:timers/promises'
import { startBroker } from '../../kafka/kafka.ts'
import type { Extent } from '../extent.ts'
import { eventOf, type FeedSpec } from '../generate.ts'
import { plainLine, type Line } from '../line.ts'
import { inFolder } from '../measure.ts'
import { Follower } from './follower.ts'
import { makeTopic, messageOf, producerOf, writeTopicFlows, type Message } from './topic.ts'

const RATE = 1000

/** Records that are written, and waited for, before anything is timed: a process that has just started is slow. */
const WARM_UP = 2000

/** Between two looks at the store; what is seen is late by as much at most. */
const LOOK_MS = 2

const PATIENCE_MS = 60_000

/** The cases of {@link latency}, and the `max_batch_delay` of each in milliseconds. */
export const LATENCY: Readonly<Record<string, number>> = {
  'kafka-latency': 1000,
  'kafka-latency-50ms': 50,
}

/**
 * How long after it was produced can a change be read in the table, at 1,000 a second? From the
 * time that the producer wrote into the record to the commit that shows it to another process.
 */
export async function latency(
  { events }: Extent,
  isChosen: (name: string) => boolean,
): Promise<Line[]> {
  // 20,000 in 20 s; the smoke test 1,000.
  const timed = Math.min(20_000, Math.floor(events / 20))
  await using broker = await startBroker()
  const lines: Line[] = []
  for (const [name, delayMs] of Object.entries(LATENCY).filter(([each]) => isChosen(each))) {
    await makeTopic(broker, name)
    await using producer = await producerOf(broker)
    const took = await inFolder(async (folder) => {
      const source = { max_batch_delay: delayMs }
      const flow = writeTopicFlows(folder, [
        { broker, topic: name, format: 'debezium-json', source },
      ])
      using follower = new Follower(folder, flow)
      const watch = new Watch(follower)
      const send = (messages: Timed[]) => producer.send({ topic: name, messages })
      await produce(WARM_UP, watch, send)
      await produce(timed, watch, send)
      await follower.end()
      return watch.latencies.slice(WARM_UP)
    })
    const sorted = took.toSorted((a, b) => a - b)
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN
    const [p50, p99] = [at(0.5), at(0.99)]
    lines.push(
      plainLine(
        {
          name,
          question: `from produced to committed at ${RATE} events a second, max_batch_delay ${delayMs} ms`,
          against: 'p50',
          aim: null,
          note: `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms of ${took.length} events`,
        },
        { ours: p99, base: p50, unit: 'ms' },
      ),
    )
  }
  return lines
}

type Timed = Message & { readonly timestamp: string }
type Written = readonly { readonly partition: number; readonly baseOffset?: string }[]

/** Writes so many events as time goes by, and watches until the last one is committed. */
async function produce(
  events: number,
  watch: Watch,
  send: (messages: Timed[]) => Promise<Written>,
): Promise<void> {
  const started = Date.now()
  let sent = 0
  let last = Date.now()
  while (sent < events || watch.isWaiting) {
    const due = Math.min(events, Math.floor(((Date.now() - started) / 1000) * RATE))
    if (due > sent) {
      const timestamp = Date.now().toString()
      const messages = Array.from({ length: due - sent }, (_, i) => ({
        ...messageOf(eventOf(FEED, sent + i + 1), 'debezium-json'),
        timestamp,
      }))
      sent = due
      watch.wrote(await send(messages), messages)
      last = Date.now()
    }
    watch.look()
    if (Date.now() - last > PATIENCE_MS) throw new Error('not all events were committed')
    await setTimeout(LOOK_MS)
  }
}

const FEED: FeedSpec = { events: 0, keys: 'random', keyCount: 20_000, late: 0, sparse: false }

type Pending = { readonly index: number; readonly offset: number; readonly at: number }

/** Finds out when records can be seen in the store. */
class Watch {
  /** Milliseconds, in the order in which the records were written. */
  readonly latencies: number[] = []
  private readonly pending = new Map<number, Pending[]>()
  private readonly follower: Follower
  private count = 0

  constructor(follower: Follower) {
    this.follower = follower
  }

  get isWaiting(): boolean {
    return [...this.pending.values()].some(({ length }) => length > 0)
  }

  wrote(written: Written, messages: readonly Timed[]): void {
    for (const { partition, baseOffset } of written) {
      const own = messages.filter((message) => message.partition === partition)
      const pending = this.pending.get(partition) ?? []
      for (const [i, { timestamp }] of own.entries()) {
        pending.push({
          index: this.count,
          offset: Number(baseOffset) + i,
          at: Number(timestamp),
        })
        this.count += 1
      }
      this.pending.set(partition, pending)
    }
  }

  look(): void {
    const committed = this.follower.committed('target')
    const now = Date.now()
    for (const [partition, pending] of this.pending) {
      const next = committed.get(partition) ?? 0
      const seen = pending.findIndex(({ offset }) => offset >= next)
      for (const { index, at } of pending.splice(0, seen < 0 ? pending.length : seen)) {
        this.latencies[index] = now - at
      }
    }
  }
}
