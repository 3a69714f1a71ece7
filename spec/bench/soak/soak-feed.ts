import { eventOf, type FeedSpec } from '../generate.ts'
import { messageOf, type Event, type Message } from '../kafka/topic.ts'

const KEYS = 10_000
/** One in ten comes late, by up to so many events; one in twenty comes again. */
const LATE_BY = 20_000
const LATE = 0.1
const AGAIN = 0.05

const SPEC: FeedSpec = { events: 0, keys: 'random', keyCount: KEYS, late: 0, sparse: false }

/** Changes of one table without an end, as Debezium tells of them: some late, some told twice. */
export class SoakFeed {
  private readonly newest = new Map<number, Event>()
  private readonly held: { readonly event: Event; readonly due: number }[] = []
  private readonly recent: Event[] = []
  private seq = 0

  /** How many rows the table has once everything is told. */
  get rows(): number {
    return [...this.newest.values()].filter(({ op }) => op === 'U').length
  }

  /** How many changes there are, each once. */
  get changes(): number {
    return this.seq
  }

  /** About so many messages: a late one is missing here and comes later. */
  next(count: number): Message[] {
    const events: Event[] = []
    for (let i = 0; i < count; i += 1) {
      if (Math.random() < AGAIN && this.recent.length > 0) {
        events.push(
          ...this.recent.slice(Math.floor(Math.random() * this.recent.length)).slice(0, 1),
        )
        continue
      }
      const event = this.change()
      if (Math.random() < LATE) {
        this.held.push({ event, due: this.seq + Math.floor(Math.random() * LATE_BY) })
      } else events.push(event)
    }
    return this.told([...events, ...this.released(this.seq)])
  }

  /** What was held back. */
  rest(): Message[] {
    return this.told(this.released(Infinity))
  }

  private change(): Event {
    this.seq += 1
    const event = eventOf(SPEC, this.seq)
    this.newest.set(event.id, event)
    return event
  }

  private released(now: number): Event[] {
    const due = this.held.filter((each) => each.due <= now)
    const left = this.held.filter((each) => each.due > now)
    this.held.splice(0, this.held.length, ...left)
    return due.map(({ event }) => event)
  }

  private told(events: readonly Event[]): Message[] {
    this.recent.push(...events)
    this.recent.splice(0, this.recent.length - LATE_BY)
    return events.map((event) => messageOf(event, 'debezium-json'))
  }
}
