import { compareChanges, compareStamps, type Change, type Stamp } from '../core/change.ts'
import { BugError } from '../core/errors.ts'
import { keyParts, type Key } from '../core/key.ts'
import { entriesOf, type KeyHistory } from '../core/key-history.ts'
import { writersOf } from '../core/register.ts'
import { rowOf, type Registers } from '../core/registers.ts'
import type { Version } from '../core/scd2.ts'
import { visibleColumns, type TargetFacts } from '../core/target.ts'
import { NOTHING, step } from '../core/timeline.ts'
import { cell, type Row, type Value } from '../core/value.ts'
import { isWritten } from '../core/writes.ts'
import type { Store } from '../ports/store.ts'
import { systemBound, targetInfo, validBound, type OutputRow, type TargetInfo } from './rows.ts'
import { streamText } from './status.ts'

/** All that is kept of one key, in order. */
export type KeyLife = {
  readonly target: TargetInfo
  readonly key: OutputRow
  readonly events: readonly LifeEvent[]
  readonly versions: readonly LifeVersion[]
}

/** An event of the key, or a truncate that ended it. */
export type LifeEvent = {
  readonly op: 'upsert' | 'delete' | 'truncate'
  readonly sequence: Value
  /** `feed/a.ndjson:12`, or `topic[1]@42`. */
  readonly origin: string
  readonly flow: string
  readonly commit: number
  readonly written: 'all' | readonly string[]
  /** The row after it, null where the key does not exist. */
  readonly row: OutputRow | null
}

/** A row of the key, and which event wrote each of its values. */
export type LifeVersion = {
  readonly startAt: Value
  readonly endAt: Value
  readonly systemStartAt: Value
  readonly systemEndAt: Value
  readonly startTime: Value
  readonly endTime: Value
  readonly row: OutputRow
  readonly writers: Readonly<Record<string, string>>
}

/** The life of a key, as far as it is kept: SCD type 1 keeps the last event only. */
export function keyLife(store: Store, facts: TargetFacts, key: Key): KeyLife {
  const names = facts.keys
  const values = keyParts(key)
  const life = facts.layout === 'timeline' ? timelineLife : currentLife
  return { target: targetInfo(facts), key: { names, values }, ...life(store, facts, key) }
}

type Told = Pick<KeyLife, 'events' | 'versions'>

function timelineLife(store: Store, facts: TargetFacts, key: Key): Told {
  const history = store.historyTable(facts.name).history(key)
  const teller = new Teller(facts)
  const commits = new Map<Change, number>()
  for (const { truncate, commit } of store.truncates(facts.name)) commits.set(truncate, commit)
  for (const { change, commit } of entriesOf(history)) commits.set(change, commit)
  for (const change of [...commits.keys()].toSorted(compareChanges)) {
    teller.tell(change, commits.get(change) ?? 0)
  }
  return { events: teller.events, versions: versionsOf(facts, history, teller) }
}

function versionsOf(facts: TargetFacts, history: KeyHistory, teller: Teller): LifeVersion[] {
  const told = (version: Version, until: LifeVersion['systemEndAt']): LifeVersion => ({
    startAt: validBound(facts, version.startAt),
    endAt: validBound(facts, version.endAt),
    systemStartAt: systemBound(facts, version.since),
    systemEndAt: until,
    startTime: version.startTime,
    endTime: version.endTime,
    row: outputRow(facts, version.entry.row),
    writers: teller.writersAfter(version.entry.change),
  })
  if (facts.kind === 1) {
    return history.versions.filter(({ endAt }) => endAt === null).map((v) => told(v, null))
  }
  return [
    ...history.versions.map((version) => told(version, null)),
    ...history.disbelieved.map((version) => told(version, systemBound(facts, version.until))),
  ]
}

/** Replays a key's changes and notes who wrote what. */
class Teller {
  readonly events: LifeEvent[] = []
  private readonly facts: TargetFacts
  private readonly writers = new Map<string, Readonly<Record<string, string>>>()
  private state = NOTHING
  private readonly current = new Map<string, string>()

  constructor(facts: TargetFacts) {
    this.facts = facts
  }

  tell(change: Change, commit: number): void {
    const before = this.state
    this.state = step(before, change)
    const ends = before.row !== null && this.state.row === null
    if (change.op === 'truncate' && !ends) return

    if (change.op === 'upsert') this.write(change)
    else this.current.clear()
    this.writers.set(stampText(change), Object.fromEntries(this.current))
    this.events.push({
      op: change.op,
      sequence: validBound(this.facts, change.sequence),
      origin: originText(change),
      flow: change.stream.flow,
      commit,
      written: writtenNames(this.facts, change),
      row: this.state.row === null ? null : outputRow(this.facts, this.state.row),
    })
  }

  /** Who had written the values of the row after a change. */
  writersAfter(change: Change): Readonly<Record<string, string>> {
    return this.writers.get(stampText(change)) ?? {}
  }

  private write(change: Change & { op: 'upsert' }): void {
    const origin = originText(change)
    for (const name of visibleColumns(this.facts)) {
      if (isWritten(change.writes, this.facts.columns.indexOf(name))) this.current.set(name, origin)
    }
  }
}

function currentLife(store: Store, facts: TargetFacts, key: Key): Told {
  return facts.layout === 'latest'
    ? latestLife(store, facts, key)
    : registersLife(store, facts, key)
}

function latestLife(store: Store, facts: TargetFacts, key: Key): Told {
  const table = store.latestTable(facts.name)
  const latest = table.latest(key)
  if (latest === null) return { events: [], versions: [] }

  const [stored] = [...store.rows(facts.name, { valid: null, system: null }, key)]
  const row = latest.exists ? (stored?.row ?? null) : null
  const origin = originText(latest.stamp)
  const writers = Object.fromEntries(visibleColumns(facts).map((name) => [name, origin]))
  const event = lastEvent(facts, latest.stamp, table.commitOf(key), row)
  return { events: [event], versions: row === null ? [] : [currentVersion(facts, row, writers)] }
}

function registersLife(store: Store, facts: TargetFacts, key: Key): Told {
  const table = store.registersTable(facts.name)
  const registers = table.registers(key)
  const last = registers === null ? null : (registers.written ?? registers.deleted?.stamp ?? null)
  if (registers === null || last === null) return { events: [], versions: [] }

  const row = rowOf(registers)
  const events = [lastEvent(facts, last, table.commitOf(key), row)]
  if (row === null) return { events, versions: [] }
  return { events, versions: [currentVersion(facts, row, registerWriters(facts, registers))] }
}

/** Per column its latest writer; columns that nobody wrote have none. */
function registerWriters(facts: TargetFacts, registers: Registers): Record<string, string> {
  const writers = new Map<string, string>()
  for (const name of visibleColumns(facts)) {
    const register = registers.columns.get(facts.columns.indexOf(name))
    const stamps = register === undefined ? [] : writersOf(register)
    const latest = stamps.toSorted(compareStamps).at(-1) ?? registers.base?.stamp
    if (latest !== undefined) writers.set(name, originText(latest))
  }
  // Columns may be called `__proto__`: entries define members, assignments would not.
  return Object.fromEntries(writers)
}

function lastEvent(facts: TargetFacts, stamp: Stamp, commit: number, row: Row | null): LifeEvent {
  return {
    op: row === null ? 'delete' : 'upsert',
    sequence: validBound(facts, stamp.sequence),
    origin: originText(stamp),
    flow: stamp.stream.flow,
    commit,
    written: 'all',
    row: row === null ? null : outputRow(facts, row),
  }
}

function currentVersion(
  facts: TargetFacts,
  row: Row,
  writers: Readonly<Record<string, string>>,
): LifeVersion {
  return {
    startAt: null,
    endAt: null,
    systemStartAt: null,
    systemEndAt: null,
    startTime: null,
    endTime: null,
    row: outputRow(facts, row),
    writers,
  }
}

function outputRow(facts: TargetFacts, row: Row): OutputRow {
  const names = visibleColumns(facts)
  return { names, values: names.map((name) => cell(row, facts.columns.indexOf(name))) }
}

function writtenNames(facts: TargetFacts, change: Change): LifeEvent['written'] {
  if (change.op !== 'upsert' || change.writes === 'all') return 'all'
  const { writes } = change
  return visibleColumns(facts).filter((name) => isWritten(writes, facts.columns.indexOf(name)))
}

/** Where an event stands in its source. */
function originText({ stream, number }: Stamp): string {
  const place = streamText(stream.name, stream.partition)
  return stream.partition === 0 ? `${place}:${number}` : `${place}@${number}`
}

function stampText(stamp: Stamp): string {
  const { sequence, stream, number, part } = stamp
  if (stream.id === 0) throw new BugError('a stream without a number')
  return JSON.stringify([sequence, stream.id, number, part])
}
