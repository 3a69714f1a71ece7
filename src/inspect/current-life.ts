import { compareStamps, sameStamp, type Stamp } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import { writersOf } from '../core/register.ts'
import { rowOf, type Registers } from '../core/registers.ts'
import { visibleColumns, type TargetFacts } from '../core/target.ts'
import type { Row } from '../core/value.ts'
import type { Store } from '../ports/store.ts'
import type { KeyLife, LifeEvent, LifeVersion } from './key-life.ts'
import { originText, ownColumns, soleWriter, type Writers } from './origin.ts'
import { validBound } from './rows.ts'

type Life = Pick<KeyLife, 'events' | 'versions'>

const NOTHING_KNOWN: Life = { events: [], versions: [] }

/** The life of a key of which only the last event is kept: of its row, or of its deletion. */
export function currentLife(store: Store, facts: TargetFacts, key: Key): Life {
  return facts.layout === 'latest'
    ? latestLife(store, facts, key)
    : registersLife(store, facts, key)
}

function latestLife(store: Store, facts: TargetFacts, key: Key): Life {
  const table = store.latestTable(facts.name)
  const latest = table.latest(key)
  if (latest === null) return NOTHING_KNOWN

  const [stored] = latest.exists
    ? store.rows(facts.name, { valid: null, system: null }, key)
    : [undefined]
  return lifeOf(facts, {
    stamp: latest.stamp,
    commit: table.commitOf(key),
    row: stored?.row ?? null,
    written: 'all',
    writers: soleWriter(facts, latest.stamp),
  })
}

function registersLife(store: Store, facts: TargetFacts, key: Key): Life {
  const table = store.registersTable(facts.name)
  const registers = table.registers(key)
  const stamp = registers?.written ?? registers?.deleted?.stamp ?? null
  if (registers === null || stamp === null) return NOTHING_KNOWN

  const row = rowOf(registers)
  return lifeOf(facts, {
    stamp,
    commit: table.commitOf(key),
    row,
    written: row === null ? 'all' : writtenBy(facts, registers, stamp),
    writers: registerWriters(facts, registers),
  })
}

const NO_BOUNDS = { startAt: null, endAt: null, systemStartAt: null, systemEndAt: null }

/** The one event that is kept, and what it left. */
type Last = {
  readonly stamp: Stamp
  readonly commit: number
  readonly row: Row | null
  readonly written: LifeEvent['written']
  readonly writers: Writers
}

function lifeOf(facts: TargetFacts, { stamp, commit, row, written, writers }: Last): Life {
  const shown = row === null ? null : ownColumns(facts, row)
  const event: LifeEvent = {
    op: row === null ? 'delete' : 'upsert',
    sequence: validBound(facts, stamp.sequence),
    order: stamp.sequence,
    origin: originText(stamp),
    flow: stamp.stream.flow,
    commit,
    written,
    row: shown,
  }
  if (shown === null) return { events: [event], versions: [] }
  const version: LifeVersion = {
    startAt: null,
    endAt: null,
    systemStartAt: null,
    systemEndAt: null,
    order: NO_BOUNDS,
    startTime: null,
    endTime: null,
    row: shown,
    writers,
  }
  return { events: [event], versions: [version] }
}

/** Per column its latest writer, of an object that merged leaf by leaf the latest of its leaves. */
function registerWriters(facts: TargetFacts, registers: Registers): Writers {
  return Object.fromEntries(
    visibleColumns(facts).flatMap((name) => {
      const latest = writersOfColumn(facts, registers, name).toSorted(compareStamps).at(-1)
      return latest === undefined ? [] : [[name, originText(latest)]]
    }),
  )
}

/** What the latest upsert wrote: nothing has overwritten it, so its columns are still its own. */
function writtenBy(facts: TargetFacts, registers: Registers, stamp: Stamp): LifeEvent['written'] {
  const names = visibleColumns(facts)
  const own = names.filter((name) =>
    writersOfColumn(facts, registers, name).some((writer) => sameStamp(writer, stamp)),
  )
  return own.length === names.length ? 'all' : own
}

function writersOfColumn(
  { columns }: TargetFacts,
  registers: Registers,
  name: string,
): readonly Stamp[] {
  const register = registers.columns.get(columns.indexOf(name))
  if (register !== undefined) return writersOf(register)
  return registers.base === null ? [] : [registers.base.stamp]
}
