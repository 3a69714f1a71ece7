import type { Message } from '../../formats/message.ts'
import type { StreamName } from '../../ports/source.ts'
import type { Bounds } from './bounds.ts'
import type { Remembered } from './remembered.ts'

/** How far a partition has been handed over, and what to remember of it. */
export type Position = {
  readonly stream: StreamName
  /** Offset to read next. */
  readonly next: number
  readonly remembered: Remembered
}

/** Messages of one partition that follow each other, and the offset behind them. */
export type Chunk = {
  readonly partition: Partition
  readonly messages: readonly Message[]
  /** At least the offset behind the last message: what lies between is no data. */
  readonly next: number
}

/** Bytes to ask for per partition: the larger the fewer requests when far behind. */
const FETCH_BYTES = 4 * 1024 * 1024

/** A partition that is being read. After a failure another one takes its place. */
export class Partition {
  readonly stream: StreamName
  readonly topicId: string | null
  readonly leader: number
  /** Offset at which a bounded run stops; infinite in a continuous one. */
  readonly goal: number
  /** Offset to fetch next. */
  fetchAt: number
  /** Behind the last record that can be read, as far as is known. */
  stable: number
  /** How many answers in a row had nothing although there should be something. */
  emptyAnswers = 0
  /** Bytes to ask for; grows where a single batch is larger. */
  fetchBytes = FETCH_BYTES
  /** Whether it failed or was taken away; what was fetched of it is void. */
  isGone = false

  constructor({
    stream,
    topicId,
    leader,
    next,
    bounds,
    mode,
  }: {
    readonly stream: StreamName
    readonly topicId: string | null
    readonly leader: number
    readonly next: number
    readonly bounds: Bounds
    readonly mode: 'bounded' | 'continuous'
  }) {
    this.stream = stream
    this.topicId = topicId
    this.leader = leader
    this.fetchAt = next
    this.stable = bounds.stable
    this.goal = mode === 'bounded' ? bounds.stable : Infinity
  }

  /** Whether a bounded run has fetched all that it wants of it. */
  get isDone(): boolean {
    return this.fetchAt >= this.goal
  }

  /** Records that can be read and were not fetched yet, at most. */
  get backlog(): number {
    return Math.max(0, Math.min(this.stable, this.goal) - this.fetchAt)
  }
}
