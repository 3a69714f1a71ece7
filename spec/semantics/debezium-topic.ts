import type { FeedMessage } from '../../property-tests/models/feed.ts'
import { UNAVAILABLE } from '../../property-tests/models/feed.ts'

/** What stands for a value that the source did not log again. */
export const TOAST = UNAVAILABLE

/** More that a message says. */
export type More = {
  readonly partition?: number
  /** The key that the row had, or goes on with. */
  readonly was?: number
  readonly becomes?: number
  /** The name of the server whose log it is. */
  readonly server?: string
  /** The file of a MySQL server's log that the place is in; else the server is PostgreSQL. */
  readonly binlog?: string
}

type Row = Readonly<Record<string, string | number | null>>

/** Messages as Debezium's connector for PostgreSQL writes them, for a table with the key `id`; offsets count per partition. */
export class DebeziumTopic {
  private readonly ends = new Map<number, number>()

  /** A row as it is from a place in the log on. */
  put(lsn: number, id: number, row: Row, more: More = {}): FeedMessage {
    return this.message(id, this.change('u', lsn, { id, ...row }, more), more)
  }

  /** A row that was read from the table. */
  snapshot(lsn: number, id: number, row: Row): FeedMessage {
    return this.message(id, this.change('r', lsn, { id, ...row }, {}), {})
  }

  gone(lsn: number, id: number, more: More = {}): FeedMessage {
    return this.message(id, this.change('d', lsn, null, more), more)
  }

  /** A message without a value. */
  mark(id: number, more: More = {}): FeedMessage {
    return this.message(id, null, more)
  }

  truncate(lsn: number): FeedMessage {
    return { ...this.message(0, this.change('t', lsn, null, {}), {}), key: null }
  }

  /** The same message at a later offset. */
  again({ partition, key, value, headers }: FeedMessage): FeedMessage {
    return { partition, offset: this.next(partition), key, value, headers }
  }

  private change(
    op: string,
    lsn: number,
    after: Row | null,
    { server = 'srv', binlog, was }: More,
  ): string {
    const place =
      binlog === undefined
        ? { connector: 'postgresql', lsn }
        : { connector: 'mysql', file: binlog, pos: lsn, row: 0 }
    const source = { ...place, name: server, snapshot: String(op === 'r') }
    const kind = was === undefined ? op : 'c'
    return JSON.stringify({ op: kind, before: null, after, source })
  }

  private message(id: number, value: string | null, more: More): FeedMessage {
    const { partition = 0, was, becomes } = more
    const keyOf = (each: number) => JSON.stringify({ id: each })
    const headers: [string, string][] = []
    if (was !== undefined) headers.push(['__debezium.oldkey', keyOf(was)])
    if (becomes !== undefined) headers.push(['__debezium.newkey', keyOf(becomes)])
    return { partition, offset: this.next(partition), key: keyOf(id), value, headers }
  }

  private next(partition: number): number {
    const offset = this.ends.get(partition) ?? 0
    this.ends.set(partition, offset + 1)
    return offset
  }
}
