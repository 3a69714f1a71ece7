import { text, UNAVAILABLE, type FeedMessage } from './feed.ts'

/** A row beside its key: `t` and `u` are kept out of line. */
export type SourceRow = {
  readonly a: number
  readonly t: string | null
  readonly u: string | null
}

/** A statement; `which` picks one of the keys that it can concern, `changes` what else it sets. */
export type Statement =
  | { readonly do: 'insert'; readonly which: number; readonly row: SourceRow }
  | { readonly do: 'update'; readonly which: number; readonly changes: Partial<SourceRow> }
  | {
      readonly do: 'move'
      readonly which: number
      readonly to: number
      readonly changes: Partial<SourceRow>
    }
  | { readonly do: 'delete'; readonly which: number }
  | { readonly do: 'truncate' }

/** How the log tells of a row: what it says before, and with which headers. */
type Put = {
  readonly op: 'c' | 'u'
  readonly before?: readonly Said[]
  readonly headers?: FeedMessage['headers']
}

/** A message that has no place yet: a truncate has no key. */
type Said = Pick<FeedMessage, 'value' | 'headers'> & { readonly key: number | null }

/** What the log says of a statement, which no restart takes apart. */
export type Told = { readonly said: readonly Said[]; readonly keys: ReadonlySet<number> | 'all' }

/**
 * A table of PostgreSQL with the key `id`, what a connector reads of it, and what it was at every
 * place of its log: the tables that a feed of it has to come to.
 *
 * A key is changed to a free one only, as an index sees to. Of a value that is kept out of line and
 * that a statement left alone the log says nothing.
 */
export class SourceTable {
  readonly told: Told[] = []
  private readonly size: number
  private readonly rows: Map<number, SourceRow>
  private readonly states: ReadonlyMap<number, SourceRow>[] = []

  constructor(size: number, start: readonly SourceRow[]) {
    this.size = size
    this.rows = new Map(start.slice(0, size).entries())
    this.log(
      [...this.rows].map(([key, row]) => ({
        key,
        headers: [],
        value: this.value('r', { key, row }),
      })),
    )
  }

  run(statement: Statement): void {
    switch (statement.do) {
      case 'insert': {
        const key = pick(this.free(), statement.which)
        if (key === null) return
        return this.put(key, statement.row, {}, { op: 'c' })
      }
      case 'update': {
        const key = pick([...this.rows.keys()], statement.which)
        const row = this.rows.get(key ?? -1)
        if (key === null || row === undefined) return
        const { changes } = statement
        return this.put(key, { ...row, ...changes }, kept(row, changes), { op: 'u' })
      }
      case 'move':
        return this.move(statement)
      case 'delete': {
        const key = pick([...this.rows.keys()], statement.which)
        if (key === null) return
        this.rows.delete(key)
        return this.log(this.gone(key))
      }
      case 'truncate':
        this.rows.clear()
        return this.log([{ key: null, headers: [], value: this.value('t', null) }])
    }
  }

  /** The rows as they are. */
  current(): string[] {
    return [...this.rows].flatMap(([key, row]) => shown(key, row)).toSorted()
  }

  /** The rows as they were, each from one place of the log to another. */
  history(): string[] {
    return Array.from({ length: this.size }, (_, key) => this.life(key))
      .flat()
      .toSorted()
  }

  private life(key: number): string[] {
    const out: { row: string; from: number; to: number | null }[] = []
    for (const [i, state] of this.states.entries()) {
      const row = state.get(key)
      const last = out.at(-1)
      const before = last?.to === null ? last : undefined
      const now = row === undefined ? null : shown(key, row).join('')
      if (before?.row === now) continue
      if (before !== undefined) before.to = i
      if (now !== null) out.push({ row: now, from: i, to: null })
    }
    return out.map(({ row, from, to }) => `[${from}, ${to ?? '∞'}) ${row}`)
  }

  private move({ which, to: whereto, changes }: Statement & { readonly do: 'move' }): void {
    const from = pick([...this.rows.keys()], which)
    const to = pick(this.free(), whereto)
    const row = this.rows.get(from ?? -1)
    if (from === null || to === null || row === undefined) return
    this.rows.delete(from)
    const gone = this.gone(from, [['__debezium.newkey', keyOf(to)]])
    this.put(to, { ...row, ...changes }, kept(row, changes), {
      op: 'c',
      before: gone,
      headers: [['__debezium.oldkey', keyOf(from)]],
    })
  }

  private put(key: number, row: SourceRow, unavailable: Partial<SourceRow>, how: Put): void {
    this.rows.set(key, row)
    const value = this.value(how.op, { key, row: { ...row, ...unavailable } })
    this.log([...(how.before ?? []), { key, headers: how.headers ?? [], value }])
  }

  /** A deletion, and the message without a value that marks it. */
  private gone(key: number, headers: FeedMessage['headers'] = []): Said[] {
    return [
      { key, headers, value: this.value('d', null) },
      { key, headers: [], value: null },
    ]
  }

  private value(op: string, after: { key: number; row: SourceRow } | null): string {
    const lsn = this.states.length
    const source = { connector: 'postgresql', name: 'srv', lsn, snapshot: String(op === 'r') }
    const row = after === null ? null : { id: after.key, ...after.row }
    return JSON.stringify({ op, before: null, after: row, source })
  }

  private log(said: readonly Said[]): void {
    const keys = said.map(({ key }) => key)
    const known = keys.filter((key) => key !== null)
    this.told.push({ said, keys: known.length === keys.length ? new Set(known) : 'all' })
    this.states.push(new Map(this.rows))
  }

  private free(): number[] {
    return Array.from({ length: this.size }, (_, key) => key).filter((key) => !this.rows.has(key))
  }
}

/** What the log does not have of a row of which these columns were set. */
function kept(row: SourceRow, changes: Partial<SourceRow>): Partial<SourceRow> {
  const isKept = (name: 't' | 'u') => row[name] !== null && !(name in changes)
  return {
    ...(isKept('t') ? { t: UNAVAILABLE } : {}),
    ...(isKept('u') ? { u: UNAVAILABLE } : {}),
  }
}

function pick(keys: readonly number[], which: number): number | null {
  return keys[which % keys.length] ?? null
}

function keyOf(id: number): string {
  return JSON.stringify({ id })
}

function shown(key: number, row: SourceRow): string[] {
  return text({ id: key, ...row })
}
