import type { BitemporalVersion } from '../../src/core/bitemporal.ts'
import type { Change, Delete, Stamp, Truncate, Upsert } from '../../src/core/change.ts'
import { plainText } from '../../src/core/display.ts'
import { keyOf } from '../../src/core/key.ts'
import { versions, type Tracking, type Version } from '../../src/core/scd2.ts'
import { decodeSequence, encodeSequence, type Sequence } from '../../src/core/sequence.ts'
import { timelineOf, type Entry, type SequenceMeaning } from '../../src/core/timeline.ts'
import type { Row, Tagged, Value } from '../../src/core/value.ts'
import type { Writes } from '../../src/core/writes.ts'

/** The columns of the rows in these examples, in the order of their ordinals. */
export type Fields = { readonly name?: Value; readonly city?: Value; readonly info?: Value }

/** Ordinals of the columns. */
export const [NAME, CITY, INFO] = [0, 1, 2] as const

/** Where a change stands beyond its sequence; record number = sequence of the file `feed` unless told. */
export type Where = {
  readonly rank?: number
  readonly system?: number
  readonly flow?: string
  readonly file?: string
  readonly partition?: number
  readonly number?: number
  readonly part?: number
  readonly reach?: 'target' | 'flow'
  /** Value of the `time_by` column. */
  readonly time?: string
}

/** An upsert that writes every column, those that it does not name as null. */
export function put(sequence: number, fields: Fields, where: Where = {}): Upsert {
  return upsert(sequence, fields, 'all', where)
}

/** An upsert that writes the columns that it names, and no others. */
export function set(sequence: number, fields: Fields, where: Where = {}): Upsert {
  return upsert(sequence, fields, { mode: 'only', columns: named(fields), merge: [] }, where)
}

/** An upsert that writes the columns that it names, and whose objects merge into what was there. */
export function merged(sequence: number, fields: Fields, where: Where = {}): Upsert {
  const columns = named(fields)
  return upsert(sequence, fields, { mode: 'only', columns, merge: columns }, where)
}

/** The key is deleted. */
export function gone(sequence: number, where: Where = {}): Delete {
  return { ...at(sequence, where), op: 'delete', key: KEY, time: where.time ?? null }
}

/** Every key is deleted. */
export function truncated(sequence: number, where: Where = {}): Truncate {
  const { reach = 'target', time = null } = where
  return { ...at(sequence, where), op: 'truncate', reach, time }
}

/** A nested object or array; spell its members in order. */
export function json(value: object): Tagged {
  return { type: 'json', text: JSON.stringify(value) }
}

/** Everything tracked. */
export const ALL: Tracking = { mode: 'except', columns: [] }

/** How to read changes, where an example is about that. */
export type Reading = { readonly tracking?: Tracking; readonly meaning?: SequenceMeaning }

/** The SCD type 2 rows of one key, drawn. */
export function history(...changes: readonly Change[]): string[] {
  return historyBy({}, ...changes)
}

/** The same where something else is tracked, or a sequence names one change. */
export function historyBy(
  { tracking = ALL, meaning = 'ordered' }: Reading,
  ...changes: readonly Change[]
): string[] {
  return versions(timelineOf(changes, meaning), tracking, () => 1).map(draw)
}

/** `[5, 12) Ann` */
export function draw({ startAt, endAt, entry }: Version): string {
  return `[${drawSequence(startAt)}, ${drawSequence(endAt)}) ${drawRow(entry.row)}`
}

/** `[5, 12) Ann 09:00 to 10:00`, with the times of the changes that open and end the row. */
export function drawTimed(version: Version): string {
  const { startTime, endTime } = version
  return `${draw(version)} ${drawValue(startTime)} to ${drawValue(endTime)}`
}

/** `[5, 12) Ann believed [1, ∞)` */
export function drawBelieved(
  version: Omit<BitemporalVersion, 'since'> & { readonly since: Sequence | null },
): string {
  return `${draw(version)} believed [${drawSequence(version.since)}, ${drawSequence(version.until)})`
}

/** `7 gone`, `10 Ann`: an entry by its sequence and the row that it led to. */
export function drawEntry({ change, row }: Entry): string {
  return `${drawSequence(change.sequence)} ${row === null ? 'gone' : drawRow(row)}`
}

/** The values of a row; what nobody wrote is left out at its end. */
export function drawRow(row: Row | null): string {
  if (row === null) return 'gone'
  const width = row.findLastIndex((value) => value !== null) + 1
  return row.slice(0, Math.max(width, 1)).map(drawValue).join(' ')
}

/** A number as a sequence. */
export function sequenceOf(n: number): Sequence {
  const sequence = encodeSequence(n, NUMBER)
  if (sequence === null) throw new Error(`no sequence: ${n}`)
  return sequence
}

/** The one key of these examples. */
export const KEY = keyOf([1])

const NUMBER = { parts: ['number'], list: false } as const
const STREAMS = new Map<string, Stamp['stream']>()

function at(sequence: number, where: Where): Stamp {
  const { rank = 0, system, number = sequence, part = 0 } = where
  return {
    sequence: sequenceOf(sequence),
    rank,
    system: system === undefined ? null : sequenceOf(system),
    stream: streamOf(where),
    number,
    part,
  }
}

/** One object per stream, as a store gives them. */
function streamOf({ flow = 'flow', file = 'feed', partition = 0 }: Where): Stamp['stream'] {
  const id = `${flow} ${file} ${partition}`
  const stream = STREAMS.get(id) ?? { id: STREAMS.size + 1, flow, name: file, partition }
  STREAMS.set(id, stream)
  return stream
}

function upsert(sequence: number, fields: Fields, writes: Writes, where: Where): Upsert {
  const { name = null, city = null, info = null } = fields
  const row = [name, city, info]
  const time = where.time ?? null
  return { ...at(sequence, where), op: 'upsert', key: KEY, row, writes, time }
}

function named(fields: Fields): number[] {
  return [NAME, CITY, INFO].filter((_, ordinal) =>
    Object.hasOwn(fields, ['name', 'city', 'info'][ordinal] ?? ''),
  )
}

function drawSequence(sequence: Sequence | null): string {
  return sequence === null ? '∞' : plainText(decodeSequence(sequence, NUMBER))
}

function drawValue(value: Value): string {
  return value === null ? '∅' : plainText(value)
}
