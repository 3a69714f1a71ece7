import { TidemarkError } from '../core/errors.ts'
import { keyOf, type Key } from '../core/key.ts'
import {
  decodeSequence,
  describeSequenceType,
  readSequence,
  type Sequence,
  type SequenceType,
} from '../core/sequence.ts'
import {
  systemColumns,
  systemTypeOf,
  visibleColumns,
  type StorageKind,
  type TargetFacts,
  highestEpoch,
} from '../core/target.ts'
import { cell, type Value } from '../core/value.ts'
import type { Store, StoredRow } from '../ports/store.ts'
import { heldAtTime, refuseNoTime } from './as-of-time.ts'

/** What a reader may know of a target. */
export type TargetInfo = {
  readonly name: string
  readonly kind: StorageKind
  readonly keys: readonly string[]
  /** The target's own columns, in order. */
  readonly columns: readonly string[]
  readonly systemColumns: readonly string[]
}

/** Which rows to read; a row is given only if it satisfies all that is asked. */
export type RowQuery = {
  /** Valid time, of the type of the target's sequence: rows that held just after it. */
  readonly asOf?: Value
  /** The same by the `time_by` column. */
  readonly asOfTime?: Value
  /** System time: what a bitemporal target believed then. */
  readonly systemAsOf?: Value
  /** Values of the key columns, by name. */
  readonly key?: Readonly<Record<string, Value>>
  readonly limit?: number
}

/** A row as a reader gets it: the target's own columns, then the system columns. */
export type OutputRow = { readonly names: readonly string[]; readonly values: readonly Value[] }

/** What of a target's facts concerns readers. */
export function targetInfo(facts: TargetFacts): TargetInfo {
  return {
    name: facts.name,
    kind: facts.kind,
    keys: facts.keys,
    columns: visibleColumns(facts),
    systemColumns: systemColumns(facts),
  }
}

/** Rows of a target in key order, then by start. @throws TidemarkError `USAGE` for a query that does not fit the target */
export function* readRows(store: Store, facts: TargetFacts, query: RowQuery): Iterable<OutputRow> {
  const output = new RowOutput(facts)
  const asOf = {
    valid: validAsOf(facts, query.asOf),
    system: systemAsOf(facts, query.systemAsOf),
  }
  if (query.asOfTime !== undefined && !facts.timed) {
    throw usage(`the target "${facts.name}" has no time_by, so --as-of-time has no meaning`)
  }
  if (query.asOfTime !== undefined) {
    refuseNoTime(store.rows(facts.name, { valid: null, system: null }, null), query.asOfTime)
  }
  const key = query.key === undefined ? null : keyFrom(facts, query.key)

  let left = query.limit ?? Number.POSITIVE_INFINITY
  for (const row of store.rows(facts.name, asOf, key)) {
    if (left <= 0) return
    if (query.asOfTime !== undefined && !heldAtTime(row, query.asOfTime)) continue
    left -= 1
    yield output.of(row)
  }
}

/** The key that these values name. @throws TidemarkError `USAGE` for missing or other columns */
export function keyFrom(facts: TargetFacts, values: Readonly<Record<string, Value>>): Key {
  const other = Object.keys(values).find((name) => !facts.keys.includes(name))
  if (other !== undefined) {
    throw usage(`"${other}" is no key of "${facts.name}"; its keys are ${facts.keys.join(', ')}`)
  }
  return keyOf(
    facts.keys.map((name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      if (value === undefined || value === null) throw usage(`the key "${name}" is missing`)
      return value
    }),
  )
}

/** Spells rows of one target for readers. */
class RowOutput {
  readonly names: readonly string[]
  private readonly facts: TargetFacts
  private readonly ordinals: readonly number[]

  constructor(facts: TargetFacts) {
    const columns = visibleColumns(facts)
    this.facts = facts
    this.names = [...columns, ...systemColumns(facts)]
    this.ordinals = columns.map((name) => facts.columns.indexOf(name))
  }

  of(row: StoredRow): OutputRow {
    const own = this.ordinals.map((ordinal) => cell(row.row, ordinal))
    return { names: this.names, values: [...own, ...this.system(row)] }
  }

  private system(row: StoredRow): Value[] {
    const { kind, timed } = this.facts
    if (kind === 1) return []
    const valid = [validBound(this.facts, row.startAt), validBound(this.facts, row.endAt)]
    const times = timed ? [row.startTime, row.endTime] : []
    if (kind === 2) return [...valid, ...times]
    return [
      ...valid,
      ...times,
      systemBound(this.facts, row.systemStartAt),
      systemBound(this.facts, row.systemEndAt),
    ]
  }
}

/** A bound of valid time as its natural value. */
export function validBound({ sequenceType }: TargetFacts, bound: Sequence | null): Value {
  return bound === null || sequenceType === null ? null : decodeSequence(bound, sequenceType)
}

/** A bound of system time as its natural value. */
export function systemBound(facts: TargetFacts, bound: Sequence | null): Value {
  const type = systemTypeOf(facts)
  return bound === null || type === null ? null : decodeSequence(bound, type)
}

function validAsOf(facts: TargetFacts, at: Value | undefined): Sequence | null {
  if (at === undefined) return null
  if (facts.kind === 1) throw usage(`"${facts.name}" keeps no history, so --as-of has no meaning`)
  return facts.sequenceType === null
    ? null
    : asSequence(
        at,
        facts.sequenceType,
        '--as-of',
        facts.feed === null ? 0 : highestEpoch(facts.feed),
      )
}

function systemAsOf(facts: TargetFacts, at: Value | undefined): Sequence | null {
  if (at === undefined) return null
  if (facts.kind !== 'bitemporal') {
    throw usage(`"${facts.name}" is not bitemporal, so --system-as-of has no meaning`)
  }
  const type = systemTypeOf(facts)
  return type === null ? null : asSequence(at, type, '--system-as-of')
}

function asSequence(at: Value, type: SequenceType, option: string, epoch?: number): Sequence {
  const sequence = readSequence(at, type, epoch)
  if (sequence !== null) return sequence
  throw usage(`${option} wants a ${describeSequenceType(type)}`)
}

function usage(message: string): TidemarkError {
  return new TidemarkError('USAGE', message)
}
