import type { Change, Delete, KeyChange, Truncate, Upsert } from '../../../src/core/change.ts'
import { keyOf, type Key } from '../../../src/core/key.ts'
import { EMPTY, keptAs, RegisterFile, type Registers } from '../../../src/core/registers.ts'
import type { TargetFacts } from '../../../src/core/target.ts'
import { timelineOf } from '../../../src/core/timeline.ts'
import type { Row, Value } from '../../../src/core/value.ts'
import { weave } from '../../../src/core/weave.ts'
import type { Commit, Store, StoredRow } from '../../../src/ports/store.ts'
import { draw, drawRow, KEY, sequenceOf } from '../../core/drawing.ts'

/** Opens an empty store. */
export type Open = () => Store

/** The target of these examples. */
export const T = 't'

/** All rows. */
export const ALWAYS = { valid: null, system: null } as const

/**
 * A target with the columns of drawing.ts. Its rows leave the key out: a store keeps keys apart
 * by the changes that name them and never looks for them in rows.
 */
export function facts(more: Partial<TargetFacts> = {}): TargetFacts {
  const columns = more.columns ?? ['name', 'city', 'info']
  return {
    name: T,
    kind: 1,
    layout: 'latest',
    keys: ['id'],
    columns,
    seen: columns,
    excluded: [],
    tracking: { mode: 'except', columns: [] },
    sequenceType: { parts: ['number'], list: false },
    systemTime: 'engine',
    systemType: null,
    timed: false,
    feed: null,
    ...more,
  }
}

/** An SCD type 2 target. */
export function scd2(more: Partial<TargetFacts> = {}): TargetFacts {
  return facts({ kind: 2, layout: 'timeline', ...more })
}

/** A bitemporal target. */
export function bitemporal(more: Partial<TargetFacts> = {}): TargetFacts {
  return facts({ kind: 'bitemporal', layout: 'timeline', ...more })
}

/** Commits to one target of a store as a pipeline does. The clock ticks a microsecond per commit. */
export class Desk implements Disposable {
  readonly store: Store
  private now = 0n

  constructor(store: Store, target: TargetFacts) {
    this.store = store
    store.transact(() => {
      store.define(target)
    })
  }

  /** One transaction with one commit. */
  commit<T>(work: (commit: Commit) => T): T {
    return this.store.transact(() => {
      this.now += 1n
      return work(this.store.commit('flow', this.now))
    })
  }

  /** A change as the store knows its stream, of this key. */
  of<C extends Change>(change: C, owner: Key = KEY): C {
    const { flow, name, partition } = change.stream
    const stream = this.store.stream(flow, name, partition)
    return change.op === 'truncate' ? { ...change, stream } : { ...change, stream, key: owner }
  }

  /** Upserts and deletes that take their keys over, in a commit. */
  latest(...changes: readonly KeyChange[]): void {
    this.commit((commit) => {
      const table = this.store.latestTable(T)
      for (const change of changes) {
        const known = this.of<Upsert | Delete>(change, change.key)
        const kept = table.latest(known.key)
        if (known.op === 'upsert') table.put(known, commit, kept)
        else table.bury(known, commit, kept)
      }
    })
  }

  /** Registers of a key after these changes, stored in a commit. */
  registers(owner: Key, ...changes: readonly Change[]): Registers {
    return this.commit((commit) => {
      const table = this.store.registersTable(T)
      const kept = table.registers(owner)
      const file = new RegisterFile(kept ?? EMPTY)
      for (const change of changes) file.join(this.of(change, owner))
      table.put(owner, file.registers(), commit, keptAs(kept))
      return file.registers()
    })
  }

  /** Weaves changes of a key in, in a commit. */
  weave(owner: Key, ...changes: readonly Change[]): void {
    this.commit((commit) => {
      const { kind, tracking } = this.store.target(T) ?? facts()
      const table = this.store.historyTable(T)
      const now = kind === 'bitemporal' ? commit.now : null
      const rules = { tracking, meaning: 'ordered', commit: commit.id, now } as const
      const known = this.truncates()
      let rest: readonly Change[] = timelineOf(
        changes.map((change) => this.of(change, owner)),
        'ordered',
      )
      for (let first = rest[0]; first !== undefined; first = rest[0]) {
        const near = { ...table.near(owner, first.sequence), truncates: known }
        const edits = weave(near, rest, rules)
        table.apply(owner, edits, commit)
        rest = edits.rest
      }
    })
  }

  truncate(truncate: Truncate): void {
    this.commit((commit) => {
      this.store.addTruncate(T, this.of(truncate), commit)
    })
  }

  /** The rows of the target. */
  get rows(): Row[] {
    return [...this.store.rows(T, ALWAYS, null)].map(({ row }) => row)
  }

  /** The rows of the target, drawn. */
  get drawn(): string[] {
    return this.rows.map(drawRow)
  }

  /** Versions of a key as they are stored. */
  versions(owner: Key = KEY): string[] {
    return this.store.historyTable(T).history(owner).versions.map(draw)
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]()
  }

  private truncates(): Truncate[] {
    return this.store.truncates(T).map(({ truncate }) => truncate)
  }
}

/** A key of one part. */
export function key(part: Value): Key {
  return keyOf([part])
}

/** `Ann [5, 9) [1, ∞)`: a row as a reader gets it, with both its intervals as sequences of numbers. */
export function drawStored({ row, startAt, endAt, systemStartAt, systemEndAt }: StoredRow): string {
  const valid = startAt === null ? '' : ` [${number(startAt)}, ${number(endAt)})`
  const system = systemStartAt === null ? '' : ` [${micro(systemStartAt)}, ${micro(systemEndAt)})`
  return `${drawRow(row)}${valid}${system}`
}

/** Any number of keys. */
export function manyKeys(count: number): Key[] {
  return Array.from({ length: count }, (_, i) => key(i))
}

const NUMBERS = new Map(Array.from({ length: 100 }, (_, n) => [sequenceOf(n), n]))

function number(sequence: StoredRow['startAt']): string {
  return sequence === null ? '∞' : String(NUMBERS.get(sequence))
}

/** The microseconds of a system time that is a count of them. */
function micro(sequence: StoredRow['startAt']): string {
  return sequence === null ? '∞' : String(Number(sequence.slice(20).padEnd(6, '0')))
}
