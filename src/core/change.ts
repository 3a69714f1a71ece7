import { compareCodePoints } from './code-points.ts'
import type { Key } from './key.ts'
import type { Sequence } from './sequence.ts'
import type { Row, Value } from './value.ts'
import type { Writes } from './writes.ts'

/**
 * Where records of one source come from in order: a partition of a topic, a file, a snapshot.
 *
 * Streams are interned: the store gives each (flow, name, partition) one object with a small
 * `id`, so that equal streams are the same object. Order is by name, never by id, since ids
 * depend on arrival (semantics 1, "position").
 */
export type Stream = {
  readonly id: number
  readonly flow: string
  /** Topic, or path of the file relative to the flow file with `/` as separator. */
  readonly name: string
  /** Partition of the topic; 0 for files. */
  readonly partition: number
}

/**
 * The place of a change in the total order of its table (semantics 1, "Total order").
 *
 * `number` counts within the stream (offset, record number); `part` tells apart the changes
 * that one record made. `system` is the system time where it comes from the data, else null.
 */
export type Stamp = {
  readonly sequence: Sequence
  readonly rank: number
  readonly system: Sequence | null
  readonly stream: Stream
  readonly number: number
  readonly part: number
}

/** The key has this row from here on; `writes` says which of its columns the event really wrote. */
export type Upsert = Stamp & {
  readonly op: 'upsert'
  readonly key: Key
  readonly row: Row
  readonly writes: Writes
  /** Value of the `time_by` column, null without one. */
  readonly time: Value
}

/** The key stops existing. */
export type Delete = Stamp & { readonly op: 'delete'; readonly key: Key; readonly time: Value }

/** Every key stops existing; with reach `flow` only those whose latest earlier event is of the same flow. */
export type Truncate = Stamp & {
  readonly op: 'truncate'
  readonly reach: 'target' | 'flow'
  readonly time: Value
}

/** One change event (semantics 1). */
export type Change = Upsert | Delete | Truncate

/** A change of one key. */
export type KeyChange = Upsert | Delete

/**
 * Natural order: where both names have digits, the runs of ASCII digits compare as integers,
 * everything else by code point; names equal so far, the whole by code point.
 *
 *     a.ndjson < a2.ndjson < a10.ndjson
 */
export function compareNatural(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const left = digitsAt(a, i)
    const right = digitsAt(b, j)
    if (left !== '' && right !== '') {
      const difference = compareIntegers(left, right)
      if (difference !== 0) return difference
      i += left.length
      j += right.length
      continue
    }
    const point = String.fromCodePoint(a.codePointAt(i) ?? 0)
    const other = String.fromCodePoint(b.codePointAt(j) ?? 0)
    if (point !== other) return compareCodePoints(point, other)
    i += point.length
    j += other.length
  }
  return a.length - i - (b.length - j) || compareCodePoints(a, b)
}

/** Order of two streams by what they are called: flow, then name in natural order, then partition. */
export function compareStreams(a: Stream, b: Stream): number {
  if (a === b) return 0
  return (
    compareCodePoints(a.flow, b.flow) || compareNatural(a.name, b.name) || a.partition - b.partition
  )
}

/**
 * The total order of the changes of a table: sequence; a truncate first; rank; system time
 * where the data gives it; position. Zero only for one and the same event.
 */
export function compareChanges(a: Change, b: Change): number {
  return compareAscii(a.sequence, b.sequence) || truncateFirst(a, b) || compareTied(a, b)
}

/** Order of two stamps that are not truncates'. */
export function compareStamps(a: Stamp, b: Stamp): number {
  return compareAscii(a.sequence, b.sequence) || compareTied(a, b)
}

/** Whether two changes have the same place in the order, that is, are the same event. */
export function sameStamp(a: Stamp, b: Stamp): boolean {
  return (
    a.number === b.number &&
    a.stream === b.stream &&
    a.sequence === b.sequence &&
    a.part === b.part &&
    a.rank === b.rank &&
    a.system === b.system
  )
}

/** Whether one record made both changes. */
export function ofOneRecord(a: Stamp, b: Stamp): boolean {
  return a.number === b.number && a.stream === b.stream
}

function compareTied(a: Stamp, b: Stamp): number {
  return (
    a.rank - b.rank ||
    compareAscii(a.system ?? '', b.system ?? '') ||
    compareStreams(a.stream, b.stream) ||
    a.number - b.number ||
    a.part - b.part
  )
}

function truncateFirst(a: Change, b: Change): number {
  return Number(b.op === 'truncate') - Number(a.op === 'truncate')
}

/** Sequences are built so that `<` is their order (sequence.ts). */
function compareAscii(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The run of ASCII digits that begins at a place; empty if none does. */
function digitsAt(text: string, from: number): string {
  let to = from
  while (text.charCodeAt(to) >= 0x30 && text.charCodeAt(to) <= 0x39) to += 1
  return text.slice(from, to)
}

/** Digits of any length as integers. */
function compareIntegers(a: string, b: string): number {
  const left = a.replace(/^0+/, '')
  const right = b.replace(/^0+/, '')
  return left.length - right.length || compareCodePoints(left, right)
}
