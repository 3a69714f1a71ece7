import { Random } from '../random.ts'

/** A message as it is to be written. */
export type FeedMessage = {
  readonly partition: number
  readonly key: string
  readonly value: string | null
}

/** Messages that are written together: as they are, or in a transaction that ends one way or the other. */
export type Step = {
  readonly outcome: 'plain' | 'commit' | 'abort'
  readonly messages: readonly FeedMessage[]
}

/** A row of the table that the feed tells of. */
export type SourceRow = {
  readonly id: number
  readonly name: string
  readonly city: string | null
  readonly score: number
  readonly body: string
}

/** Messages that belong to one change: a deletion brings its tombstone. */
type Unit = readonly FeedMessage[]

const PARTITIONS = 4
const KEYS = 60
/** Keys that only come to be once there is one more partition, which is theirs. */
const LATER_KEYS = 20
const UNAVAILABLE = '__debezium_unavailable_value'

/** The partition that all changes of a key are in. */
export function partitionOfKey(id: number): number {
  return id < KEYS ? id % PARTITIONS : PARTITIONS
}

/**
 * Changes of one table of PostgreSQL as Debezium writes them, without schemas: some late, some
 * redelivered, deletions with tombstones, large values left out where they did not change. Of a
 * transaction that is given up everything is wrong, and newer than all there is.
 *
 * The same for the same seed, and so is the table that it ends with.
 */
export class ChangeFeed {
  private readonly random: Random
  private readonly table = new Map<number, SourceRow>()
  private readonly log: Unit[] = []
  private held: { readonly unit: Unit; readonly due: number }[] = []
  private lsn = 1000
  private keys = KEYS
  private wide = PARTITIONS

  constructor(seed: number) {
    this.random = new Random(seed)
  }

  /** The table as it is now, by key. Everything that was held back has to be told before it can be reached. */
  get rows(): readonly SourceRow[] {
    return [...this.table.values()].toSorted((a, b) => a.id - b.id)
  }

  /** How many partitions the feed needs; more do not matter. */
  get partitions(): number {
    return this.wide
  }

  /** One more partition; gives how many there are then. The first one that is added has keys of its own. */
  widen(): number {
    this.keys = KEYS + LATER_KEYS
    this.wide += 1
    return this.wide
  }

  /** The next so many changes, or as many that are given up. */
  next(changes: number): Step {
    const { random } = this
    if (random.chance(0.15)) {
      return { outcome: 'abort', messages: Array.from({ length: changes }, () => this.poison()) }
    }
    return this.told(changes, random.chance(0.4) ? 'commit' : 'plain')
  }

  /** The next so many changes, which are not given up. */
  told(changes: number, outcome: 'plain' | 'commit'): Step {
    const { random } = this
    const units: Unit[] = []
    // As a connector does that was killed before it noted how far it had come.
    if (random.chance(0.3)) units.push(...this.log.slice(-1 - random.below(60)))
    for (let i = 0; i < changes; i += 1) {
      const unit = this.change()
      if (random.chance(0.1)) this.held.push({ unit, due: this.lsn + random.below(400) })
      else units.push(unit)
      units.push(...this.released(this.lsn))
    }
    return this.step(outcome, units)
  }

  /** Everything that was held back. */
  finish(): Step {
    return this.step('plain', this.released(Infinity))
  }

  private step(outcome: Step['outcome'], units: readonly Unit[]): Step {
    this.log.push(...units)
    return { outcome, messages: units.flat() }
  }

  private released(now: number): Unit[] {
    const due = this.held.filter((each) => each.due <= now)
    this.held = this.held.filter((each) => each.due > now)
    return due.map(({ unit }) => unit)
  }

  /** Changes a row; says so. */
  private change(): Unit {
    const { random, table } = this
    this.lsn += 1 + random.below(20)
    const id = random.below(this.keys)
    const before = table.get(id)
    if (before === undefined) return [this.upsert('c', this.rowOf(id), false)]
    if (random.chance(0.15)) {
      table.delete(id)
      const value = { before: { id }, after: null, op: 'd', source: this.source(this.lsn) }
      return [message(id, JSON.stringify(value)), message(id, null)]
    }
    const isUnavailable = random.chance(0.5)
    const after = this.rowOf(id)
    return [
      this.upsert('u', isUnavailable ? { ...after, body: before.body } : after, isUnavailable),
    ]
  }

  private upsert(op: 'c' | 'u', row: SourceRow, isUnavailable: boolean): FeedMessage {
    this.table.set(row.id, row)
    const after = isUnavailable ? { ...row, body: UNAVAILABLE } : row
    return message(
      row.id,
      JSON.stringify({ before: null, after, op, source: this.source(this.lsn) }),
    )
  }

  private poison(): FeedMessage {
    const { random } = this
    const id = random.below(this.keys)
    const source = this.source(this.lsn + 1_000_000_000)
    if (random.chance(0.3)) {
      return message(id, JSON.stringify({ before: { id }, after: null, op: 'd', source }))
    }
    const after = { ...this.rowOf(id), name: 'given up' }
    return message(id, JSON.stringify({ before: null, after, op: 'u', source }))
  }

  private rowOf(id: number): SourceRow {
    const { random } = this
    return {
      id,
      name: `name ${random.below(1000)}`,
      city: random.pick(['Rome', 'Oslo', 'Lima', null]),
      score: random.below(3),
      body: `body ${random.below(1_000_000)}`,
    }
  }

  private source(lsn: number) {
    return {
      connector: 'postgresql',
      name: 'crm',
      snapshot: 'false',
      lsn,
      ts_ms: 1_700_000_000_000 + lsn,
    }
  }
}

function message(id: number, value: string | null): FeedMessage {
  return { partition: partitionOfKey(id), key: JSON.stringify({ id }), value }
}
