/** A message of a topic: key and value are JSON text. */
export type FeedMessage = {
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly (readonly [name: string, text: string])[]
}

/** What stands for a value that the feed does not have. */
export const UNAVAILABLE = '__debezium_unavailable_value'

type Cells = Readonly<Record<string, unknown>>

/** One change of one key, once. */
type Event = {
  readonly key: number
  readonly lsn: number
  readonly rank: number
  readonly op: 'upsert' | 'delete' | 'truncate'
  readonly cells: Cells
  readonly partition: number
  readonly offset: number
  /** The key that the row had before. */
  readonly from: number | null
}

/** A row of the history of a key; `to` is null on the current one. */
type Version = {
  readonly cells: Cells
  readonly from: number
  readonly to: number | null
}

/** What a feed comes to. */
export type FeedTables = {
  readonly scd1: readonly string[]
  readonly scd2: readonly string[]
  /** Places of records whose values nothing supplies, once per value. */
  readonly unknown1: readonly string[]
  readonly unknown2: readonly string[]
}

/**
 * The tables that messages of Debezium come to, by brute force: the events of each key, each once,
 * in order of (lsn, rank, place), replayed from nothing. A key is in one partition.
 *
 * @param asked the messages whose unknown values count
 */
export function feedTables(
  messages: readonly FeedMessage[],
  asked: readonly FeedMessage[] = [],
): FeedTables {
  const { events, left } = eventsOf(messages)
  const keys = [...new Set(events.flatMap(({ op, key }) => (op === 'truncate' ? [] : [key])))]
  const lives = new Map(
    keys.map((key) => [
      key,
      inOrder(events.filter((each) => each.op === 'truncate' || each.key === key)),
    ]),
  )
  const state = (key: number, until?: Event) => {
    const life = lives.get(key) ?? []
    return replay(
      until === undefined ? life : life.filter((each) => compare(each, until) <= 0),
      left,
    )
  }
  const unknown = (now: boolean) =>
    asked.flatMap((message) => {
      const event: Event | null = eventOf(message)
      if (event?.op !== 'upsert') return []
      const row = now ? state(event.key) : state(event.key, event)
      if (row === null) return []
      return Object.entries(event.cells)
        .filter(([name, value]) => value === UNAVAILABLE && !(name in row))
        .map(([name]) => `${message.partition}:${message.offset} ${name}`)
    })
  return {
    scd1: keys.flatMap((key) => text(state(key))).toSorted(),
    scd2: [...lives.values()].flatMap((life) => versions(life, left).map(versionText)).toSorted(),
    unknown1: unknown(true),
    unknown2: unknown(false),
  }
}

/** Each event once, at its first place; and the lives of rows that key changes took away, by new key and lsn. */
function eventsOf(messages: readonly FeedMessage[]) {
  const events: Event[] = []
  const left = new Map<string, readonly Event[]>()
  for (const partition of new Set(messages.map((message) => message.partition))) {
    const own: Event[] = []
    let deletedLast: number | null = null
    const stream = messages
      .filter((message) => message.partition === partition)
      .toSorted((a, b) => a.offset - b.offset)
    for (const [i, message] of stream.entries()) {
      if (stream[i - 1]?.offset === message.offset) continue
      const event: Event | null =
        message.value === null ? lone(message, own, deletedLast) : eventOf(message)
      if (event === null) continue
      deletedLast = event.op === 'delete' ? event.key : null
      if (own.some((other) => identity(other) === identity(event))) continue
      const to = keyIn(message, '__debezium.newkey')
      if (to !== null) {
        const before = own.filter(
          ({ op, key, lsn }) => lsn < event.lsn && (op === 'truncate' || key === event.key),
        )
        left.set(`${to}@${event.lsn}`, inOrder(before))
      }
      own.push(event)
    }
    events.push(...own)
  }
  return { events, left }
}

/** A message without a value: nothing behind a deletion, else the deletion of the newest that came before. */
function lone(
  message: FeedMessage,
  own: readonly Event[],
  deletedLast: number | null,
): Event | null {
  const key = idOf(message.key)
  if (key === deletedLast) return null
  const newest = inOrder(own.filter((each) => each.op !== 'truncate' && each.key === key)).at(-1)
  if (newest === undefined || newest.op === 'delete') return null
  const { partition, offset } = message
  return { ...newest, rank: 9, op: 'delete', cells: {}, partition, offset, from: null }
}

const OPERATIONS: Readonly<Record<string, Event['op']>> = { t: 'truncate', d: 'delete' }

function eventOf(message: FeedMessage): Event | null {
  if (message.value === null) return null
  const { op, after, source } = JSON.parse(message.value) as {
    op: string
    after: Cells | null
    source: { lsn: number }
  }
  return {
    key: op === 't' ? 0 : idOf(message.key),
    lsn: source.lsn,
    rank: op === 'r' ? -1 : 0,
    op: OPERATIONS[op] ?? 'upsert',
    cells: after ?? {},
    partition: message.partition,
    offset: message.offset,
    from: keyIn(message, '__debezium.oldkey'),
  }
}

/** What was told of rows before they got other keys. */
type Lives = ReadonlyMap<string, readonly Event[]>

/** The columns that some event wrote, after events in order; null where the key does not exist. */
function replay(life: readonly Event[], left: Lives): Cells | null {
  const start = life.findLastIndex(({ op }) => op !== 'upsert') + 1
  if (start === life.length) return null
  return Object.fromEntries(life.slice(start).flatMap((event) => writtenBy(event, left)))
}

function writtenBy({ cells, key, lsn, from }: Event, left: Lives) {
  const life = from === null ? undefined : left.get(`${key}@${lsn}`)
  const old: Cells = life === undefined ? {} : (replay(life, left) ?? {})
  return Object.entries(cells).flatMap(([name, value]): [string, unknown][] => {
    if (value !== UNAVAILABLE) return [[name, value]]
    const carried = old[name] ?? null
    return carried === null ? [] : [[name, carried]]
  })
}

/** One row per interval between two lsn, equal neighbours as one. */
function versions(life: readonly Event[], left: Lives): Version[] {
  const cuts = [...new Set(life.map(({ lsn }) => lsn))].toSorted((a, b) => a - b)
  const out: Version[] = []
  for (const [i, from] of cuts.entries()) {
    const cells = replay(
      life.filter(({ lsn }) => lsn <= from),
      left,
    )
    if (cells === null) continue
    const last = out.at(-1)
    const to = cuts[i + 1] ?? null
    if (last?.to === from && text(last.cells)[0] === text(cells)[0]) {
      out.splice(-1, 1, { ...last, cells, to })
    } else {
      out.push({ cells, from, to })
    }
  }
  return out
}

function inOrder(events: readonly Event[]): Event[] {
  return events.toSorted(compare)
}

/** By lsn; a truncate first; then rank; then place. */
function compare(a: Event, b: Event): number {
  const first = ({ op }: Event) => (op === 'truncate' ? 0 : 1)
  return (
    a.lsn - b.lsn ||
    first(a) - first(b) ||
    a.rank - b.rank ||
    a.partition - b.partition ||
    a.offset - b.offset
  )
}

function identity({ key, lsn, rank, op, cells }: Event): string {
  return JSON.stringify([key, lsn, rank, op, cells])
}

function idOf(key: string | null): number {
  return (JSON.parse(key ?? '{}') as { id: number }).id
}

function keyIn({ headers }: FeedMessage, name: string): number | null {
  const found = headers.find((header) => header[0] === name)
  return found === undefined ? null : idOf(found[1])
}

/** Values by name, nulls left out, as a table spells them; nothing where there is no row. */
export function text(cells: Cells | null): string[] {
  if (cells === null) return []
  const shown = Object.entries(cells).filter(([, value]) => value !== null)
  return [
    shown
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' '),
  ]
}

function versionText({ cells, from, to }: Version): string {
  return `[${from}, ${to ?? '∞'}) ${text(cells).join('')}`
}
